import type { Effect } from '../effect.ts';
import type { State, Turn } from '../state.ts';
import { owesGathering } from './settle.ts';

/** Gathering the surroundings of the work. Each time is another effect. */
export function owedToSurroundings(state: State, turn: Turn): Effect[] {
  if (!owesGathering(state, turn)) return [];
  return [{ kind: 'gather', id: `gather:t${turn.number}:${state.settings.agent}:${state.gatherings + 1}` }];
}
