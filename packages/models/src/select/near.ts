/** The name that `wrong` was probably meant to be, or null. */
export function nearest(wrong: string, names: Iterable<string>): string | null {
  const written = wrong.toLowerCase();
  let best: string | null = null;
  // A third of the letters may be wrong, but at least one; beyond that it is another word.
  let limit = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const name of names) {
    const distance = distanceBetween(written, name.toLowerCase(), limit);
    if (distance >= limit) continue;
    limit = distance;
    best = name;
  }
  return best;
}

/** Whether two names are of one family: they differ in their numbers at most, as versions do. */
export const isOtherVersion = (one: string, other: string): boolean => withoutNumbers(one) === withoutNumbers(other);

const withoutNumbers = (name: string) => name.toLowerCase().replace(/[\d.]+/g, '');

/** ` Did you mean "x"?`, or nothing. */
export function suggestion(wrong: string, names: Iterable<string>): string {
  const near = nearest(wrong, names);
  return near === null ? '' : ` Did you mean "${near}"?`;
}

/** Letters added, left out, changed or swapped with their neighbour; at most `limit`. */
function distanceBetween(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let other = 1; other <= right.length; other++) {
      const isSame = left[at - 1] === right[other - 1];
      const cheapest = Math.min(
        (row[other] ?? limit) + 1,
        (next[other - 1] ?? limit) + 1,
        (row[other - 1] ?? limit) + (isSame ? 0 : 1),
      );
      const isSwap = left[at - 1] === right[other - 2] && left[at - 2] === right[other - 1];
      next.push(isSwap ? Math.min(cheapest, (before[other - 2] ?? limit) + 1) : cheapest);
    }
    before = row;
    row = next;
  }
  return Math.min(limit, row[right.length] ?? limit);
}
