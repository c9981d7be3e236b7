import type { Json } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/index.ts';
import { collect, eventOf, fakeHost, fakeModel, fakeTool, finished, ofType } from './support.ts';

const outputSchema = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 1 } },
  required: ['count'],
  additionalProperties: false,
};

async function run(...answers: Parameters<typeof fakeModel>) {
  const model = fakeModel(...answers);
  const session = await fakeHost(model).create({ cwd: '/tmp' });
  return { model, ended: await session.run('Count.', { outputSchema }) };
}

describe('E16: a structured result', () => {
  it('is the last answer as data, held against the schema that every request of the turn carries', async () => {
    const { model, ended } = await run([{ tool: 'echo' }], '{"count": 3}');
    expect(ended).toMatchObject({ outcome: 'completed', result: { count: 3 }, text: '{"count": 3}' });
    expect(model.requests.map((request) => request.outputSchema)).toEqual([outputSchema, outputSchema]);
  });

  it('may stand in a fence of its own', async () => {
    expect((await run('```json\n{"count": 3}\n```')).ended.result).toEqual({ count: 3 });
  });

  it('is one text, also when the answer was cut and gone on with', async () => {
    const half = async function* () {
      const { message } = finished([{ type: 'text', text: '{"cou' }]) as { message: object };
      yield { type: 'finished', message: { ...message, stopReason: 'output_limit' } } as never;
    };
    expect((await run(half, 'nt": 3}')).ended.result).toEqual({ count: 3 });
  });

  it('is asked for once more, with what was wrong, and then the turn fails', async () => {
    const { model, ended } = await run('{"count": 0, "more": 1}', 'Three.', '{"count": 3}');
    const told = JSON.stringify(model.requests[1]?.messages.at(-1));
    expect(told).toContain('count');
    expect(told).toContain('no such');
    expect(ended).toMatchObject({ outcome: 'failed', message: expect.stringContaining('not JSON alone') });
    expect(model.requests).toHaveLength(2);
  });

  it('can come by a tool that ends the turn, and what does not satisfy the schema ends nothing', async () => {
    const done = fakeTool('done', async ({ result }) => ({
      content: 'The turn ends here.',
      endsTurn: 'Counted.',
      result: result as Json,
    }));
    const model = fakeModel(
      [{ tool: 'done', input: { result: { count: 'three' } } }],
      [{ tool: 'done', input: { result: { count: 3 } } }],
    );
    const session = await fakeHost(model, { tools: [done] }).create({ cwd: '/tmp' });
    const events = await collect(session.send('Count.', { outputSchema }));
    expect(ofType(events, 'tool.finished').map(({ data }) => data.status)).toEqual(['error', 'ok']);
    expect(ofType(events, 'tool.finished')[0]?.data.content).toContain('"count"');
    expect(ofType(events, 'turn.ended')[0]?.data).toMatchObject({ outcome: 'completed', result: { count: 3 } });
  });
});

describe('E16: the tool choice', () => {
  it('of a tool that there is not ends the turn with its name', async () => {
    const session = await fakeHost(fakeModel()).create({ cwd: '/tmp' });
    const ended = await session.run('Go.', { toolChoice: { tool: 'nope' } });
    expect(ended).toMatchObject({ outcome: 'failed', message: expect.stringContaining('"nope"') });
  });

  it('required is required until a call was made, so that the turn can end', async () => {
    const model = fakeModel([{ tool: 'echo' }], 'Done.');
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    expect((await session.run('Go.', { toolChoice: 'required' })).outcome).toBe('completed');
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', undefined]);
  });
});

describe('E16: the time of a request', () => {
  it('ends a model that hangs, which is asked again, and at last the turn', async () => {
    const timers: { at: number; call: () => void }[] = [];
    const clock: Clock = {
      now: () => 1000,
      at(at, call) {
        const timer = { at, call };
        timers.push(timer);
        return () => {
          timers.splice(timers.indexOf(timer), 1);
        };
      },
    };
    const hang = async function* () {
      yield { type: 'text' as const, text: 'Well' };
      await new Promise<never>(() => undefined);
    };
    const model = fakeModel(hang, hang, 'Now.');
    const session = await fakeHost(model, { clock }).create({ cwd: '/tmp' });
    const ended = session.run('Go.', { requestTimeoutMs: 5000 });
    for (const tries of [1, 2]) {
      for await (const event of session.events({ seq: 0 })) {
        if (event.type === 'stream.text' && model.requests.length === tries) break;
      }
      expect(timers.map(({ at }) => at)).toEqual([6000]);
      timers[0]?.call();
    }
    expect(await ended).toMatchObject({ outcome: 'completed', text: 'Now.' });
    expect(timers).toEqual([]);
    expect((await eventOf(session, 'model.failed')).data).toMatchObject({
      error: { code: 'request_timeout', message: expect.stringContaining('5000 ms') },
      willRetry: true,
    });
  });

  it('is left to a model that keeps to it by itself', async () => {
    const model = { ...fakeModel('Now.'), limitsRequests: true };
    const never: Clock = {
      now: () => 1000,
      at: () => {
        throw new Error('Nobody sets a clock.');
      },
    };
    const session = await fakeHost(model, { clock: never }).create({ cwd: '/tmp' });
    expect((await session.run('Go.', { requestTimeoutMs: 5000 })).outcome).toBe('completed');
    expect(model.requests[0]?.timeoutMs).toBe(5000);
  });
});
