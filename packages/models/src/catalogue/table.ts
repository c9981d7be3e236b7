import { readFileSync } from 'node:fs';

/** US dollars for a million tokens; with tiers, the last one below the request's whole input holds for all of it. */
export type Price = number | { base: number; tiers: readonly { start: number; price: number }[] };
/** What is missing costs what the next more general kind of token does. */
export type Prices = { input?: Price; output?: Price; cacheRead?: Price; cacheWrite?: Price; cacheWriteHour?: Price };
/** Prices that hold from a day on, or at a time of day (UTC). */
export type When =
  | { type?: 'start_date'; start_date: string }
  | { type?: 'time_of_date'; start_time: string; end_time: string };
export type DatedPrices = Prices & { when?: When };

/** What there is to know of a model. */
export type ModelFacts = {
  /** Tokens of its window. */
  context?: number;
  /** Most tokens of one answer. */
  output?: number;
  /** What it takes besides text; absent where nobody knows. */
  takes?: readonly ('image' | 'pdf')[];
  /** Whether it can think before it answers. */
  thinks?: boolean;
  /** The words for how much it thinks that its provider takes, from the least; absent where nobody knows. */
  efforts?: readonly string[];
  /** The model of its family whose limits these are, because nobody has told this one's. */
  like?: string;
  /** Of those that hold at one time, the last counts. */
  prices?: readonly DatedPrices[];
};

/** Which names of models an entry is for. */
export type Match =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: readonly Match[] }
  | { and: readonly Match[] };

export type CatalogueProvider = {
  id: string;
  /** Pattern of the addresses where it answers. */
  url: string;
  models: readonly (ModelFacts & { id: string })[];
  /** For names that are not among `models`: older models, and names with a day or a suffix of their own. */
  patterns: readonly (ModelFacts & { match: Match })[];
};

/** Made by `scripts/catalogue.ts`. `date` is the day of the newest data in it. */
export type Catalogue = { date: string; sources: readonly string[]; providers: readonly CatalogueProvider[] };

let table: Catalogue | null = null;

/** The shipped catalogue, read when first asked for. */
export function catalogue(): Catalogue {
  table ??= JSON.parse(readFileSync(new URL('./catalogue.json', import.meta.url), 'utf8')) as Catalogue;
  return table;
}
