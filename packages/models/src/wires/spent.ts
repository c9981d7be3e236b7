import type { Usage } from '@pawl/protocol';
import type { Fields } from './fields.ts';

/** What an answer used and cost; null dollars are an unknown number of them. */
export type Spent = { usage: Usage; costUsd: number | null };

/** What a provider counted so far, priced. Nothing said is not nothing used. */
export function spentOf(
  counted: Fields,
  usageOf: (counted: Fields) => Usage,
  costOf: (usage: Usage) => number | null,
): Spent {
  const usage = usageOf(counted);
  return { usage, costUsd: Object.keys(counted).length === 0 ? null : costOf(usage) };
}
