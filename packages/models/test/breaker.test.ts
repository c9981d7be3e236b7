import { describe, expect, it } from 'vitest';
import { breakerAnswered, breakerBegins, breakerFailed, breakerState, closedBreaker } from '../src/pool/breaker.ts';
import { createHealth } from '../src/pool/health.ts';
import { defaultPolicy } from '../src/pool/policy.ts';
import { poolModel } from '../src/pool/pool.ts';
import { handClock, leapingClock, noticesOf, provider, scriptedCandidate, settled } from './pool-support.ts';
import { answerOf, call, request, thrownBy, user } from './support.ts';

const ask = request([user('Hi')]);
const down = { code: 'connection_failed' };

describe('M9: a circuit breaker', () => {
  it('opens after five failed rounds, lets one probe through after a wait, and closes when it is answered', () => {
    const breaker = closedBreaker();
    for (let round = 0; round < 4; round++) breakerFailed(breaker, 0, defaultPolicy);
    expect(breakerState(breaker, 0)).toBe('closed');
    breakerFailed(breaker, 0, defaultPolicy);
    expect(breakerState(breaker, 9999)).toBe('open');
    expect(breakerState(breaker, 10_000)).toBe('half_open');
    breakerBegins(breaker, 10_000);
    expect(breakerState(breaker, 10_000)).toBe('open');
    expect(breakerAnswered(breaker)).toBe(true);
    expect(breakerState(breaker, 10_000)).toBe('closed');
    expect(breakerAnswered(breaker)).toBe(false);
  });

  it('waits twice as long after each probe that fails, and 2 minutes at most', () => {
    const breaker = closedBreaker();
    for (let round = 0; round < 5; round++) breakerFailed(breaker, 0, defaultPolicy);
    const waits: number[] = [];
    for (let probe = 0; probe < 6; probe++) {
      waits.push(breaker.waitMs);
      breakerFailed(breaker, 0, defaultPolicy);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
  });

  it('does not count an answer that is a refusal, nor a request that was cancelled', async () => {
    const clock = leapingClock();
    const health = createHealth({ clock });
    const codes = ['server_error', 'server_error', 'server_error', 'server_error', 'rate_limited', 'server_error'];
    const from = provider('p', []);
    const candidate = scriptedCandidate('p/a', from, () => ({ code: codes.shift() ?? 'cancelled' }));
    const pool = poolModel({ id: 'p/a', candidates: [candidate], health, policy: { rounds: 1 } });
    for (let n = 0; n < 6; n++) await thrownBy(call(pool, ask));
    expect(health.report().providers[0]).toMatchObject({ state: 'closed' });
    await thrownBy(call(pool, ask));
    expect(health.report().providers[0]).toMatchObject({ state: 'closed' });
  });

  it('is left as it is by calls for a compaction, and so is the health of keys', async () => {
    const health = createHealth({ clock: leapingClock() });
    const failures = [down, { code: 'rate_limited' }, { code: 'bad_key' }];
    const candidate = scriptedCandidate('p/a', provider('p', ['k1']), () => failures.shift() ?? down);
    const pool = poolModel({ id: 'p/a', candidates: [candidate], health, policy: { rounds: 1 } });
    for (let n = 0; n < 8; n++) await thrownBy(call(pool, { ...ask, purpose: 'compaction' }));
    expect(health.report().providers[0]).toMatchObject({ state: 'closed', keys: [{ state: 'ready' }] });
  });

  it('counts a round once, however many keys and models were tried', async () => {
    const health = createHealth({ clock: leapingClock() });
    const from = provider('p', ['k1', 'k2', 'k3']);
    const candidates = ['p/a', 'p/b'].map((id) => scriptedCandidate(id, from, () => down));
    const pool = poolModel({ id: 'best', candidates, health, policy: { rounds: 4 } });
    await thrownBy(call(pool, ask));
    expect(health.report().providers[0]).toMatchObject({ state: 'closed' });
    await thrownBy(call(poolModel({ id: 'best', candidates, health, policy: { rounds: 1 } }), ask));
    expect(health.report().providers[0]).toMatchObject({
      state: 'open',
      why: 'failed 5 times in a row, asked again in 10 s',
    });
  });

  it('spares a provider that is down where there is another, and comes back to it', async () => {
    const clock = leapingClock();
    const health = createHealth({ clock });
    const asked: string[] = [];
    let isDown = true;
    const candidates = ['p', 'q'].map((name) =>
      scriptedCandidate(
        `${name}/a`,
        provider(name, ['k1']),
        () => (name === 'p' && isDown ? down : {}),
        (id) => asked.push(id),
      ),
    );
    const pool = poolModel({ id: 'best', candidates, health });
    const turn = (n: number) => call(pool, request([user(`Turn ${n}.`)]));
    for (let n = 0; n < 8; n++) await turn(n);
    expect(asked.filter((id) => id === 'p/a')).toHaveLength(5);
    expect(noticesOf(await turn(9))).toEqual([
      'p key k1 (sk-…abcd) rests for 10 s: it failed 5 times in a row; going on with q/a.',
    ]);
    isDown = false;
    clock.move(10_000);
    asked.length = 0;
    expect(await answerOf(pool, request([user('Back.')]))).toMatchObject({ model: 'p/a' });
    await turn(10);
    expect(asked).toEqual(['p/a', 'p/a']);
    expect(clock.waits).toEqual([]);
  });

  it('lets one call probe while the others wait, and all go on as soon as it is answered', async () => {
    const clock = handClock();
    const health = createHealth({ clock });
    const from = provider('p', ['k1']);
    const failing = scriptedCandidate('p/a', from, () => down);
    const opener = poolModel({ id: 'p/a', candidates: [failing], health, policy: { rounds: 1 } });
    for (let n = 0; n < 5; n++) await thrownBy(call(opener, ask));

    const answer = Promise.withResolvers<void>();
    let asked = 0;
    const slow = scriptedCandidate('p/a', from, () => ({}));
    const waitingPool = poolModel({
      id: 'p/a',
      health,
      candidates: [
        {
          ...slow,
          open: (opened, see) => {
            const model = slow.open(opened, see);
            return {
              ...model,
              async *stream(made, signal) {
                asked++;
                await answer.promise;
                yield* model.stream(made, signal);
              },
            };
          },
        },
      ],
    });
    const calls = [1, 2, 3].map(() => answerOf(waitingPool, ask));
    await settled();
    expect(asked).toBe(0);
    expect(clock.pending()).toEqual([10_000, 10_000, 10_000]);
    await clock.advance(10_000);
    expect(asked).toBe(1);
    answer.resolve();
    await Promise.all(calls);
    expect(asked).toBe(3);
    expect(clock.pending()).toEqual([]);
    expect(health.report().providers[0]).toMatchObject({ state: 'closed', until: null, why: null });
  });

  it('lets the next probe through where the last one never ended', () => {
    const breaker = closedBreaker();
    for (let round = 0; round < 5; round++) breakerFailed(breaker, 0, defaultPolicy);
    breakerBegins(breaker, 10_000);
    expect(breakerState(breaker, 19_999)).toBe('open');
    expect(breakerState(breaker, 20_000)).toBe('half_open');
  });
});
