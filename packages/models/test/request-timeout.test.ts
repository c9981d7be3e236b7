import type { Model } from '@pawl/engine';
import { describe, expect, it } from 'vitest';
import { poolModel } from '../src/pool/pool.ts';
import type { Candidate } from '../src/pool/types.ts';
import { handClock, info, message, provider, scriptedCandidate, settled } from './pool-support.ts';
import { request, thrownBy, user } from './support.ts';

/** A candidate that says nothing and does not even listen to being stopped. */
function deaf(id: string, asked: AbortSignal[]): Candidate {
  const open = (): Model => ({
    id,
    info,
    async *stream(_, signal) {
      asked.push(signal);
      await new Promise<never>(() => undefined);
      yield { type: 'finished', message };
    },
  });
  return { id, provider: provider('deaf', ['k1']), info, open };
}

async function drain(model: Model, timeoutMs?: number): Promise<string | undefined> {
  const asked = { ...request([user('Hi')]), ...(timeoutMs !== undefined && { timeoutMs }) };
  let by: string | undefined;
  for await (const event of model.stream(asked, new AbortController().signal)) {
    if (event.type === 'finished') by = event.message.model;
  }
  return by;
}

describe('E16: the time of a request in a pool', () => {
  it('is that of each try: the next candidate answers', async () => {
    const clock = handClock();
    const signals: AbortSignal[] = [];
    const candidates = [deaf('deaf/a', signals), scriptedCandidate('p/b', provider('p', ['k1']), () => ({}))];
    const pool = poolModel({ id: 'best', candidates, clock, random: () => 0.5 });
    expect(pool.limitsRequests).toBe(true);
    const answer = drain(pool, 5000);
    await clock.advance(4999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance(1);
    expect(await answer).toBe('p/b');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.pending()).toEqual([]);
  });

  it('is retried in rounds as any failure that may pass, and never for ever', async () => {
    const clock = handClock();
    const signals: AbortSignal[] = [];
    const pool = poolModel({ id: 'best', candidates: [deaf('deaf/a', signals)], clock, random: () => 0.5 });
    const failed = thrownBy(drain(pool, 1000));
    for (let second = 0; second < 60; second++) await clock.advance(1000);
    expect(await failed).toMatchObject({ code: 'request_timeout' });
    expect(signals).toHaveLength(5);
  });

  it('does not hold where none is given', async () => {
    const clock = handClock();
    const signals: AbortSignal[] = [];
    const pool = poolModel({ id: 'best', candidates: [deaf('deaf/a', signals)], clock, random: () => 0.5 });
    drain(pool).catch(() => undefined);
    await clock.advance(3_600_000);
    await settled();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});
