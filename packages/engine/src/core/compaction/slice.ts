/** Fits regions of text into a budget: entries of the lowest priority are dropped first; preserved entries are only shortened, last of all. */
import { charactersPerToken } from '../history/window.ts';
import { shortenMiddle } from '../pins/pins.ts';
import { tokensOfText } from './window.ts';

type Entry = { text: string; isPreserved?: boolean };

export type Region = {
  name: string;
  /** The lowest is dropped first. */
  priority: number;
  /** The first are dropped first. */
  entries: readonly Entry[];
};

/** Preserved entries are never shortened below this, even if the budget is exceeded. */
const minEntryCharacters = 400;

/**
 * The regions within `budgetTokens`, and how many entries each has lost. Entries that are not preserved are dropped while
 * all together exceed `optionalTokens`, which may be less.
 */
export function sliceToBudget<Of extends Region>(
  regions: readonly Of[],
  budgetTokens: number,
  optionalTokens = budgetTokens,
): { regions: Of[]; dropped: ReadonlyMap<string, number> } {
  const kept = regions.map((region) => ({ ...region, entries: [...region.entries] }));
  const dropped = new Map<string, number>();
  let tokens = regions.flatMap(({ entries }) => entries).reduce((sum, { text }) => sum + tokensOfText(text), 0);
  for (const region of kept.toSorted((one, other) => one.priority - other.priority)) {
    region.entries = region.entries.filter(({ text, isPreserved }) => {
      if (isPreserved === true || tokens <= Math.min(budgetTokens, optionalTokens)) return true;
      tokens -= tokensOfText(text);
      dropped.set(region.name, (dropped.get(region.name) ?? 0) + 1);
      return false;
    });
  }
  for (const region of kept.toSorted((one, other) => one.priority - other.priority)) {
    while (tokens > budgetTokens) {
      const longest = region.entries.reduce<Entry | null>(
        (one, other) => (other.text.length > (one?.text.length ?? minEntryCharacters) ? other : one),
        null,
      );
      if (longest === null) break;
      const excess = (tokens - budgetTokens) * charactersPerToken;
      const text = shortenMiddle(longest.text, Math.max(minEntryCharacters, longest.text.length - excess));
      tokens -= tokensOfText(longest.text) - tokensOfText(text);
      region.entries[region.entries.indexOf(longest)] = { ...longest, text };
    }
  }
  return { regions: kept, dropped };
}
