import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../core/index.ts';
import { evolve, initialState } from '../core/index.ts';

/** What is known of a session after these events. */
export function stateOf(events: readonly DurableEvent[]): State {
  const state = initialState();
  for (const event of events) evolve(state, event);
  return state;
}
