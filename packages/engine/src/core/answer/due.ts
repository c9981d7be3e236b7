import type { Effect } from '../effect.ts';
import type { Turn } from '../state.ts';
import { isStopping } from '../turn/ending.ts';

/** The step's call of the model. */
export function owedToAnswer(turn: Turn): Effect[] {
  if (turn.phase !== 'model') return [];
  const id = `model:t${turn.number}_s${turn.step}_a${turn.attempt}`;
  return [{ kind: 'model', id, mode: isStopping(turn) ? 'stop' : 'run' }];
}
