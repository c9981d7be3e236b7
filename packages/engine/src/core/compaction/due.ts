import type { Effect } from '../effect.ts';
import type { State } from '../state.ts';

/** The summary of a compaction, made beside a turn or between turns. */
export function owedToCompaction({ compaction, turn }: State): Effect[] {
  if (compaction === null || compaction.ready !== null || compaction.isOutdated || turn?.cancel != null) return [];
  return [{ kind: 'compact', id: `compact:${compaction.number}`, compaction: compaction.number }];
}
