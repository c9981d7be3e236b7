/** What becomes of a turn when its result was held against the schema that it was asked for. */
import type { EventData } from '@pawl/protocol';
import type { Turn } from '../state.ts';

/** Times that a result may be wrong: it is asked for once more. */
const mostWrong = 2;

export function checkResult(turn: Turn, { isValid, result, problem = '', call }: EventData['result.checked']): void {
  if (isValid) {
    // What a call put forward stands in its own event.
    if (call === undefined && turn.ending !== null) turn.ending = { ...turn.ending, result: result ?? null };
    return;
  }
  turn.wrongResults += 1;
  // What another call of the step put forward may be right.
  if (call === undefined) turn.ending = null;
  if (turn.wrongResults < mostWrong || turn.ending !== null) {
    turn.correction = call === undefined ? problem : null;
    return;
  }
  const message = `The agent did not give the result that was asked for, even after it was told what was wrong. ${problem}`;
  turn.ending = { outcome: 'failed', message };
}
