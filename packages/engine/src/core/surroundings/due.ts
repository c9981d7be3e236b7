import type { Effect } from '../effect.ts';
import type { State, Turn } from '../state.ts';
import { owesGathering } from './settle.ts';

/** A look at what surrounds the work. Each time that it is owed is another debt. */
export function owedToSurroundings(state: State, turn: Turn): Effect[] {
  if (!owesGathering(state, turn)) return [];
  return [{ kind: 'gather', id: `gather:t${turn.number}:${state.settings.agent}:${state.gatherings + 1}` }];
}
