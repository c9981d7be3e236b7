/** What an account has left, as its provider tells when it is asked. */
import { fields } from '../wires/fields.ts';

/** `at` is in Unix ms, the amounts in `unit`; null is unlimited, or not said. */
export type Credit = { at: number; remaining: number | null; limit: number | null; unit: string };

/** Where a provider tells it: a path below its address, and where in the JSON the amounts stand, such as `data.limit`. */
export type CreditEndpoint = { path: string; remaining: string; limit?: string; unit?: string };

/** Null if the answer does not say. */
export function creditIn(body: unknown, endpoint: CreditEndpoint, at: number): Credit | null {
  const remaining = valueAt(body, endpoint.remaining);
  if (remaining === undefined) return null;
  const limit = endpoint.limit === undefined ? undefined : valueAt(body, endpoint.limit);
  const amount = amountOf(remaining);
  if (amount === null && remaining !== null) return null;
  return { at, remaining: amount, limit: amountOf(limit), unit: endpoint.unit ?? 'USD' };
}

function valueAt(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (Object.hasOwn(fields(value), name) ? fields(value)[name] : undefined), body);
}

/** Some send amounts as text. */
function amountOf(value: unknown): number | null {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) ? amount : null;
}

export function isCredit(value: unknown): value is Credit {
  const { at, remaining, limit, unit } = fields(value);
  const isAmount = (amount: unknown) => amount === null || typeof amount === 'number';
  return typeof at === 'number' && isAmount(remaining) && isAmount(limit) && typeof unit === 'string';
}
