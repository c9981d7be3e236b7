import { readFileSync } from 'node:fs';

/** US dollars for a million tokens; with tiers, the last one below the request's whole input holds for all of it. */
export type Price = number | { base: number; tiers: { start: number; price: number }[] };
/** What is missing costs what the next more general kind of token does. */
export type Prices = { input?: Price; output?: Price; cacheRead?: Price; cacheWrite?: Price; cacheWriteHour?: Price };
/** Prices that hold from a day on, or at a time of day (UTC). */
export type When =
  | { type?: 'start_date'; start_date: string }
  | { type?: 'time_of_date'; start_time: string; end_time: string };

/** Which names of models an entry is for. */
type Match =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: Match[] }
  | { and: Match[] };

export type PricedModel = { match: Match; contextTokens?: number; prices: (Prices & { when?: When })[] };
type PricedProvider = { id: string; url: string; models: PricedModel[] };
/** Made by `scripts/prices.ts`. `date` is the day it was made. */
export type PriceTable = { source: string; date: string; providers: PricedProvider[] };

let table: PriceTable | null = null;

/** The shipped table, read when first asked for. */
export function priceTable(): PriceTable {
  table ??= JSON.parse(readFileSync(new URL('./table.json', import.meta.url), 'utf8')) as PriceTable;
  return table;
}

/** Whether `match` is for the model called `name`. */
function matches(match: Match, name: string): boolean {
  const text = name.toLowerCase();
  if ('equals' in match) return text === match.equals.toLowerCase();
  if ('starts_with' in match) return text.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return text.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return text.includes(match.contains.toLowerCase());
  if ('regex' in match) return new RegExp(match.regex).test(name);
  if ('or' in match) return match.or.some((inner) => matches(inner, name));
  return match.and.every((inner) => matches(inner, name));
}

/** The entry for a model of the provider at `url`; of provider `home` if nobody is known there (a gateway). */
export function findModel(home: string, url: string, name: string): PricedModel | null {
  const { providers } = priceTable();
  const provider =
    providers.find((candidate) => new RegExp(`^(?:${candidate.url})`).test(url)) ??
    providers.find(({ id }) => id === home);
  const lower = name.toLowerCase().trim();
  // A name may carry its day as 20250929 where the table has 2025-09-29.
  const dated = lower.replace(/-(20\d\d)([01]\d)([0-3]\d)(?=-|:|$)/g, '-$1-$2-$3');
  const find = (text: string) => provider?.models.find(({ match }) => matches(match, text));
  return find(lower) ?? find(dated) ?? null;
}
