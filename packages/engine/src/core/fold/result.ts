/** What becomes of a turn when its result was held against the schema that it was asked for. */
import type { EventData } from '@pawl/protocol';
import type { Turn } from '../state.ts';

/** In logs that do not say what follows from a wrong result, the second of a turn failed it. */
const mostWrongBefore = 2;

export function checkResult(turn: Turn, data: EventData['result.checked']): void {
  const { isValid, result, problem = '', call, step } = data;
  if (isValid) {
    // What a call put forward stands in its own event.
    if (call === undefined && turn.ending !== null) turn.ending = { ...turn.ending, result: result ?? null };
    return;
  }
  turn.wrongResults += 1;
  turn.wrongStep = step;
  // What another call of the step put forward may be right.
  if (call === undefined) turn.ending = null;
  const { consequence = turn.wrongResults < mostWrongBefore ? 'repair' : 'failure' } = data;
  if (consequence === 'repair' || turn.ending !== null) {
    turn.correction = call === undefined ? problem : null;
    return;
  }
  const message = `The agent did not give the result that was asked for, even after it was told what was wrong. ${problem}`;
  turn.ending = { outcome: 'failed', message };
}
