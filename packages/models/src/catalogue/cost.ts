import type { Usage } from '@pawl/protocol';
import type { DatedPrices, Price, Prices, When } from './table.ts';

/**
 * The last entry that holds at `at`; if none does, the first that is bound to no day or to one that is past: a price of
 * a later day is none yet.
 */
export function pricesAt<Entry extends { when?: When }>(entries: readonly Entry[], at: Date): Entry | undefined {
  const current = entries.findLast(({ when }) => when === undefined || holdsAt(when, at));
  return current ?? entries.find(({ when }) => when === undefined || !('start_date' in when));
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

/** Whether `prices` say what a call costs: both of its sides have one. */
export function isPriced(prices: Prices | undefined): prices is Prices & { input: Price; output: Price } {
  return prices?.input !== undefined && prices.output !== undefined;
}

/** US dollars of a call made at `at` (Unix ms); null where no price is known. */
export function costAt(entries: readonly DatedPrices[], usage: Usage, at: number): number | null {
  const prices = pricesAt(entries, new Date(at));
  return isPriced(prices) ? costOf(prices, usage) : null;
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

/** The least that a million tokens of input cost from `at` on, at any hour, wherever they come from; null if unknown. */
export function minInputPrice(entries: readonly DatedPrices[], at: Date): number | null {
  const isPast = ({ when }: DatedPrices) => when === undefined || ('start_date' in when && holdsAt(when, at));
  const current = entries.slice(Math.max(0, entries.findLastIndex(isPast)));
  const least = (price: Price) =>
    typeof price === 'number' ? price : Math.min(price.base, ...price.tiers.map((tier) => tier.price));
  const all = current
    .filter(isPriced)
    .flatMap(({ input, cacheRead, cacheWrite, cacheWriteHour }) => [input, cacheRead, cacheWrite, cacheWriteHour])
    .filter((price) => price !== undefined)
    .map(least);
  return all.length === 0 ? null : Math.min(...all);
}
