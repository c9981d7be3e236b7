import type { ModelInfo, Usage } from '@pawl/protocol';
import { outputLimit } from './limits.ts';
import { findModel, type Price, type PricedModel, type Prices, type When } from './table.ts';

/** What the catalogue knows of one model; looked up when first asked. */
export type Pricing = {
  /** US dollars of one call made at `at` (Unix ms); null where no price is known. */
  cost(usage: Usage, at: number): number | null;
  /** Limits and whether there is a price, with what the user knows better. */
  info(known: { contextTokens?: number; maxOutputTokens?: number }): ModelInfo;
};

/** For a model that no table knows. */
const unknownContextTokens = 128_000;

/**
 * @param home The provider to look under when nobody is known at `url`.
 * @param url Where requests go.
 */
export function createPricing(home: string, url: string, model: string): Pricing {
  let found: PricedModel | null | undefined;
  const entry = () => {
    if (found === undefined) found = findModel(home, url, model);
    return found;
  };
  const isPriced = (prices: Prices | undefined) => prices?.input !== undefined && prices.output !== undefined;
  return {
    cost(usage, at) {
      const prices = entry()?.prices;
      const current = prices === undefined ? undefined : pricesAt(prices, new Date(at));
      return current !== undefined && isPriced(current) ? costOf(current, usage) : null;
    },
    info(known) {
      return {
        contextTokens: known.contextTokens ?? entry()?.contextTokens ?? unknownContextTokens,
        outputTokens: known.maxOutputTokens ?? outputLimit(model),
        isPriceKnown: entry()?.prices.some(isPriced) ?? false,
      };
    },
  };
}

/** The last entry that holds at `at`; the first, if none does. */
export function pricesAt<Entry extends { when?: When }>(entries: readonly Entry[], at: Date): Entry | undefined {
  return entries.findLast(({ when }) => when === undefined || holdsAt(when, at)) ?? entries[0];
}

function holdsAt(when: When, at: Date): boolean {
  if ('start_date' in when) return at >= new Date(when.start_date);
  const start = secondOfDay(when.start_time);
  const end = secondOfDay(when.end_time);
  const now = (at.getTime() / 1000) % 86_400;
  return end < start ? now >= start || now < end : now >= start && now < end;
}

/** `16:30:00Z` or `16:30:00+02:00` as seconds after midnight UTC. */
function secondOfDay(time: string): number {
  return (Date.parse(`1970-01-02T${time}`) / 1000) % 86_400;
}

/** Prices are by bucket; a bucket without a price of its own costs what it is a kind of. */
function costOf(prices: Prices, usage: Usage): number {
  const { input = 0, output = 0, cacheRead = input, cacheWrite = input, cacheWriteHour = cacheWrite } = prices;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens } = usage;
  const whole = inputTokens + cacheReadTokens + cacheWriteTokens + cacheWriteHourTokens;
  const perMillion =
    inputTokens * priceFor(input, whole) +
    cacheReadTokens * priceFor(cacheRead, whole) +
    cacheWriteTokens * priceFor(cacheWrite, whole) +
    cacheWriteHourTokens * priceFor(cacheWriteHour, whole) +
    usage.outputTokens * priceFor(output, whole);
  return perMillion / 1_000_000;
}

function priceFor(price: Price, inputTokens: number): number {
  if (typeof price === 'number') return price;
  return price.tiers.findLast(({ start }) => inputTokens > start)?.price ?? price.base;
}
