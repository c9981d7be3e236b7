/** What surrounds the work is looked at before the first step of a turn, and again when the agent is another. */
import type { EventBody } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';
import { isStopping } from '../turn/ending.ts';

/** Whether the next step has to wait for it. */
export function owesGathering(state: State, turn: Turn): boolean {
  if (state.settings.gathersContext !== true || state.isPaused) return false;
  if (turn.phase !== 'between' || turn.ending !== null || isStopping(turn)) return false;
  const { gathered, settings } = state;
  return gathered === null || gathered.turn !== turn.number || gathered.agent !== settings.agent;
}

/** Whether all of it is to be taken anew, rather than only what may change in the middle of a session. */
export function isFullGathering({ gathered, fragments, settings }: State): boolean {
  return gathered === null || fragments === null || gathered.agent !== settings.agent;
}

/** The rule: the turn waits. */
export function awaitGathering(state: State, turn: Turn): EventBody[] | null {
  return owesGathering(state, turn) ? [] : null;
}
