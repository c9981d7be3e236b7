/** Room that has to be made although something is in the way: the model of compactions is down, or content is too large. */
import { PawlError } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import type { Model, ModelRequest } from '../../src/index.ts';
import { collect, fakeHost, fakeTool, finished, ofType } from './support.ts';

const info = { contextTokens: 16_000, outputTokens: 1000, isPriceKnown: true };
const tokensOf = ({ messages }: ModelRequest) => Math.ceil(JSON.stringify(messages).length / 4);

const look = fakeTool('look', async () => ({ content: 'A line of what was found. '.repeat(40) }), {
  input: { type: 'object', properties: { n: { type: 'number' } } },
});

/** Works for so many steps, each with a result of some size; how it fares with summaries is for the test to say. */
function worker(steps: number, summarise: (signal: AbortSignal) => Promise<never>) {
  const requests: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const model: Model = {
    id: 'fake/model',
    info,
    async *stream(request, signal) {
      if (request.purpose === 'compaction') {
        summaries.push(request);
        await summarise(signal);
      }
      requests.push(request);
      const n = requests.length;
      const event = finished(
        n > steps ? [{ type: 'text', text: 'Done.' }] : [{ type: 'tool_call', tool: 'look', input: { n } }],
      );
      if (event.type !== 'finished') return;
      const usage = { ...event.message.usage, inputTokens: tokensOf(request), outputTokens: 20 };
      yield { ...event, message: { ...event.message, usage } };
    },
  };
  return { model, requests, summaries };
}

it('E12, X4: no request outgrows the window while the model of compactions is down for fifty steps', async () => {
  const down = worker(120, async () => {
    throw new PawlError('model_failed', 'The provider is down.');
  });
  const session = await fakeHost(down.model, { tools: [look] }).create({ cwd: '/tmp', limits: { steps: 200 } });
  const events = await collect(session.send('Work.'));
  expect(ofType(events, 'turn.ended')[0]?.data.outcome).toBe('completed');
  expect(Math.max(...down.requests.map(tokensOf))).toBeLessThan(info.contextTokens);
  expect(ofType(events, 'context.compacted').length).toBeGreaterThan(1);
  const begun = ofType(events, 'compaction.started');
  expect(begun.some(({ data }) => data.isMechanical === true)).toBe(true);
  // It is left alone for a while after two failures, not asked at every step.
  expect(down.summaries.length).toBeLessThan(30);
});

/** Refuses what is longer than this, as a gateway does that limits the size of a request. */
function narrow(maxCharacters: number) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: 'fake/model',
    info: { ...info, contextTokens: 200_000 },
    async *stream(request) {
      requests.push(request);
      const { messages } = request;
      const bytes =
        JSON.stringify(messages)
          .match(/"sizeBytes":(\d+)/g)
          ?.map((text) => Number(text.slice(12))) ?? [];
      const size = bytes.reduce((sum, own) => sum + own, JSON.stringify(messages).length);
      if (size > maxCharacters) throw new PawlError('context_overflow', 'HTTP 413: the request is too large.');
      yield finished([{ type: 'text', text: 'Done.' }]);
    },
  };
  return { model, requests };
}

describe('E12: content too large for any request', () => {
  it('is taken out of what the model sees, the log keeps it, and the session works afterwards', async () => {
    const { model, requests } = narrow(50_000);
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    const text = 'All the words of a book. '.repeat(10_000);
    const events = await collect(session.send(text));
    expect(ofType(events, 'context.removed')[0]?.data).toMatchObject({ cause: 'overflow' });
    expect(ofType(events, 'turn.ended')[0]?.data.outcome).toBe('completed');
    expect((await session.run('And now?')).outcome).toBe('completed');
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('were taken out of what you see');
    expect(JSON.stringify(ofType(events, 'input.queued'))).toContain(text.slice(0, 1000));
  });

  it('can be taken out by a person, and by nobody else', async () => {
    const { model, requests } = narrow(Number.POSITIVE_INFINITY);
    const host = fakeHost(model);
    const session = await host.create({ cwd: '/tmp' });
    const [message] = ofType(await collect(session.send('Secret words.')), 'message.added');
    const content = { message: `m${message?.seq}`, part: 0 };
    const robot = await host.client({ kind: 'agent', id: 'bot' }).open(session.id);
    await expect(robot.command('context.remove', content)).rejects.toMatchObject({ code: 'human_only' });
    await expect(session.command('context.remove', { message: 'm99' })).rejects.toMatchObject({ code: 'no_message' });
    await session.command('context.remove', content);
    await session.run('Go on.');
    expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain('Secret');
  });
});
