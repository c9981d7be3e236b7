import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Model, ModelEvent } from '@pawl/engine';
import type { Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { failureDetails, isTransientFailure } from '../src/errors.ts';
import { createHealth } from '../src/pool/health.ts';
import { type PoolOptions, poolModel } from '../src/pool/pool.ts';
import type { Candidate } from '../src/pool/types.ts';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { anthropicStream } from '../src/testing/wire-anthropic.ts';
import {
  answersBy,
  askedOf,
  codesOf,
  info,
  key,
  type LeapingClock,
  leapingClock,
  message,
  noticesOf,
  provider,
  scriptedCandidate,
  wireCandidate,
} from './pool-support.ts';
import { answerOf, assistant, call, request, results, thrownBy, user } from './support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Faults = Parameters<typeof answersBy>[0];

/** A pool of models at one server, each with the same keys. */
async function poolAt(
  faults: Faults,
  { models = ['a'], keys = ['k1'], ...more }: { models?: string[]; keys?: string[] } & Partial<PoolOptions> = {},
): Promise<{ pool: Model; server: WireServer; clock: LeapingClock; asked: () => string[] }> {
  const server = await wireServer(answersBy(faults));
  closing.push(() => server.close());
  const clock = leapingClock();
  const from = provider('p', keys, { baseUrl: server.url });
  const candidates = models.map((name) => wireCandidate(`p/${name}`, from));
  const pool = poolModel({ id: 'best', candidates, clock, random: () => 0.5, ...more });
  return { pool, server, clock, asked: () => server.requests.map(askedOf) };
}

const ask = request([user('Hi')]);
const textOf = ({ content }: Awaited<ReturnType<typeof answerOf>>) =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');

async function failing(model: Model): Promise<{ error: unknown; events: ModelEvent[] }> {
  const events: ModelEvent[] = [];
  const error = await thrownBy(
    (async () => {
      for await (const event of model.stream(ask, new AbortController().signal)) events.push(event);
    })(),
  );
  return { error, events };
}

describe('M6: a failure that may pass', () => {
  const whole = anthropicStream({ text: ['one ', 'two ', 'three'] }, 'm');
  const atByte = whole.indexOf('three') - 40;

  it.each<[string, WireAnswer, string, number]>([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '7' } }, 'rate_limited', 7000],
    ['429 without', { status: 429 }, 'rate_limited', 1000],
    ['529', { status: 529, error: { type: 'overloaded_error', message: 'busy' } }, 'overloaded', 1000],
    ['503 with Retry-After', { status: 503, headers: { 'retry-after': '3' } }, 'overloaded', 3000],
    ['408', { status: 408 }, 'server_error', 1000],
    ['409', { status: 409 }, 'server_error', 1000],
    ['425', { status: 425 }, 'server_error', 1000],
    ['500', { status: 500 }, 'server_error', 1000],
    ['a connection that breaks in mid-stream', { body: whole, cut: { atByte, how: 'break' } }, 'connection_lost', 1000],
    ['a stream without its end', { body: whole, cut: { atByte, how: 'end' } }, 'stream_cut', 1000],
  ])('(%s) is tried again, and the record says so', async (_what, fault, code, waitMs) => {
    const { pool, clock, server } = await poolAt({ a: [fault, { text: 'Here.' }] });
    const events = await call(pool, ask);
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: 'finished',
      message: {
        model: 'p/a',
        content: [{ type: 'text', text: 'Here.' }],
        attempts: [{ model: 'p/a', key: 'k1 (sk-…abcd)', error: { code }, waitedMs: waitMs }],
      },
    });
    expect(clock.waits).toEqual([waitMs]);
    expect(noticesOf(events)).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.raw).toBe(server.requests[0]?.raw);
  });

  it('withdraws what was streamed before it begins anew, and keeps nothing of it (scenario 21)', async () => {
    const { pool } = await poolAt({ a: [{ body: whole, cut: { atByte, how: 'break' } }, { text: 'Anew.' }] });
    const events = await call(pool, ask);
    const seen = events.filter(({ type }) => ['text', 'rollback', 'notice', 'finished'].includes(type));
    expect(seen.map(({ type }) => type)).toEqual(['text', 'text', 'notice', 'rollback', 'text', 'finished']);
    expect(noticesOf(events)).toEqual(['p/a failed: the connection broke; trying again in 1 s (round 2).']);
    expect(textOf(await answerOf(pool, ask))).toBe('Anew.');
  });

  it('keeps what was streamed where there is no further try', async () => {
    const { pool } = await poolAt({ a: { body: whole, cut: { atByte, how: 'break' } } }, { policy: { rounds: 2 } });
    const { error, events } = await failing(pool);
    expect(error).toMatchObject({ code: 'connection_lost' });
    expect(events.findLastIndex(({ type }) => type === 'rollback')).toBeLessThan(
      events.findLastIndex(({ type }) => type === 'text'),
    );
  });

  it('such as ten silent minutes is found by the limits of the wire, and another model asked', async () => {
    const forever = new Promise(() => {});
    const server = await wireServer(answersBy({ a: { after: forever } }));
    closing.push(() => server.close());
    const from = provider('p', ['k1'], { baseUrl: server.url });
    const pool = poolModel({
      id: 'best',
      candidates: [wireCandidate('p/a', from, { timeouts: { firstByteMs: 30 } }), wireCandidate('p/b', from)],
      clock: leapingClock(),
    });
    const events = await call(pool, ask);
    expect(noticesOf(events)).toEqual(['p/a failed: no answer in time; going on with p/b.']);
  });

  it('is none where a proxy held everything back and then let it go at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { pool } = await poolAt({ a: { text: ['a', 'b', 'c'], pause: { atByte: 0, until: promise } } });
    setImmediate(resolve);
    const events = await call(pool, ask);
    expect(noticesOf(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ message: { content: [{ text: 'abc' }] } });
  });

  it('that stays ends after 5 rounds, which wait 1, 2, 4 and 8 s', async () => {
    const { pool, clock, server } = await poolAt({ a: { status: 500 } });
    const { error, events } = await failing(pool);
    expect(clock.waits).toEqual([1000, 2000, 4000, 8000]);
    expect(server.requests).toHaveLength(5);
    expect(isTransientFailure(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'server_error',
      message: expect.stringContaining('5 requests in 5 rounds') as string,
    });
    expect(failureDetails(error).attempts?.map(({ waitedMs }) => waitedMs)).toEqual([1000, 2000, 4000, 8000, 0]);
    expect(noticesOf(events)).toHaveLength(4);
  });

  it('waits at most 30 s between rounds, 20 % more or less by chance', async () => {
    const policy = { rounds: 8, breakerFailures: 100 };
    const short = await poolAt({ a: { status: 500 } }, { random: () => 0, policy });
    await failing(short.pool);
    expect(short.clock.waits).toEqual([800, 1600, 3200, 6400, 12_800, 24_000, 24_000]);
    const long = await poolAt({ a: { status: 500 } }, { random: () => 1, policy });
    await failing(long.pool);
    expect(long.clock.waits).toEqual([1200, 2400, 4800, 9600, 19_200, 36_000, 36_000]);
  });

  it('is tried with each model and key once a round', async () => {
    const { pool, clock, asked } = await poolAt(
      { a: { status: 500 }, b: { status: 529 } },
      { models: ['a', 'b'], keys: ['k1', 'k2'] },
    );
    const { error } = await failing(pool);
    const round = ['a/k1', 'a/k2', 'b/k1', 'b/k2'];
    expect(asked()).toEqual([...round, ...round, ...round, ...round, ...round]);
    expect(clock.waits).toEqual([1000, 2000, 4000, 8000]);
    expect(failureDetails(error).attempts).toHaveLength(20);
  });
});

describe('M6: a key that was told to rest', () => {
  it('is left alone while another works, for as long as it was told', async () => {
    const { pool, clock, asked } = await poolAt(
      {
        'a/k1': { status: 429, headers: { 'retry-after': '60' } },
        'a/k2': [{ text: 'ok' }, { status: 500 }, { status: 500 }],
      },
      { keys: ['k1', 'k2'] },
    );
    const events = await call(pool, ask);
    expect(noticesOf(events)).toEqual([
      'p key k1 (sk-…abcd) rests for 1 min: rate limited (HTTP 429); going on with key k2 (sk-…abcd).',
    ]);
    expect(codesOf(events)).toEqual(['key_cooling']);
    await failing(pool);
    const untilRest = asked().slice(0, -3);
    expect(untilRest.filter((name) => name === 'a/k1').length).toBeLessThanOrEqual(2);
    expect(clock.waits[0]).toBe(1000);
  });

  it('is waited for when all rest, the first of them, and this is shown', async () => {
    const { pool, clock, asked } = await poolAt(
      {
        'a/k1': [{ status: 429, headers: { 'retry-after': '90' } }, { text: 'ok' }],
        'a/k2': [{ status: 429, headers: { 'retry-after': '30' } }, { text: 'ok' }],
      },
      { keys: ['k1', 'k2'] },
    );
    const events = await call(pool, ask);
    expect(clock.waits).toEqual([30_000]);
    expect(asked()).toEqual(['a/k1', 'a/k2', 'a/k2']);
    expect(events).toContainEqual({
      type: 'activity',
      activity: 'cooling',
      detail: 'Waiting 30 s for p/a with key k2 (sk-…abcd).',
    });
  });

  it('for more than 10 minutes ends the call at once with a code that says: later', async () => {
    const { pool, clock, server } = await poolAt({ a: { status: 429, headers: { 'retry-after': '601' } } });
    const { error } = await failing(pool);
    expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('in 10 min 1 s') as string });
    expect(failureDetails(error)).toMatchObject({
      retryAfterMs: 601_000,
      attempts: [{ error: { code: 'rate_limited' } }],
    });
    expect((await failing(pool)).error).toMatchObject({ code: 'rate_limited' });
    expect(clock.waits).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('rests a day at most, whatever was said', async () => {
    const { pool, clock, server } = await poolAt({
      a: [{ status: 429, headers: { 'retry-after': '9999999' } }, { text: 'ok' }],
    });
    await failing(pool);
    clock.move(86_400_000 - 1000);
    await call(pool, ask);
    expect(clock.waits).toEqual([1000]);
    expect(server.requests).toHaveLength(2);
  });

  it('is asked for another model before anybody waits, since limits are counted by model', async () => {
    const { pool, clock, asked } = await poolAt(
      { 'a/k1': { status: 429, headers: { 'retry-after': '30' } } },
      { models: ['a', 'b'] },
    );
    expect(await answerOf(pool, ask)).toMatchObject({ model: 'p/b' });
    expect(asked()).toEqual(['a/k1', 'b/k1']);
    expect(clock.waits).toEqual([]);
  });

  it('comes after one that was not told to rest for any model', async () => {
    const { pool, asked } = await poolAt(
      { 'a/k1': { status: 429, headers: { 'retry-after': '30' } }, 'a/k2': { status: 500 } },
      { models: ['a', 'b'], keys: ['k1', 'k2'] },
    );
    await call(pool, ask);
    expect(asked()).toEqual(['a/k1', 'a/k2', 'b/k2']);
  });
});

describe('M6: a failure that will not pass', () => {
  it.each([401, 403])('(%i) retires the key for the process, and the other goes on', async (status) => {
    const health = createHealth({ clock: leapingClock() });
    const { pool, asked } = await poolAt({ 'a/k1': { status } }, { keys: ['k1', 'k2'], health });
    const events = await call(pool, ask);
    expect(noticesOf(events)).toEqual([
      `p key k1 (sk-…abcd) is no longer used: refused (HTTP ${status}); going on with key k2 (sk-…abcd).`,
    ]);
    await call(pool, ask);
    expect(asked()).toEqual(['a/k1', 'a/k2', 'a/k2']);
    expect(health.report().providers[0]?.keys).toMatchObject([{ state: 'retired' }, { state: 'ready' }]);
  });

  it('of the only key ends the call, and the next one without a request', async () => {
    const { pool, server } = await poolAt({ a: { status: 401 } });
    expect((await failing(pool)).error).toMatchObject({ code: 'unauthorized' });
    expect((await failing(pool)).error).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('not asked again in this process') as string,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('(404) retires the model, with all keys', async () => {
    const { pool, asked } = await poolAt({ a: { status: 404 } }, { models: ['a', 'b'], keys: ['k1', 'k2'] });
    const events = await call(pool, ask);
    expect(codesOf(events)).toEqual(['model_retired', 'model_switched']);
    await call(pool, ask);
    expect(asked()).toEqual(['a/k1', 'b/k1', 'b/k1']);
  });

  it('(403 for one model only) retires that model, not the key', async () => {
    const { pool, asked } = await poolAt(
      { a: { status: 403, error: { type: 'model_not_found', message: 'no access' } } },
      { models: ['a', 'b'] },
    );
    expect(await answerOf(pool, ask)).toMatchObject({ model: 'p/b' });
    expect(asked()).toEqual(['a/k1', 'b/k1']);
  });

  it.each([400, 422])('(%i) ends at once', async (status) => {
    const { pool, server, clock } = await poolAt({ a: { status } }, { models: ['a', 'b'], keys: ['k1', 'k2'] });
    const { error, events } = await failing(pool);
    expect(error).toMatchObject({ code: 'bad_request' });
    expect(failureDetails(error)).toMatchObject({ status, attempts: [{ model: 'p/a' }] });
    expect(noticesOf(events)).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(clock.waits).toEqual([]);
  });

  const tooLong: WireAnswer = {
    status: 400,
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  };

  it('for its length goes to the next model (scenario 17)', async () => {
    const { pool, asked } = await poolAt({ a: tooLong }, { models: ['a', 'b'], keys: ['k1', 'k2'] });
    const events = await call(pool, ask);
    expect(asked()).toEqual(['a/k1', 'b/k1']);
    expect(noticesOf(events)).toEqual([
      'p/a failed: the conversation is too long for it (HTTP 400); going on with p/b.',
    ]);
  });

  it('for its bytes goes to the next model, which may take more, and is said where none does', async () => {
    const tooLarge: WireAnswer = { status: 413, error: { type: 'request_too_large', message: 'Request too large' } };
    const one = await poolAt({ a: tooLarge }, { models: ['a', 'b'], keys: ['k1', 'k2'] });
    const events = await call(one.pool, ask);
    expect(one.asked()).toEqual(['a/k1', 'b/k1']);
    expect(noticesOf(events)).toEqual([
      'p/a failed: the request has too many bytes for it (HTTP 413); going on with p/b.',
    ]);
    const both = await poolAt({ a: tooLarge, b: tooLarge }, { models: ['a', 'b'] });
    expect((await failing(both.pool)).error).toMatchObject({ code: 'request_too_large' });
    expect(both.asked()).toEqual(['a/k1', 'b/k1']);
  });

  it('for its length by all says what can be done today (E12)', async () => {
    const { pool } = await poolAt({ a: tooLong, b: tooLong }, { models: ['a', 'b'] });
    const { message: sentence } = (await failing(pool)).error as Error;
    expect(sentence).toContain('choose a model with a larger window');
    expect(sentence).toContain('fork the session before one of its messages');
    expect(sentence).not.toMatch(/compact/i);
  });

  it('for its length by all, or by all that are not down, is context_overflow', async () => {
    const all = await poolAt({ a: tooLong, b: tooLong }, { models: ['a', 'b'], keys: ['k1', 'k2'] });
    expect((await failing(all.pool)).error).toMatchObject({ code: 'context_overflow' });
    expect(all.asked()).toEqual(['a/k1', 'b/k1']);
    const some = await poolAt({ a: tooLong, b: { status: 500 } }, { models: ['a', 'b'] });
    expect((await failing(some.pool)).error).toMatchObject({ code: 'context_overflow' });
    expect(some.asked()).toEqual(['a/k1', 'b/k1', 'b/k1', 'b/k1', 'b/k1', 'b/k1']);
  });

  const noCredit: WireAnswer = { status: 402, error: { type: 'billing_error', message: 'pay' } };

  it('for want of credit asks another key, and that one last from then on', async () => {
    const { pool, asked, clock } = await poolAt(
      { 'a/k1': noCredit, 'b/k1': noCredit, 'a/k2': [{ text: 'ok' }, { status: 500 }] },
      { models: ['a', 'b'], keys: ['k1', 'k2'], policy: { rounds: 1 } },
    );
    await call(pool, ask);
    expect(asked()).toEqual(['a/k1', 'a/k2']);
    await call(pool, ask);
    expect(asked().slice(2)).toEqual(['a/k2', 'b/k2']);
    expect(clock.waits).toEqual([]);
  });

  it('for want of credit with no other key ends at once, and the next call asks again', async () => {
    const { pool, server, clock } = await poolAt({ a: [noCredit, { text: 'paid' }] });
    expect((await failing(pool)).error).toMatchObject({ code: 'quota_exceeded' });
    expect(textOf(await answerOf(pool, ask))).toBe('paid');
    expect(server.requests).toHaveLength(2);
    expect(clock.waits).toEqual([]);
  });

  it('thrown by a wire that has no key goes to the next model', async () => {
    const pool = poolModel({
      id: 'best',
      candidates: [
        scriptedCandidate('p/a', provider('p', []), () => ({ code: 'no_key', isThrown: true })),
        scriptedCandidate('q/b', provider('q', []), () => ({})),
      ],
      clock: leapingClock(),
    });
    expect(await answerOf(pool, ask)).toMatchObject({ model: 'q/b', attempts: [{ error: { code: 'no_key' } }] });
  });

  it('that nobody foresaw ends as model_failed', async () => {
    const candidate: Candidate = {
      ...scriptedCandidate('p/a', provider('p', []), () => ({})),
      open: () => {
        throw new TypeError('oh');
      },
    };
    const pool = poolModel({ id: 'best', candidates: [candidate], clock: leapingClock() });
    expect((await failing(pool)).error).toMatchObject({ code: 'model_failed', message: 'oh' });
  });
});

describe('M6: a cancel', () => {
  it.each([
    ['between two rounds', { status: 500 }],
    ['while all keys rest', { status: 429, headers: { 'retry-after': '60' } }],
  ])('%s ends the wait at once', async (_when, fault) => {
    const never = { now: () => 0, at: () => () => undefined };
    const { pool, server } = await poolAt({ a: fault }, { clock: never });
    const controller = new AbortController();
    const error = await thrownBy(
      (async () => {
        for await (const event of pool.stream(ask, controller.signal)) {
          if (event.type === 'activity' && ['retrying', 'cooling'].includes(event.activity)) {
            setImmediate(() => controller.abort(new Error('enough')));
          }
        }
      })(),
    );
    expect(error).toMatchObject({ code: 'cancelled', cause: { message: 'enough' } });
    expect(server.requests).toHaveLength(1);
  });

  it('by a reader that leaves while it waits for the next event ends that wait', async () => {
    const forever = new Promise(() => {});
    const { pool, server } = await poolAt({ a: { after: forever } }, { models: ['a', 'b'] });
    const stream = pool.stream(ask, new AbortController().signal)[Symbol.asyncIterator]();
    for (let event = await stream.next(); event.value?.activity !== 'waiting_headers'; ) event = await stream.next();
    const waiting = stream.next();
    await stream.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  it('in mid-answer ends it at once, and nothing else is tried', async () => {
    const forever = new Promise(() => {});
    const { pool, server } = await poolAt(
      { a: { text: ['a', 'b'], pause: { atByte: 700, until: forever } } },
      { models: ['a', 'b'] },
    );
    const controller = new AbortController();
    const error = await thrownBy(
      (async () => {
        for await (const event of pool.stream(ask, controller.signal)) {
          if (event.type === 'activity' && event.activity === 'waiting_first_token') controller.abort();
        }
      })(),
    );
    expect(error).toMatchObject({ code: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });

  it('before the call makes no request', async () => {
    const { pool, server } = await poolAt({});
    expect(await thrownBy(call(pool, ask, AbortSignal.abort()))).toMatchObject({ code: 'cancelled' });
    expect(server.requests).toHaveLength(0);
  });

  it('leaves no timer and no listener behind, nor does a reader that leaves during a wait', async () => {
    const at = new Set<object>();
    const clock = {
      now: () => 0,
      at() {
        const timer = {};
        at.add(timer);
        return () => at.delete(timer);
      },
    };
    const { pool } = await poolAt({ a: { status: 500 } }, { clock });
    const stream = pool.stream(ask, new AbortController().signal)[Symbol.asyncIterator]();
    for (let event = await stream.next(); event.value?.type !== 'activity' || event.value.activity !== 'retrying'; ) {
      event = await stream.next();
    }
    const waiting = stream.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(at.size).toBe(1);
    await stream.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(at.size).toBe(0);
  });
});

describe('M6: a wait', () => {
  const moduleUrl = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

  it('keeps the process alive', async () => {
    const program = `
      import { poolModel } from ${moduleUrl('../src/pool/pool.ts')};
      import { provider, scriptedCandidate } from ${moduleUrl('./pool-support.ts')};
      import { call, request, user } from ${moduleUrl('./support.ts')};
      const deeds = [{ code: 'server_error' }, {}];
      const candidates = [scriptedCandidate('p/a', provider('p', ['k1']), () => deeds.shift())];
      const pool = poolModel({ id: 'p/a', candidates, policy: { firstPauseMs: 20 } });
      console.log((await call(pool, request([user('Hi')]))).at(-1).type);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('finished\n');
  }, 30_000);

  it('at the gate of a provider keeps the process alive (M9)', async () => {
    const program = `
      import { Gate } from ${moduleUrl('../src/pool/gate.ts')};
      import { systemClock } from ${moduleUrl('../../engine/src/index.ts')};
      // The minute is over in a moment.
      const begun = Date.now();
      const gate = new Gate({
        now: () => begun + (Date.now() - begun) * 1000,
        at: (_at, call) => systemClock.at(Date.now() + 70, call),
      });
      gate.limits = { requestsPerMinute: 1 };
      gate.tryEnter();
      console.log(await gate.enter(new AbortController().signal));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('true\n');
  }, 30_000);

  it('for a store that hangs ends with the call', async () => {
    const forever = new Promise<never>(() => {});
    const health = createHealth({ store: { load: () => forever, save: () => forever } });
    const { pool } = await poolAt({}, { health });
    const controller = new AbortController();
    const error = thrownBy(call(pool, ask, controller.signal));
    controller.abort();
    expect(await error).toMatchObject({ code: 'cancelled' });
  });
});

describe('M7: a pool', () => {
  it('of two keys and three models goes on where one key is limited and one model down, with one line each', async () => {
    const { pool } = await poolAt(
      {
        'a/k1': { status: 429, headers: { 'retry-after': '60' } },
        'a/k2': { status: 529, error: { type: 'overloaded_error', message: 'busy' } },
      },
      { models: ['a', 'b', 'c'], keys: ['k1', 'k2'] },
    );
    const events = await call(pool, ask);
    expect(noticesOf(events)).toEqual([
      'p key k1 (sk-…abcd) rests for 1 min: rate limited (HTTP 429); going on with key k2 (sk-…abcd).',
      'p/a failed: overloaded (HTTP 529); going on with p/b.',
    ]);
    expect(events.at(-1)).toMatchObject({
      message: { model: 'p/b', content: [{ text: 'b/k2 answers.' }], attempts: [{}, {}] },
    });
  });

  it('sends the whole request to the fallback, with what was queued before the call (scenario 16)', async () => {
    const { pool, server } = await poolAt({ a: { status: 500 } }, { models: ['a', 'b'] });
    await call(pool, request([user('First.'), assistant([{ type: 'text', text: 'Yes?' }]), user('Queued meanwhile.')]));
    const [first, second] = server.requests;
    expect(second?.model).toBe('b');
    expect(second?.messages).toEqual(first?.messages);
    expect(second?.messages.at(-1)?.text).toBe('Queued meanwhile.');
  });

  const inTurn: Message[] = [
    user('Do it.'),
    assistant([{ type: 'tool_call', id: 'c1', tool: 'read', input: {} }]),
    results({ call: 'c1', tool: 'read', content: 'text' }),
  ];

  it('stays with the model and key that answered while the turn lasts, and begins the next at its head', async () => {
    const { pool, asked } = await poolAt(
      { 'a/k1': [{ status: 500 }, { text: 'ok' }], 'a/k2': [{ status: 500 }, { text: 'ok' }] },
      { models: ['a', 'b'], keys: ['k1', 'k2'] },
    );
    await call(pool, request(inTurn.slice(0, 1)));
    await call(pool, request(inTurn));
    expect(asked()).toEqual(['a/k1', 'a/k2', 'b/k1', 'b/k1']);
    const events = await call(pool, request([...inTurn, user('And now?')]));
    expect(asked().at(-1)).toBe('a/k1');
    expect(noticesOf(events)).toEqual(['Back from p/b to p/a.']);
  });

  it('goes back to its head when the cache has grown cold, and for another conversation', async () => {
    const { pool, asked, clock } = await poolAt({ a: [{ status: 500 }, { text: 'ok' }] }, { models: ['a', 'b'] });
    await call(pool, request(inTurn));
    expect(await answerOf(pool, request([user('Other.'), ...inTurn]))).toMatchObject({ model: 'p/a' });
    clock.move(301_000);
    await call(pool, request(inTurn));
    expect(asked()).toEqual(['a/k1', 'b/k1', 'a/k1', 'a/k1']);
  });

  it('says so when it begins with something else than its head', async () => {
    const { pool } = await poolAt({ a: { status: 429, headers: { 'retry-after': '60' } } }, { models: ['a', 'b'] });
    await call(pool, ask);
    const events = await call(pool, request([user('Another.')]));
    expect(noticesOf(events)).toEqual([
      'p key k1 (sk-…abcd) rests for 1 min: rate limited (HTTP 429); going on with p/b.',
    ]);
  });

  it('asks no model for a longer answer than it can give', async () => {
    const { pool, server } = await poolAt({});
    await call(pool, request([user('Hi')], { maxOutputTokens: 64_000 }));
    await call(pool, request([user('Hi')], { maxOutputTokens: 100 }));
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([8000, 100]);
  });

  it('of one model hands on its events and its answer as they are', async () => {
    const events: ModelEvent[] = [
      { type: 'text', text: 'ok' },
      { type: 'finished', message },
    ];
    const candidate: Candidate = {
      ...scriptedCandidate('p/a', provider('p', ['k1']), () => ({})),
      open: () => ({
        id: 'p/a',
        info,
        async *stream() {
          yield* events;
        },
      }),
    };
    const got = await call(poolModel({ id: 'p/a', candidates: [candidate] }), ask);
    expect(got[0]).toBe(events[0]);
    expect(got[1]).toMatchObject({ type: 'finished' });
    expect(got[1]?.type === 'finished' && got[1].message).toBe(message);
  });

  it('has the window of its head, and a price only if all have one', () => {
    const from = provider('p', ['k1']);
    const cheap = { ...scriptedCandidate('p/a', from, () => ({})), info: { ...info, leastInputUsdPerMillion: 2 } };
    const dear = { ...cheap, id: 'p/b', info: { ...info, contextTokens: 1000, leastInputUsdPerMillion: 9 } };
    const unknown = { ...cheap, id: 'p/c', info: { ...info, isPriceKnown: false } };
    const infoOf = (...candidates: Candidate[]) => poolModel({ id: 'x', candidates }).info;
    expect(infoOf(cheap, dear)).toEqual({ ...info, leastInputUsdPerMillion: 2 });
    expect(infoOf(cheap, dear, { ...unknown, info: { ...info, isPriceKnown: false } })).toEqual({
      ...info,
      isPriceKnown: false,
    });
    expect(infoOf(dear)).toMatchObject({ contextTokens: 1000 });
  });

  it('of nothing is refused', () => {
    expect(() => poolModel({ id: 'none', candidates: [] })).toThrow(expect.objectContaining({ code: 'bad_config' }));
  });

  it('opens a model once for each key, so that a wire keeps what it has serialised', async () => {
    let opened = 0;
    const candidate = scriptedCandidate('p/a', provider('p', ['k1']), () => ({}));
    const pool = poolModel({
      id: 'p/a',
      candidates: [
        {
          ...candidate,
          open(given, see) {
            opened++;
            return candidate.open(given, see);
          },
        },
      ],
    });
    for (let n = 0; n < 3; n++) await call(pool, ask);
    expect(opened).toBe(1);
  });

  it('never tells a key whole', async () => {
    const secret = key('k1').secret;
    const { pool } = await poolAt({
      a: { status: 401, error: { type: 'authentication_error', message: `no ${secret}` } },
    });
    const { error, events } = await failing(pool);
    expect(JSON.stringify([events, failureDetails(error), String(error)])).not.toContain(secret);
  });
});
