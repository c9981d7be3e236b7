/** What providers say in the head of an answer about how much more they can be asked. */
import type { IncomingHttpHeaders } from 'node:http';

/** One counted thing: how much of it there is, what is left, and when (Unix ms) it is whole again; null if not said. */
export type Bucket = { limit: number | null; remaining: number; resetAt: number | null };

type BucketName = 'requests' | 'tokens' | 'input_tokens' | 'output_tokens';

export type Snapshot = {
  /** When it was seen, Unix ms. */
  at: number;
  /** Whether what is used comes back bit by bit, so that `resetAt` is when all is back; else all comes at once. */
  isGradual: boolean;
  buckets: { readonly [Name in BucketName]?: Bucket };
};

type Field = 'limit' | 'remaining' | 'reset';
type Dialect = {
  isGradual: boolean;
  /** The name of a header, for what a bucket is called there. */
  header(field: Field, word: string): string;
  words: { readonly [Name in BucketName]?: string };
};

/** The dialects of those who send such headers; the first that fits is read. */
const dialects: readonly Dialect[] = [
  // https://platform.claude.com/docs/en/api/rate-limits#response-headers: token buckets; the reset is "when the limit
  // will be fully replenished", in RFC 3339.
  {
    isGradual: true,
    header: (field, word) => `anthropic-ratelimit-${word}-${field}`,
    words: { requests: 'requests', tokens: 'tokens', input_tokens: 'input-tokens', output_tokens: 'output-tokens' },
  },
  // https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers: the reset is the "time until the limit
  // resets to its initial state", such as 6m0s. Groq, Azure and others speak it too.
  {
    isGradual: true,
    header: (field, word) => `x-ratelimit-${field}-${word}`,
    words: { requests: 'requests', tokens: 'tokens' },
  },
  // https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06: windows; the reset is in seconds.
  { isGradual: false, header: (field) => `ratelimit-${field}`, words: { requests: '' } },
  // The habit from which that draft came; here the reset is also seen as seconds or milliseconds since 1970.
  { isGradual: false, header: (field) => `x-ratelimit-${field}`, words: { requests: '' } },
];

/** What has to be looked up in each answer, written out once. */
const lookups = dialects.map(({ isGradual, header, words }) => ({
  isGradual,
  rows: Object.entries(words).map(([bucket, word]) => ({
    bucket: bucket as BucketName,
    limit: header('limit', word),
    remaining: header('remaining', word),
    reset: header('reset', word),
  })),
}));

/** The snapshot in the head of an answer, or null if there is none. */
export function readRateLimits(headers: IncomingHttpHeaders, now: number): Snapshot | null {
  for (const { isGradual, rows } of lookups) {
    const buckets: { [Name in BucketName]?: Bucket } = {};
    for (const { bucket, limit, remaining, reset } of rows) {
      const left = count(headers[remaining]);
      if (left === null) continue;
      buckets[bucket] = { limit: count(headers[limit]), remaining: left, resetAt: readReset(headers[reset], now) };
    }
    if (Object.keys(buckets).length > 0) return { at: now, isGradual, buckets };
  }
  return readStructured(headers, now);
}

/**
 * The draft's newer form (https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10):
 * `RateLimit: "default";r=50;t=30`, with `RateLimit-Policy: "default";q=100;w=60` beside it. Of several, the scarcest.
 */
function readStructured(headers: IncomingHttpHeaders, now: number): Snapshot | null {
  const quotas = new Map(items(headers['ratelimit-policy']).map(({ name, values }) => [name, values.get('q') ?? null]));
  let scarcest: Bucket | null = null;
  for (const { name, values } of items(headers.ratelimit)) {
    const remaining = values.get('r');
    if (remaining === undefined || (scarcest !== null && scarcest.remaining <= remaining)) continue;
    const seconds = values.get('t');
    const resetAt = seconds === undefined ? null : now + seconds * 1000;
    scarcest = { limit: quotas.get(name) ?? null, remaining, resetAt };
  }
  return scarcest === null ? null : { at: now, isGradual: false, buckets: { requests: scarcest } };
}

/** `"a";r=1;t=2, "b";r=3` as a list (RFC 9651), numbers only. */
function items(header: string | string[] | undefined): { name: string; values: Map<string, number> }[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((item) => {
      const [name = '', ...parameters] = item.split(';').map((piece) => piece.trim());
      const values = parameters
        .map((parameter) => parameter.split('='))
        .map(([word = '', value = '']) => [word, count(value)] as const)
        .filter((pair): pair is readonly [string, number] => pair[1] !== null);
      return { name, values: new Map(values) };
    });
}

/** A whole number from 0; some send -1 for what they do not count. */
function count(value: string | string[] | undefined): number | null {
  if (typeof value !== 'string' || !/^\d+(\.\d+)?$/.test(value.trim())) return null;
  const number = Math.floor(Number(value));
  return Number.isSafeInteger(number) ? number : null;
}

const unitMs: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A reset as Unix ms: a span such as `1m6.5s`, seconds from now, seconds or milliseconds since 1970, or a date. */
function readReset(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const text = value.trim();
  const number = Number(text);
  if (number >= 0) {
    if (number > 1e12) return number;
    return number > 1e9 ? number * 1000 : now + number * 1000;
  }
  if (/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) {
    let span = 0;
    for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
      span += Number(amount) * (unitMs[unit ?? ''] ?? 0);
    }
    return now + span;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date;
}

/** What is used up and known to come back: until when (Unix ms) and of which bucket; null if something is left of all. */
export function usedUp(snapshot: Snapshot, now: number): { until: number; bucket: string } | null {
  let worst: { until: number; bucket: string } | null = null;
  for (const [name, bucket] of Object.entries(snapshot.buckets)) {
    if (bucket.remaining > 0 || bucket.resetAt === null || bucket.resetAt <= now) continue;
    // Where nothing is allowed at all, the numbers are not meant.
    if (bucket.limit === 0) continue;
    if (worst === null || bucket.resetAt > worst.until) {
      worst = { until: bucket.resetAt, bucket: name.replace('_', ' ') };
    }
  }
  return worst;
}
