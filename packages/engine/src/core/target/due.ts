import type { Effect } from '../effect.ts';
import type { Turn } from '../state.ts';
import { isStopping } from '../turn/ending.ts';

/** The person's check command, once the agent says that it is done. */
export function owedToTarget(turn: Turn): Effect[] {
  const { loop } = turn;
  if (loop === null || turn.phase !== 'between' || isStopping(turn) || turn.ending !== null) return [];
  const isVerifying = loop.status === 'verifying' && loop.proposed !== null && !loop.isAssessed;
  return isVerifying ? [{ kind: 'verify', id: `verify:t${turn.number}_i${loop.iteration}` }] : [];
}
