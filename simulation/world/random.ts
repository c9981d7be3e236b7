/** Chance that a seed decides: the same seed gives the same numbers on any machine. */

export type Random = {
  /** From 0 to 1, 1 excluded. */
  next(): number;
  /** An integer from 0 to `limit`, `limit` excluded. */
  below(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** A key, in proportion to its weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
};

export function createRandom(seed: number): Random {
  const next = smallFast(seed);
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('There is nothing to pick from.');
      return item;
    },
    weighted(weights) {
      const keys = Object.keys(weights) as (keyof typeof weights)[];
      let left = next() * keys.reduce((sum, key) => sum + weights[key], 0);
      for (const key of keys) {
        left -= weights[key];
        if (left < 0) return key;
      }
      throw new RangeError('No key has a weight.');
    },
  };
}

/** sfc32 of PractRand, https://pracrand.sourceforge.net: small, fast, and good enough to mix interleavings. */
function smallFast(seed: number): () => number {
  let [a, b, c, counter] = [seed | 0, Math.floor(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

/**
 * The weights of one seed: most as they are, some left out, some made heavy. Runs that lack something often reach
 * what runs that have a little of everything never do (Groce et al., Swarm Testing, 2012).
 */
export function swarm<Key extends string>(random: Random, weights: Readonly<Record<Key, number>>): Record<Key, number> {
  const changed: Record<Key, number> = { ...weights };
  const keys = Object.keys(weights) as Key[];
  for (const key of keys) changed[key] *= random.pick([0, 1, 1, 1, 6]);
  const first = keys[0];
  if (first !== undefined && keys.every((key) => changed[key] === 0)) changed[first] = 1;
  return changed;
}
