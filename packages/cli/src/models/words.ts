/** Limits, prices and keys of models as people read them. */
import { oneLine } from '@pawl/engine/readers/visible';
import { countText, durationText } from '@pawl/engine/readers/words';
import type { KeyReport } from '@pawl/models/health';
import { type Price, pricesAt } from '@pawl/models/select';
import type { Style } from '@pawl/terminal/text/style';
import type { Cell } from '../output/table.ts';
import type { ModelRow } from './collect.ts';

/** `$3`, `$0.15`, and `$3+` where it is more for a long input. */
function dollarsText(price: Price): string {
  const base = typeof price === 'number' ? price : price.base;
  const text = base === 0 ? '0' : String(Number(base.toPrecision(3)));
  return `$${text}${typeof price === 'number' ? '' : '+'}`;
}

export const modelColumns: readonly string[] = ['model', 'context', 'output', 'in', 'out', 'cached in', ''];

/** A row for `modelColumns`. */
export function modelCells(row: ModelRow, at: number, style: Style): Cell[] {
  const { id, isReady, contextTokens, outputTokens, isKnown, takes, thinks, efforts, like } = row;
  const prices = pricesAt(row.prices ?? [], new Date(at));
  const price = (value: Price | undefined, other: string): Cell => ({
    text: value === undefined ? other : dollarsText(value),
    isRight: true,
  });
  const limit = (tokens: number): Cell => ({ text: `${countText(tokens)}${isKnown ? '' : '?'}`, isRight: true });
  const marks = [
    ...(takes ?? []),
    ...(thinks === true ? [`thinks${efforts === null ? '' : ` (${efforts.join(' ')})`}`] : []),
    ...(like === null ? [] : [`taken to be like ${like}`]),
    ...laterPrice(row.prices ?? [], at),
    ...(isReady ? [] : ['no key']),
  ];
  return [
    { text: oneLine(id), paint: isReady ? style.bold : style.dim },
    limit(contextTokens),
    limit(outputTokens),
    price(prices?.input, 'unknown'),
    price(prices?.output, 'unknown'),
    price(prices?.cacheRead, prices?.input === undefined ? 'unknown' : '–'),
    { text: marks.join(', '), paint: style.dim },
  ];
}

/** `from 2026-12-01 $4 in, $20 out`, where another price is announced. */
function laterPrice(prices: NonNullable<ModelRow['prices']>, at: number): string[] {
  const later = prices.find(
    ({ when }) => when !== undefined && 'start_date' in when && Date.parse(when.start_date) > at,
  );
  if (later?.input === undefined || later.output === undefined) return [];
  const day = later.when !== undefined && 'start_date' in later.when ? later.when.start_date : '';
  return [`from ${day} ${dollarsText(later.input)} in, ${dollarsText(later.output)} out`];
}

/** `ready`, or what is wrong with a key and until when. */
export function keyStateText({ state, until, why }: KeyReport, now: number): string {
  const reason = why === null ? '' : `: ${why}`;
  switch (state) {
    case 'ready':
      return 'ready';
    case 'resting':
      return `resting${until === null ? '' : ` for ${durationText(until - now)}`}${reason}`;
    case 'no_credit':
      return `no credit${reason}`;
    case 'retired':
      return `refused${reason}`;
    default:
      return state satisfies never;
  }
}

/** What is left of a key's limits and its account: `38 of 50 requests, 20k of 30k tokens, $12.5 of $20`. */
export function leftText({ snapshots, credit }: KeyReport): string {
  const newest = snapshots.toSorted((one, other) => other.snapshot.at - one.snapshot.at)[0];
  const parts = Object.entries(newest?.snapshot.buckets ?? {}).map(([name, { limit, remaining }]) => {
    const whole = limit === null ? '' : ` of ${countText(limit)}`;
    return `${countText(remaining)}${whole} ${name.replace('_', ' ')}`;
  });
  return [...parts, ...(credit === null ? [] : [creditText(credit)])].join(', ');
}

function creditText({ remaining, limit, unit }: NonNullable<KeyReport['credit']>): string {
  const amount = (value: number) =>
    unit === 'USD' ? `$${Number(value.toFixed(2))}` : `${Number(value.toFixed(2))} ${oneLine(unit)}`;
  if (remaining === null) return 'no limit of credit';
  return `${amount(remaining)}${limit === null ? '' : ` of ${amount(limit)}`} of credit`;
}
