/** The middle value; the mean of the two middle ones of an even number. NaN of nothing. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const half = sorted.length / 2;
  const low = sorted[Math.ceil(half) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(half)] ?? Number.NaN;
  return (low + high) / 2;
};

/** Median of the ratios round by round, so that a machine whose speed drifts does not blur it. */
export const ratio = (values: readonly number[], others: readonly number[]): number =>
  median(values.map((value, round) => value / (others[round] ?? Number.NaN)));
