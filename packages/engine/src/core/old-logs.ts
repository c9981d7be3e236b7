/**
 * What events of earlier versions leave out, as those versions decided it. Today's events carry it.
 * Nothing here changes any more: a log means the same for ever.
 */
import type { DurableEvent } from '@pawl/protocol';
import { nextAfterFailure } from './answer/failure.ts';
import type { State } from './state.ts';

const limitsOfThen = { cuts: 3, overflows: 2 };

/** The event with what was decided then. Today's events come back as they are. */
export function completed(state: State, event: DurableEvent): DurableEvent {
  const { turn } = state;
  if (event.type !== 'model.failed' || event.data.next !== undefined || turn === null) return event;
  return { ...event, data: { ...event.data, next: nextAfterFailure(state, turn, event.data, limitsOfThen) } };
}
