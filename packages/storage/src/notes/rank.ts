import type { MemoryNote } from '@pawl/engine';

/** `score` says how well its words fit: more is better. */
export type Match = { note: MemoryNote; score: number };

/** What a note gains by being new, at most, and after how long half of that is gone. */
const maxGain = 0.5;
const halfLifeMs = 30 * 24 * 60 * 60 * 1000;

/**
 * The best fitting first, newer ones before older ones that fit about as well. Age counts from the newest of them, so
 * that the same notes always come in the same order.
 */
export function ranked(matches: readonly Match[]): MemoryNote[] {
  const newest = Math.max(...matches.map(({ note }) => note.at));
  const worth = ({ note, score }: Match) => score * (1 + maxGain * 0.5 ** ((newest - note.at) / halfLifeMs));
  return matches
    .toSorted(
      (one, other) =>
        worth(other) - worth(one) || other.note.at - one.note.at || (one.note.id < other.note.id ? -1 : 1),
    )
    .map(({ note }) => note);
}
