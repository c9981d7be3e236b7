import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Gate } from '../src/pool/gate.ts';
import { createHealth } from '../src/pool/health.ts';
import { poolModel } from '../src/pool/pool.ts';
import { readRateLimits, usedUp } from '../src/pool/rate-limits.ts';
import { wireServer } from '../src/testing/index.ts';
import {
  answersBy,
  askedOf,
  handClock,
  leapingClock,
  provider,
  scriptedCandidate,
  settled,
  wireCandidate,
} from './pool-support.ts';
import { answerOf, call, request, thrownBy, user } from './support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const now = Date.parse('2030-01-01T00:00:00Z');
const ask = request([user('Hi')]);

describe('M9: the head of an answer', () => {
  it.each<[string, IncomingHttpHeaders, object | null]>([
    [
      'with RFC 3339 times',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2030-01-01T00:00:01Z',
        'anthropic-ratelimit-input-tokens-limit': '30000',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2030-01-01T00:01:00Z',
      },
      {
        at: now,
        isGradual: true,
        buckets: {
          requests: { limit: 50, remaining: 49, resetAt: now + 1000 },
          input_tokens: { limit: 30_000, remaining: 0, resetAt: now + 60_000 },
        },
      },
    ],
    [
      'with spans',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6m0.5s',
      },
      {
        at: now,
        isGradual: true,
        buckets: {
          requests: { limit: 60, remaining: 59, resetAt: now + 1000 },
          tokens: { limit: 150_000, remaining: 149_984, resetAt: now + 360_500 },
        },
      },
    ],
    [
      'with spans in ms and h, and without a limit',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1h0m12ms' },
      { at: now, isGradual: true, buckets: { requests: { limit: null, remaining: 0, resetAt: now + 3_600_012 } } },
    ],
    [
      'of the draft',
      { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '50' },
      { at: now, isGradual: false, buckets: { requests: { limit: 100, remaining: 0, resetAt: now + 50_000 } } },
    ],
    [
      'of the draft, newer, with the scarcest quota',
      { ratelimit: '"day";r=100;t=36000, "minute";r=3;t=30', 'ratelimit-policy': '"minute";q=10;w=60,"day";q=1000' },
      { at: now, isGradual: false, buckets: { requests: { limit: 10, remaining: 3, resetAt: now + 30_000 } } },
    ],
    [
      'with milliseconds since 1970',
      { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': String(now + 5000) },
      { at: now, isGradual: false, buckets: { requests: { limit: 20, remaining: 1, resetAt: now + 5000 } } },
    ],
    [
      'with seconds since 1970',
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': String(now / 1000 + 5) },
      { at: now, isGradual: false, buckets: { requests: { limit: null, remaining: 1, resetAt: now + 5000 } } },
    ],
    [
      'with a reset that cannot be read',
      { 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': 'soon' },
      { at: now, isGradual: true, buckets: { tokens: { limit: null, remaining: 5, resetAt: null } } },
    ],
    ['that counts nothing', { 'x-ratelimit-limit-tokens': '-1', 'x-ratelimit-remaining-tokens': '-1' }, null],
    ['with garbage', { 'x-ratelimit-remaining-tokens': 'many', ratelimit: ';;=,"x";r' }, null],
    ['that says nothing', {}, null],
  ])('%s is read', (_what, headers, snapshot) => {
    expect(readRateLimits(headers, now)).toEqual(snapshot);
  });

  it('tells what is used up until a known time, and nothing else', () => {
    const bucket = (remaining: number, resetAt: number | null, limit: number | null = 10) => ({
      limit,
      remaining,
      resetAt,
    });
    const snapshot = (buckets: object) => ({ at: now, isGradual: false, buckets });
    expect(usedUp(snapshot({ requests: bucket(0, now + 10), input_tokens: bucket(0, now + 20) }), now)).toEqual({
      until: now + 20,
      bucket: 'input tokens',
    });
    expect(usedUp(snapshot({ requests: bucket(1, now + 10) }), now)).toBeNull();
    expect(usedUp(snapshot({ requests: bucket(0, now) }), now)).toBeNull();
    expect(usedUp(snapshot({ requests: bucket(0, null) }), now)).toBeNull();
    expect(usedUp(snapshot({ requests: bucket(0, now + 10, 0) }), now)).toBeNull();
  });
});

describe('M9: a key that has used up what it may', () => {
  const windowHeaders = { 'ratelimit-limit': '10', 'ratelimit-remaining': '0', 'ratelimit-reset': '30' };
  const bucketHeaders = {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': new Date(now + 30_000).toISOString(),
  };

  async function poolWith(headers: { [name: string]: string }, keys: string[]) {
    const server = await wireServer(answersBy({ a: { text: 'ok', headers } }));
    closing.push(() => server.close());
    const clock = leapingClock(now);
    const health = createHealth({ clock });
    const from = provider('p', keys, { baseUrl: server.url });
    const pool = poolModel({ id: 'p/a', candidates: [wireCandidate('p/a', from)], health });
    return { pool, clock, health, asked: () => server.requests.map(askedOf) };
  }

  it.each([
    ['a window', windowHeaders],
    ['a bucket that fills bit by bit', bucketHeaders],
  ])('of %s is left alone ahead of time where there is another', async (_what, headers) => {
    const { pool, asked, health } = await poolWith(headers, ['k1', 'k2']);
    await call(pool, ask);
    await call(pool, request([user('Again.')]));
    expect(asked()).toEqual(['a/k1', 'a/k2']);
    expect(health.report().providers[0]?.keys[0]).toMatchObject({
      rests: [{ model: 'p/a', until: now + 30_000, why: 'no requests left' }],
      snapshots: [{ model: 'p/a', snapshot: { buckets: { requests: { remaining: 0 } } } }],
    });
  });

  it('of a window is waited for where there is no other, without a request that would fail', async () => {
    const { pool, clock, asked } = await poolWith(windowHeaders, ['k1']);
    await call(pool, ask);
    await call(pool, request([user('Again.')]));
    expect(clock.waits).toEqual([30_000]);
    expect(asked()).toHaveLength(2);
  });

  it('of a bucket that fills bit by bit is asked all the same where there is no other', async () => {
    const { pool, clock, asked } = await poolWith(bucketHeaders, ['k1']);
    await call(pool, ask);
    await call(pool, request([user('Again.')]));
    expect(clock.waits).toEqual([]);
    expect(asked()).toHaveLength(2);
  });

  it('is told by the head of an error as well', async () => {
    const server = await wireServer(answersBy({ 'a/k1': { status: 500, headers: windowHeaders } }));
    closing.push(() => server.close());
    const health = createHealth({ clock: leapingClock(now) });
    const from = provider('p', ['k1', 'k2'], { baseUrl: server.url });
    await call(poolModel({ id: 'p/a', candidates: [wireCandidate('p/a', from)], health }), ask);
    expect(health.report().providers[0]?.keys[0]).toMatchObject({ state: 'resting', until: now + 30_000 });
  });

  it('ends the call, and not the process, where whoever looks at the head throws', async () => {
    const server = await wireServer([{ text: 'ok' }]);
    closing.push(() => server.close());
    const from = provider('p', [], { baseUrl: server.url });
    const model = wireCandidate('p/a', from).open(null, () => {
      throw new TypeError('oh');
    });
    expect(await thrownBy(call(model, ask))).toMatchObject({ code: 'model_failed', message: 'oh' });
  });
});

describe('M9: a limit of requests a minute', () => {
  it('lets so many begin in any minute, the rest in their order', async () => {
    const clock = handClock();
    const asked: number[] = [];
    const from = provider('p', ['k1'], { requestsPerMinute: 2 });
    const candidate = scriptedCandidate(
      'p/a',
      from,
      () => ({}),
      () => asked.push(clock.now() - now),
    );
    const pool = poolModel({ id: 'p/a', candidates: [candidate], clock });
    const one = answerOf(pool, ask);
    await clock.advance(10_000);
    const others = [1, 2, 3, 4].map(() => answerOf(pool, ask));
    await settled();
    expect(asked).toEqual([0, 10_000]);
    await clock.advance(49_999);
    expect(asked).toHaveLength(2);
    await clock.advance(120_000);
    expect(asked).toEqual([0, 10_000, 60_000, 70_000, 120_000]);
    await Promise.all([one, ...others]);
    expect(clock.pending()).toEqual([]);
  });
});

describe('M9: a limit of requests at once', () => {
  it('lets the next begin when one has ended, well or not, and shows that it waits', async () => {
    const clock = handClock();
    const ends = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let begun = 0;
    const from = provider('p', ['k1'], { concurrency: 1 });
    const candidate = scriptedCandidate('p/a', from, () => ({}));
    const pool = poolModel({
      id: 'p/a',
      clock,
      candidates: [
        {
          ...candidate,
          open: (opened, see) => {
            const model = candidate.open(opened, see);
            return {
              ...model,
              async *stream(made, signal) {
                await ends[begun++]?.promise;
                yield* model.stream(made, signal);
              },
            };
          },
        },
      ],
    });
    const first = call(pool, ask);
    const second = thrownBy(call(pool, ask));
    const third = call(pool, ask);
    await settled();
    expect(begun).toBe(1);
    ends[0]?.resolve();
    await settled();
    expect(begun).toBe(2);
    ends[1]?.reject(new Error('broken'));
    await settled();
    expect(begun).toBe(3);
    ends[2]?.resolve();
    expect(await second).toMatchObject({ code: 'model_failed' });
    expect(await third).toContainEqual({
      type: 'activity',
      activity: 'cooling',
      detail: 'This call waits for its turn at p: 1 of 1 requests at once are under way.',
    });
    expect((await first).some((event) => event.type === 'activity')).toBe(false);
  });

  it('is left at once by a call that is cancelled, and by one whose reader leaves', async () => {
    const from = provider('p', ['k1'], { concurrency: 1 });
    const candidate = scriptedCandidate('p/a', from, () => ({ text: 'a' }));
    const health = createHealth({ clock: handClock() });
    const pool = poolModel({ id: 'p/a', candidates: [candidate], health });
    const state = () => health.report().providers[0];
    const holder = pool.stream(ask, new AbortController().signal)[Symbol.asyncIterator]();
    await holder.next();
    expect(state()).toMatchObject({ requestsUnderWay: 1 });
    const controller = new AbortController();
    const cancelled = thrownBy(call(pool, ask, controller.signal));
    const leaver = pool.stream(ask, new AbortController().signal)[Symbol.asyncIterator]();
    await leaver.next();
    const left = leaver.next();
    await settled();
    expect(state()).toMatchObject({ requestsUnderWay: 1, callsWaiting: 2 });
    controller.abort();
    await leaver.return?.();
    expect(await cancelled).toMatchObject({ code: 'cancelled' });
    expect(await left).toEqual({ done: true, value: undefined });
    expect(state()).toMatchObject({ requestsUnderWay: 1, callsWaiting: 0 });
    await holder.return?.();
    expect(state()).toMatchObject({ requestsUnderWay: 0, callsWaiting: 0 });
    const unread = pool.stream(ask, new AbortController().signal)[Symbol.asyncIterator]();
    for (let event = await unread.next(); event.value?.type !== 'finished'; ) event = await unread.next();
    expect(state()).toMatchObject({ requestsUnderWay: 0 });
  });

  it('lets the one behind go on when the first in the queue goes', async () => {
    const clock = handClock();
    const gate = new Gate(clock);
    gate.limits = { requestsPerMinute: 1 };
    expect(gate.tryEnter()).toBe(true);
    expect(gate.tryEnter()).toBe(false);
    const controller = new AbortController();
    const first = gate.enter(controller.signal);
    const second = gate.enter(new AbortController().signal);
    controller.abort();
    expect(await first).toBe(false);
    await clock.advance(60_000);
    expect(await second).toBe(true);
    expect(await gate.enter(controller.signal)).toBe(false);
    expect(clock.pending()).toEqual([]);
  });
});
