/** Surroundings are gathered before the first step of a turn, and again when the agent changes. */
import type { EventBody } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';
import { isStopping } from '../turn/ending.ts';

/** Whether surroundings have to be gathered before the next step. */
export function owesGathering(state: State, turn: Turn): boolean {
  if (state.settings.gathersContext !== true || state.isPaused) return false;
  if (turn.phase !== 'between' || turn.ending !== null || isStopping(turn)) return false;
  const { gathered, settings } = state;
  return gathered === null || gathered.turn !== turn.number || gathered.agent !== settings.agent;
}

/** Whether everything is gathered, or only what may change within a session. */
export function isFullGathering({ gathered, fragments, settings }: State): boolean {
  return gathered === null || fragments === null || gathered.agent !== settings.agent;
}

/** The turn waits while surroundings are gathered. */
export function awaitGathering(state: State, turn: Turn): EventBody[] | null {
  return owesGathering(state, turn) ? [] : null;
}
