import { wireServer } from '@pawl/models/testing';
import {
  anthropic,
  createHost,
  fromAiSdk,
  type HostOptions,
  isPawlError,
  type Model,
  memoryLog,
  openaiChat,
  PawlError,
  type PawlEvent,
  pool,
} from 'pawl';
import { afterEach, describe, expect, it } from 'vitest';

type Script = Parameters<typeof wireServer>[0];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(script: Script) {
  const server = await wireServer(script);
  closing.push(() => server.close());
  return server;
}

const at = (baseUrl: string) => ({ model: 'm', apiKey: 'k', baseUrl, environment: {} });

/** One turn of a host with this model, as the README shows it. */
async function turn(model: Model, more: Partial<HostOptions> = {}) {
  const host = createHost({ log: memoryLog(), model, ...more });
  closing.unshift(() => host.close());
  const session = await host.create({ cwd: process.cwd() });
  const events: PawlEvent[] = [];
  for await (const event of session.send('Hi')) events.push(event);
  const end = events.find((event) => event.type === 'turn.ended');
  if (end?.type !== 'turn.ended') throw new Error('The turn did not end.');
  const answers = events.flatMap((event) =>
    event.type === 'message.added' && event.data.message.role === 'assistant' ? [event.data.message] : [],
  );
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.data.code] : []));
  return { outcome: end.data.outcome, message: end.data.message, answers, notices };
}

describe('M6: a model given to createHost', () => {
  const ok = { text: 'Here I am.' };
  const long = { text: ['a first part of it, ', 'and the rest'] };

  it.each<[string, Script]>([
    ['an overloaded provider (529)', [{ status: 529, error: { type: 'overloaded_error', message: 'Busy.' } }, ok]],
    ['a rate limit (429) for as long as it asks', [{ status: 429, headers: { 'retry-after': '1' } }, ok]],
    ['a reset before the answer', [{ ...ok, cut: { atByte: 0, how: 'break' } }, ok]],
    ['a reset in the middle of an answer', [{ ...long, cut: { atByte: 700, how: 'break' } }, ok]],
    ['a stream without its end', [{ ...long, cut: { atByte: 700, how: 'end' } }, ok]],
  ])('goes on after %s', async (_what, script) => {
    const server = await serve(script);
    const { outcome, answers, notices } = await turn(anthropic(at(server.url)));
    expect(outcome).toBe('completed');
    expect(server.requests).toHaveLength(2);
    expect(answers).toMatchObject([{ content: [{ text: 'Here I am.' }], attempts: [{ model: 'anthropic/m' }] }]);
    expect(notices).toEqual([expect.stringMatching(/^(model_retry|key_cooling)$/)]);
  });

  it('ends at once where trying again does not help', async () => {
    const server = await serve([{ status: 400, error: { type: 'invalid_request_error', message: 'Bad.' } }]);
    expect(await turn(anthropic(at(server.url)))).toMatchObject({ outcome: 'failed' });
    expect(server.requests).toHaveLength(1);
  });

  it('is called once with retry: false', async () => {
    const server = await serve([{ status: 529 }, ok]);
    expect(await turn(anthropic(at(server.url)), { retry: false })).toMatchObject({ outcome: 'failed' });
    expect(server.requests).toHaveLength(1);
  });

  it('that is a pool already keeps its own policy, and gives way to its next model', async () => {
    const down = await serve(() => ({ status: 529 }));
    const up = await serve([ok]);
    const policy = { rounds: 2, firstPauseMs: 1 };
    const both = pool([openaiChat({ ...at(down.url), id: 'a/m' }), openaiChat({ ...at(up.url), id: 'b/m' })], {
      policy,
    });
    expect(await turn(both)).toMatchObject({ outcome: 'completed', answers: [{ model: 'b/m' }] });
    const alone = await turn(pool([openaiChat({ ...at(down.url), id: 'c/m' })], { policy }));
    expect(alone.outcome).toBe('failed');
    expect(down.requests).toHaveLength(1 + policy.rounds);
  });

  it('may be one by name, of the AI SDK, or of one’s own', async () => {
    const server = await serve([{ status: 429, headers: { 'retry-after-ms': '1' } }, ok]);
    const other = anthropic({ ...at(server.url), id: 'other/m' });
    const first = anthropic({ ...at(server.url), id: 'first/m' });
    const host = createHost({ log: memoryLog(), model: first, models: () => other });
    closing.unshift(() => host.close());
    const session = await host.create({ cwd: process.cwd(), model: 'other/m' });
    expect(await session.run('Hi')).toMatchObject({ outcome: 'completed' });

    let calls = 0;
    const own: Model = {
      ...ownModel,
      async *stream() {
        calls += 1;
        if (calls === 1) throw new PawlError('overloaded', 'Busy.');
        yield { type: 'finished', message: whole };
      },
    };
    expect(await turn(own)).toMatchObject({ outcome: 'completed' });
    expect(calls).toBe(2);

    let asked = 0;
    const sdk = {
      specificationVersion: 'v3',
      provider: 'mock.chat',
      modelId: 'm',
      doStream: () => {
        asked += 1;
        if (asked === 1) return Promise.reject(Object.assign(new Error('Busy.'), { statusCode: 529 }));
        const parts = [
          { type: 'text-delta', id: '0', delta: 'ok' },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
        ];
        return Promise.resolve({ stream: ReadableStream.from(parts) });
      },
      doGenerate: () => Promise.reject(new Error('It only streams.')),
    };
    expect(await turn(fromAiSdk(sdk))).toMatchObject({ outcome: 'completed' });
    expect(asked).toBe(2);
  });

  it('that fails in a way of its own fails as it says', async () => {
    const own: Model = {
      ...ownModel,
      // biome-ignore lint/correctness/useYield: it fails before it says anything.
      async *stream() {
        throw new PawlError('my_code', 'My own words.');
      },
    };
    const { outcome, message } = await turn(own);
    expect({ outcome, message }).toEqual({ outcome: 'failed', message: 'My own words.' });
  });

  it('has the same name and limits as before', async () => {
    const host = createHost({ log: memoryLog(), model: ownModel });
    closing.unshift(() => host.close());
    const session = await host.create({ cwd: process.cwd() });
    expect(await session.view()).toMatchObject({ model: 'own/m' });
    await expect(host.create({ cwd: process.cwd(), model: 'no/such' })).rejects.toSatisfy((error) =>
      isPawlError(error, 'unknown_model'),
    );
  });
});

const whole = {
  content: [{ type: 'text' as const, text: 'ok' }],
  stopReason: 'end' as const,
  usage: {
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWriteHourTokens: 0,
    reasoningTokens: 0,
  },
  costUsd: 0,
};

const ownModel: Model = {
  id: 'own/m',
  info: { contextTokens: 1000, outputTokens: 100, isPriceKnown: true },
  async *stream() {
    yield { type: 'finished', message: whole };
  },
};
