import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Tool } from '../../src/index.ts';
import { type Answer, collect, fakeHost, fakeModel, fakeTool, finished, ofType } from './support.ts';

function someFile(text: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-repeats-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.txt');
  writeFileSync(path, text);
  return path;
}

/** Says of a file only how it begins. */
const peek = (path: string): Tool =>
  fakeTool('peek', async () => ({ content: readFileSync(path, 'utf8').slice(0, 1) }), { paths: async () => [path] });

const refusals = (events: Awaited<ReturnType<typeof collect>>) =>
  ofType(events, 'tool.judged').filter(({ data }) => data.rule === 'check loop');

async function ask(answers: Answer[], tools: Tool[]) {
  const session = await fakeHost(fakeModel(...answers), { tools }).create({ cwd: '/tmp', mode: 'auto' });
  return { session, events: await collect(session.send('Go.')) };
}

describe('E3: a call that is made again', () => {
  const again: Answer = [{ tool: 'peek' }];

  it('is refused the third time, and the model is told why', async () => {
    const { events } = await ask([again, again, again, again], [peek(someFile('one'))]);
    expect(refusals(events)).toHaveLength(2);
    const result = ofType(events, 'tool.finished')[2];
    expect(result?.data).toMatchObject({
      status: 'error',
      content: expect.stringContaining('third time in this turn'),
    });
  });

  it('runs when a person asks for it in another turn', async () => {
    const file = someFile('one');
    const model = fakeModel(again, again, 'Done.', again, 'Done.');
    const session = await fakeHost(model, { tools: [peek(file)] }).create({ cwd: '/tmp' });
    await session.run('Go.');
    const events = await collect(session.send('Once more.'));
    expect(ofType(events, 'tool.finished')[0]?.data).toMatchObject({ status: 'ok', content: 'o' });
  });

  it('runs when the owner has changed the file meanwhile, though what is shown of it is the same', async () => {
    const file = someFile('one');
    const change: Answer = async function* () {
      writeFileSync(file, 'or two');
      yield finished([{ type: 'tool_call', tool: 'peek', input: {} }]);
    };
    const { events } = await ask([again, again, change, again, again], [peek(file)]);
    expect(ofType(events, 'tool.finished').map(({ data }) => data.status)).toEqual([
      'ok',
      'ok',
      'ok',
      'error',
      'error',
    ]);
  });

  it('runs when the file that was missing is there by now', async () => {
    const file = someFile('');
    rmSync(file);
    const make: Answer = async function* () {
      writeFileSync(file, 'there');
      yield finished([{ type: 'tool_call', tool: 'peek', input: {} }]);
    };
    const { events } = await ask([again, again, make], [peek(file)]);
    expect(ofType(events, 'tool.finished').map(({ data }) => data.status)).toEqual(['error', 'error', 'ok']);
  });

  it.each(['write', 'external'] as const)('is refused the third time when its effect is %s', async (effect) => {
    let deeds = 0;
    const deed = fakeTool('deed', async () => ({ content: `Done${++deeds === 0 ? '' : '.'}` }), { effect });
    const { events } = await ask(
      Array.from({ length: 5 }, () => [{ tool: 'deed' }]),
      [deed],
    );
    expect(deeds).toBe(2);
    expect(refusals(events)).toHaveLength(3);
  });

  it('runs as often as it likes where its tool says that it polls', async () => {
    const poll = fakeTool('poll', async () => ({ content: 'Not yet.' }), { isPolling: ({ what }) => what === 'state' });
    const answers = Array.from({ length: 5 }, (): Answer => [{ tool: 'poll', input: { what: 'state' } }]);
    expect(refusals((await ask(answers, [poll])).events)).toEqual([]);
    const others = Array.from({ length: 3 }, (): Answer => [{ tool: 'poll', input: { what: 'all' } }]);
    expect(refusals((await ask(others, [poll])).events)).toHaveLength(1);
  });
});

describe('E10: the third malformed round ends the turn', () => {
  const noJson: Answer = async function* () {
    yield finished([{ type: 'tool_call', tool: 'echo', input: {}, malformed: '{"path": ' }]);
  };
  const unknown: Answer = [{ tool: 'nope', input: { a: 1 } }];
  const echo = fakeTool('echo', async () => ({ content: 'Yes.' }), {
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  });
  const wrong: Answer = [{ tool: 'echo', input: { path: 1 } }];

  it.each([
    ['are no JSON', noJson, 'not a JSON object'],
    ['name no tool', unknown, 'There is no tool "nope"'],
    ['have wrong arguments', wrong, 'path'],
  ])('when its calls %s, the same each time', async (_, answer, words) => {
    const { session, events } = await ask([answer, answer, answer, answer], [echo]);
    expect(ofType(events, 'turn.ended')[0]?.data).toMatchObject({ outcome: 'failed', steps: 3 });
    for (const { data } of ofType(events, 'tool.finished')) expect(data.content).toContain(words);
    expect(refusals(events)).toEqual([]);
    expect((await session.view()).turn).toBeNull();
  });

  it('of a turn with a target too', async () => {
    const model = fakeModel(noJson, noJson, noJson, noJson);
    const session = await fakeHost(model, { tools: [echo] }).create({ cwd: '/tmp' });
    const ended = await session.run('Go.', { target: {} });
    expect(ended).toMatchObject({ outcome: 'failed', steps: 3, message: expect.stringContaining('3 times in a row') });
  });
});

it('E2: what a limit of time stopped is not called cancelled', async () => {
  const hang = fakeTool('hang', (_, { signal }) => {
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const session = await fakeHost(fakeModel([{ tool: 'hang' }]), { tools: [hang] }).create({
    cwd: '/tmp',
    limits: { durationMs: 50 },
  });
  const events = await collect(session.send('Go.'));
  expect(ofType(events, 'tool.finished')[0]?.data).toMatchObject({
    status: 'out_of_time',
    content: 'Stopped. The turn ran out of time.',
  });
  expect(ofType(events, 'turn.ended')[0]?.data.outcome).toBe('max_duration');
});
