/**
 * What events of earlier versions leave out, as those versions decided it. Today's events carry it.
 * Nothing here changes any more: a log means the same for ever.
 */
import type { DurableEvent } from '@pawl/protocol';
import { nextAfterFailure } from './answer/failure.ts';
import type { State } from './state.ts';

const limitsOfThen = { cuts: 3, overflows: 2 };
const wrongResultsOfThen = 2;

/** The event with what was decided then. Today's events come back as they are. */
export function completed(state: State, event: DurableEvent): DurableEvent {
  const { turn } = state;
  if (turn === null) return event;
  if (event.type === 'model.failed' && event.data.next === undefined) {
    return { ...event, data: { ...event.data, next: nextAfterFailure(state, turn, event.data, limitsOfThen) } };
  }
  if (event.type === 'result.checked' && !event.data.isValid && event.data.consequence === undefined) {
    const consequence = turn.wrongResults + 1 < wrongResultsOfThen ? 'repair' : 'failure';
    return { ...event, data: { ...event.data, consequence } };
  }
  return event;
}
