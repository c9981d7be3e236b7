/** Which limits are valid. */
import type { Limits } from '@pawl/protocol';
import { bounds } from '@pawl/protocol';
import type { Refusal } from '../decision.ts';
import { refuse } from '../decision.ts';

/**
 * Why limits are refused; null if they are valid. A limit in dollars is refused where the price is unknown, because it
 * could not be enforced.
 */
export function limitsRefusal(limits: Limits, isPriceKnown: boolean): Refusal | null {
  const { steps, durationMs, tokens, usd, sessionTokens, sessionUsd, approvalTimeoutMs } = limits;
  const isCount = (value: number | null, least: number, most = Number.MAX_SAFE_INTEGER) =>
    value === null || (Number.isInteger(value) && value >= least && value <= most);
  const isAmount = (value: number | null) => value === null || (Number.isFinite(value) && value >= 0);
  if (steps === null || !isCount(steps, 1, bounds.maxSteps)) {
    return refuse('bad_limit', `The limit of steps is a whole number from 1 to ${bounds.maxSteps}.`);
  }
  if (!isCount(durationMs, 1) || !isCount(tokens, 1) || !isCount(sessionTokens, 1)) {
    return refuse('bad_limit', 'Limits of time and tokens are whole numbers from 1 on, or null.');
  }
  if (approvalTimeoutMs === null || !isCount(approvalTimeoutMs, 0)) {
    return refuse('bad_limit', 'The time for an approval is a whole number of milliseconds; 0 waits for ever.');
  }
  if (!isAmount(usd) || !isAmount(sessionUsd))
    return refuse('bad_limit', 'Limits in dollars are amounts from 0 on, or null.');
  if (isPriceKnown || (usd === null && sessionUsd === null)) return null;
  return refuse(
    'price_unknown',
    'A limit in dollars needs a model whose price is known. Use a limit in tokens or steps, or another model.',
  );
}
