import type { Effect } from '../effect.ts';
import type { State, Turn } from '../state.ts';
import { isStopping } from './ending.ts';
import { turnTimer } from './evolve.ts';

/** The timer of the turn's time limit. */
export function owedToTurn({ settings }: State, turn: Turn): Effect[] {
  const { durationMs } = settings.limits;
  if (durationMs === null || isStopping(turn)) return [];
  return [{ kind: 'timer', id: turnTimer(turn.number, durationMs), at: turn.startedAt + durationMs }];
}
