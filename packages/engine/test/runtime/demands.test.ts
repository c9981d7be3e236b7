/** What a turn or a task is asked to give takes one path, however early, late or often the model sends it. */
import type { Json, JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../src/index.ts';
import { createRegistry } from '../../src/index.ts';
import { collect, echo, fakeHost, fakeModel, fakeTool, finished, ofType } from './support.ts';

const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

const done = fakeTool('done', async ({ result }) => ({
  content: 'The turn ends here.',
  endsTurn: 'Counted.',
  ...(result !== undefined && { result: result as Json }),
}));

/** An answer whose call is told of, and run, before the answer is whole. */
function early(input: JsonObject) {
  return async function* (): AsyncGenerator<ModelEvent> {
    yield { type: 'input_complete', call: 1, tool: 'done', input };
    // Time enough for a tool that does nothing.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    yield finished([{ type: 'tool_call', tool: 'done', input }]);
  };
}

async function run(...answers: Parameters<typeof fakeModel>) {
  const model = fakeModel(...answers);
  const session = await fakeHost(model, { tools: [done, echo] }).create({ cwd: '/tmp', mode: 'auto' });
  return { model, events: await collect(session.send('Count.', { outputSchema })) };
}

const endOf = (events: Awaited<ReturnType<typeof run>>['events']) => ofType(events, 'turn.ended')[0]?.data;

describe('E16: a result that came early', () => {
  it.each([
    { what: 'wrong', input: { result: { count: 'three' } } },
    { what: 'missing', input: {} },
  ])('and is $what ends nothing, is told of, and is asked for once more', async ({ input }) => {
    const { events } = await run(early(input), early({ result: { count: 3 } }));
    const [first] = ofType(events, 'tool.finished');
    expect(first?.data).toMatchObject({ status: 'error', content: expect.stringContaining('Not accepted') });
    expect(endOf(events)).toMatchObject({ outcome: 'completed', result: { count: 3 }, steps: 2 });
  });

  it('and is wrong twice fails the turn', async () => {
    const { events, model } = await run(early({}), early({ result: { count: 'x' } }), early({ result: { count: 3 } }));
    expect(endOf(events)).toMatchObject({ outcome: 'failed', message: expect.stringContaining('the result') });
    expect(model.requests).toHaveLength(2);
  });
});

it('E16: two wrong results in one answer are one try', async () => {
  const wrong = { tool: 'done', input: { result: {} } };
  const { events } = await run(
    [wrong, { tool: 'done', input: {} }],
    [{ tool: 'done', input: { result: { count: 3 } } }],
  );
  expect(ofType(events, 'result.checked').map(({ data }) => data.consequence)).toEqual(['repair', 'repair', undefined]);
  expect(endOf(events)).toMatchObject({ outcome: 'completed', result: { count: 3 } });
});

it('E16: with tool choice none no call runs, whatever the model sends', async () => {
  let ran = 0;
  const count = fakeTool('count', async () => ({ content: `${++ran}` }));
  const model = fakeModel([{ tool: 'count' }], 'Well.');
  const session = await fakeHost(model, { tools: [count] }).create({ cwd: '/tmp', mode: 'auto' });
  const events = await collect(session.send('Go.', { toolChoice: 'none' }));
  expect(ran).toBe(0);
  expect(ofType(events, 'tool.finished')[0]?.data.content).toContain('no tools are called');
  expect(ofType(events, 'turn.ended')[0]?.data.outcome).toBe('completed');
});

describe('E16: what is no JSON Schema is refused when it is given', () => {
  it.each([
    { schema: { type: 'objekt' }, why: 'type' },
    { schema: { type: 'object', properties: { count: 'integer' } }, why: 'count' },
    { schema: { type: 'object', required: 'count' }, why: 'required' },
    { schema: { type: 'string', pattern: '(' }, why: 'regular expression' },
    { schema: { $ref: '#/$defs/lost' }, why: '#/$defs/lost' },
    { schema: { anyOf: [] }, why: 'anyOf' },
  ])('as the result of a turn: $why', async ({ schema, why }) => {
    const model = fakeModel();
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    const refused = session.run('Go.', { outputSchema: schema as JsonObject });
    await expect(refused).rejects.toMatchObject({ code: 'bad_schema', message: expect.stringContaining(why) });
    expect(model.requests).toHaveLength(0);
  });

  it('as the input of a tool', () => {
    const tool = { ...echo, input: { type: 'object', properties: { path: { type: 'strin' } } } };
    expect(() => createRegistry([tool])).toThrow(/no JSON Schema.*path/);
  });

  it('and one with references to its own definitions is taken', async () => {
    const schema = { $defs: { n: { type: 'integer' } }, type: 'object', properties: { count: { $ref: '#/$defs/n' } } };
    const session = await fakeHost(fakeModel('{"count": 3}')).create({ cwd: '/tmp' });
    expect((await session.run('Go.', { outputSchema: schema })).result).toEqual({ count: 3 });
  });
});
