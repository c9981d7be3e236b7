import type { Policy } from './policy.ts';

/**
 * Leaves a provider alone that failed several times in a row. After the wait one call is let through as a probe: an
 * answer closes the breaker, a failure doubles the wait.
 */
export type Breaker = {
  /** Rounds in a row that failed. */
  failures: number;
  /** No request before this time (Unix ms). */
  openUntil: number;
  /** The last wait. */
  waitMs: number;
};

export const closedBreaker = (): Breaker => ({ failures: 0, openUntil: 0, waitMs: 0 });

/** `half_open` is the moment for a probe. */
export function breakerState(breaker: Breaker, now: number): 'closed' | 'open' | 'half_open' {
  if (breaker.waitMs === 0) return 'closed';
  return now < breaker.openUntil ? 'open' : 'half_open';
}

/** A request begins. If it is the probe, all others wait for as long again, or until it is answered. */
export function breakerBegins(breaker: Breaker, now: number): void {
  if (breakerState(breaker, now) === 'half_open') breaker.openUntil = now + breaker.waitMs;
}

export function breakerFailed(breaker: Breaker, now: number, policy: Policy): void {
  breaker.failures++;
  if (breaker.failures < policy.breakerFailures) return;
  breaker.waitMs =
    breaker.waitMs === 0 ? policy.breakerWaitMs : Math.min(breaker.waitMs * 2, policy.breakerLongestWaitMs);
  breaker.openUntil = now + breaker.waitMs;
}

/** The provider answered, whatever it said. True if others may now go on. */
export function breakerAnswered(breaker: Breaker): boolean {
  const wasOpen = breaker.waitMs > 0;
  Object.assign(breaker, closedBreaker());
  return wasOpen;
}
