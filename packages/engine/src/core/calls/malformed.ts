/** Calls that are wrong in themselves, and calls that are refused before anyone looks at them. */
import type { ToolCallPart } from '@pawl/protocol';
import type { Call, Turn } from '../state.ts';

/** Steps in a row without one well-formed call, before the turn ends. */
export const maxMalformedRounds = 3;

const malformedChecks: ReadonlySet<string> = new Set(['check tool', 'check arguments', 'check count', 'check choice']);

/** Whether the call was wrong in itself: no such tool, bad arguments, too many at once, or no call was wanted. */
export function isMalformed({ judgement }: Call): boolean {
  return judgement?.isMistake === true && malformedChecks.has(judgement.rule);
}

/** Calls that one answer may ask for. */
const maxCalls = 256;

/** Reasons by the id of the call: too many calls came at once, or more than the one that was asked for. */
export function refusedCalls(
  { advice }: Pick<Turn, 'advice'>,
  calls: readonly Pick<ToolCallPart, 'id'>[],
  most = maxCalls,
): Record<string, string> {
  if (calls.length > most) {
    const reason = `Not run: ${calls.length} calls came in one answer, and no more than ${most} are taken. None was run. Ask for fewer at a time.`;
    return Object.fromEntries(calls.map(({ id }) => [id, reason]));
  }
  if (advice?.kind !== 'smaller_call' || calls.length < 2) return {};
  const reason = 'Not run: one call was asked for after the last answer was cut. Send the others in later answers.';
  return Object.fromEntries(calls.slice(1).map(({ id }) => [id, reason]));
}
