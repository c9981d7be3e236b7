import type { ModelEvent } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureDetails } from '../src/errors.ts';
import { createHealth } from '../src/pool/health.ts';
import { defaultPolicy } from '../src/pool/policy.ts';
import { poolModel } from '../src/pool/pool.ts';
import type { Provider } from '../src/pool/types.ts';
import { type Deed, leapingClock, provider, scriptedCandidate } from './pool-support.ts';
import { request, user } from './support.ts';

const deed: fc.Arbitrary<Deed> = fc.record(
  {
    code: fc.constantFrom(
      undefined,
      'rate_limited',
      'overloaded',
      'server_error',
      'connection_failed',
      'connection_lost',
      'stream_cut',
      'idle_timeout',
      'quota_exceeded',
      'unauthorized',
      'not_found',
      'context_overflow',
      'bad_request',
      'odd_code',
    ),
    status: fc.constantFrom(408, 429, 500, 529),
    retryAfterMs: fc.constantFrom(0, 1, 5000, 60_000, 599_999, 600_001, 1e9),
    text: fc.constantFrom('a', 'bc'),
    isThrown: fc.boolean(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Deed>;

const rotations = fc.constantFrom<Provider['rotation'][]>('on_failure', 'per_request');
const orders = fc.constantFrom<Provider['order'][]>('sequential', 'random');
const providers = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), rotations, orders)
    .map(([keys, rotation = 'on_failure', order = 'sequential']) => ({
      keys: Array.from({ length: keys }, (_, n) => `k${n}`),
      limits: { rotation, order },
    })),
  { minLength: 1, maxLength: 2 },
);

const world = fc.record({
  providers,
  /** For each candidate, at which provider it is. */
  candidates: fc.array(fc.nat(1), { minLength: 1, maxLength: 3 }),
  deeds: fc.array(deed, { maxLength: 60 }),
  last: deed,
  calls: fc.integer({ min: 1, max: 4 }),
  chance: fc.double({ min: 0, max: 1, noNaN: true }),
});

type Outcome = { events: ModelEvent[]; error: unknown };

describe('M6: whatever fails, and however often,', () => {
  it('a call ends with one answer or one error, asks nothing too often, too early or after it was retired', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ providers: made, candidates: places, deeds, last, calls, chance }) => {
        const clock = leapingClock(0);
        const health = createHealth({ clock });
        const script = [...deeds];
        const retired = new Set<string>();
        const restingUntil = new Map<string, number>();
        let asked: string[] = [];
        let failures = 0;
        let streamed = '';

        const from = made.map(({ keys, limits }, n) => provider(`p${n}`, keys, limits));
        const candidates = places.map((place, n) => {
          const at = from[place % from.length] ?? provider('p', []);
          const id = `${at.name}/m${n}`;
          return scriptedCandidate(id, at, (opened) => {
            const who = `${id} ${opened?.name ?? ''}`;
            const keyName = `${at.name} ${opened?.name ?? ''}`;
            expect(retired).not.toContain(keyName);
            expect(retired).not.toContain(id);
            expect(restingUntil.get(who) ?? 0).toBeLessThanOrEqual(clock.now());
            asked.push(who);
            const done = script.shift() ?? last;
            const { code, retryAfterMs = 0, status } = done;
            if (code !== undefined) failures++;
            if (code === 'unauthorized') retired.add(keyName);
            if (code === 'not_found') retired.add(id);
            const isTransient = ['rate_limited', 'overloaded', 'server_error', 'stream_cut'].includes(code ?? '');
            if (isTransient && retryAfterMs > 0)
              restingUntil.set(who, clock.now() + Math.min(retryAfterMs, 86_400_000));
            streamed = code === undefined || done.isThrown !== true ? (done.text ?? '') : '';
            return { ...done, ...(status === undefined ? {} : { status }) };
          });
        });
        const pool = poolModel({ id: 'best', candidates, health, random: () => chance });
        const targets = candidates.reduce((sum, { provider: { keys } }) => sum + Math.max(1, keys.length), 0);

        for (let n = 0; n < calls; n++) {
          asked = [];
          failures = 0;
          clock.waits.length = 0;
          const { events, error } = await outcomeOf(
            pool.stream(request([user(`Call ${n}`)]), new AbortController().signal),
          );
          const finished = events.filter(({ type }) => type === 'finished');
          expect(finished.length === 1).toBe(error === null);
          if (error !== null) expect(isPawlError(error)).toBe(true);

          expect(asked.length).toBeLessThanOrEqual(defaultPolicy.rounds * targets);
          for (const who of asked) {
            expect(asked.filter((other) => other === who).length).toBeLessThanOrEqual(defaultPolicy.rounds);
          }
          for (const wait of clock.waits) expect(wait).toBeLessThanOrEqual(defaultPolicy.longestWaitMs);

          const answer = finished[0]?.type === 'finished' ? finished[0].message : null;
          const attempts = answer === null ? failureDetails(error).attempts : answer.attempts;
          expect(attempts?.length ?? 0).toBe(failures);
          const notices = events.filter(({ type }) => type === 'notice').length;
          expect(notices).toBeGreaterThanOrEqual(failures - (answer === null ? 1 : 0));
          const begins = events.findLastIndex(({ type }) => type === 'rollback');
          const kept = events.slice(begins + 1).map((event) => (event.type === 'text' ? event.text : ''));
          if (answer !== null) expect(kept.join('')).toBe(streamed);
          for (const { requestsUnderWay, callsWaiting } of health.report().providers) {
            expect([requestsUnderWay, callsWaiting]).toEqual([0, 0]);
          }
        }
      }),
      { numRuns: 1000 },
    );
  }, 60_000);
});

async function outcomeOf(stream: AsyncIterable<ModelEvent>): Promise<Outcome> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}
