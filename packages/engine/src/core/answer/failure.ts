/** What follows when a call of the model fails: another try, a compaction, or the end of the turn. */
import type { EventData } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';

type Failed = EventData['model.failed'];
type Next = NonNullable<Failed['next']>;

/**
 * `cuts`: answers in a row that the output limit may cut; `overflows`: compactions for one step that is too long; `tooLong`:
 * codes of errors that say that it is, in tokens or in bytes.
 */
type FailureLimits = { cuts: number; overflows: number; tooLong: readonly string[] };

const failureLimits: FailureLimits = { cuts: 3, overflows: 2, tooLong: ['context_overflow', 'request_too_large'] };

/** Whether a request was refused for its length. */
export const isTooLong = (code: string): boolean => failureLimits.tooLong.includes(code);

export function nextAfterFailure(state: State, turn: Turn, failed: Failed, limits = failureLimits): Next {
  const { error, willRetry } = failed;
  if (error.code === 'output_cut') return nextAfterCut(state, turn, failed, limits);
  if (limits.tooLong.includes(error.code)) return nextAfterOverflow(state, turn, error.message, limits);
  if (willRetry === true || (error.code === 'empty_answer' && !turn.hasBeenEmpty)) return { do: 'retry' };
  return { do: 'end', outcome: 'failed', message: error.message };
}

/** Another try, until the answer was cut too often in a row; then once more over a compacted history. */
function nextAfterCut(state: State, turn: Turn, { usage, cutCall }: Failed, limits: FailureLimits): Next {
  const cuts = turn.cuts + 1;
  if (cuts < limits.cuts) return { do: 'retry' };
  const where = cutCall === undefined ? '' : ` in a call of ${cutCall}`;
  const message = `The model's answers were cut at its output limit ${cuts} times in a row, the last after ${usage?.outputTokens ?? 0} tokens${where}. Raise the limit of the model's output, or continue and ask for less at once.`;
  const ending = { outcome: 'truncated' as const, message };
  if (turn.hasCompactedForCut || !state.settings.compaction.isOn) return { do: 'end', ...ending };
  return { do: 'compact', cause: 'cut', orElse: ending };
}

/** The same step is tried again over a compacted history. */
function nextAfterOverflow(state: State, turn: Turn, why: string, limits: FailureLimits): Next {
  const ending = (what: string) => ({ outcome: 'failed' as const, message: `${why} ${what}` });
  if (!state.settings.compaction.isOn) {
    const advice =
      'Compaction is off for this session: turn it on, compact by hand, or choose a model with a larger window.';
    return { do: 'end', ...ending(advice) };
  }
  if (turn.overflows + 1 > limits.overflows) {
    return { do: 'end', ...ending(`The history was compacted ${limits.overflows} times, and it is still too long.`) };
  }
  const orElse = ending('There is nothing left in the history that could be compacted.');
  return { do: 'compact', cause: 'overflow', orElse };
}
