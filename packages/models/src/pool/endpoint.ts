/** What this process knows about one provider and its keys, and whether they can be asked. */
import { createHash } from 'node:crypto';
import type { PawlError } from '@pawl/protocol';
import { failureDetails, isTransientFailure } from '../errors.ts';
import { type Breaker, breakerAnswered, breakerState } from './breaker.ts';
import type { Credit } from './credit.ts';
import type { Gate } from './gate.ts';
import { isDown, type Meaning, meaningOf, type Policy, restOf } from './policy.ts';
import { type Snapshot, usedUp } from './rate-limits.ts';
import { reasonOf } from './show.ts';
import type { Key, Provider } from './types.ts';

/**
 * A key must not, or had better not, be asked for a model before `until` (Unix ms). A soft rest is a guess: the key is
 * asked when there is no better one.
 */
type Rest = { until: number; code: string; why: string; isSoft: boolean };

export type KeyHealth = {
  /** Of the key, which itself is not kept in stores; empty for no key. */
  fingerprint: string;
  /** Null for a provider without keys, and for what only a store knows. */
  key: Key | null;
  /** Why it is never used again. */
  retired: PawlError | null;
  noCreditUntil: number;
  /** What its account had left when the provider was asked last; null if it never was. */
  credit: Credit | null;
  /** By model, since providers count limits by model (https://platform.claude.com/docs/en/api/rate-limits). */
  rests: Map<string, Rest>;
  snapshots: Map<string, Snapshot>;
  /** What the account behind the key was refused, and when (Unix ms). */
  refused: Map<string, number>;
};

export type Endpoint = {
  id: string;
  /** Null for what only a store knows. */
  provider: Provider | null;
  breaker: Breaker;
  gate: Gate;
  keys: Map<string, KeyHealth>;
  /** Models that it does not have, and how it said so. */
  missing: Map<string, PawlError>;
  /** Fingerprint of the key that worked last. */
  current: string | null;
  /** Counts calls, for keys that take turns. */
  calls: number;
};

/** One model with one key, and all that is known of them. */
export type ModelHealth = { endpoint: Endpoint; keyHealth: KeyHealth; model: string };

export const endpointId = ({ name, baseUrl }: Provider): string => `${name} ${baseUrl}`;

/** Names a key in a store without telling it. */
export function fingerprintOf(key: Key | null): string {
  return key === null ? '' : createHash('sha256').update(key.secret).digest('hex').slice(0, 16);
}

/**
 * Whether a model can be asked with a key: `ready`; `doubtful` when another key of the same model is better; `last` when anything
 * else is better; `resting` until a time; `retired` for good.
 */
export type Standing =
  | { state: 'ready' | 'doubtful' | 'last' }
  | { state: 'resting'; until: number; code: string; why: string }
  | { state: 'retired'; error: PawlError };

const ready: Standing = { state: 'ready' };

export function standingOf({ endpoint, keyHealth, model }: ModelHealth, now: number): Standing {
  const error = keyHealth.retired ?? endpoint.missing.get(model);
  if (error !== null && error !== undefined) return { state: 'retired', error };
  const own = keyHealth.rests.get(model);
  const isOpen = breakerState(endpoint.breaker, now) === 'open';
  if (own !== undefined && !own.isSoft && own.until > now && !(isOpen && endpoint.breaker.openUntil > own.until)) {
    return { state: 'resting', until: own.until, code: own.code, why: own.why };
  }
  if (isOpen) {
    const { openUntil, failures } = endpoint.breaker;
    return { state: 'resting', until: openUntil, code: 'overloaded', why: `it failed ${failures} times in a row` };
  }
  if (keyHealth.noCreditUntil > now) return { state: 'last' };
  for (const [restingModel, rest] of keyHealth.rests) {
    if (rest.until > now && (!rest.isSoft || restingModel === model)) return { state: 'doubtful' };
  }
  return ready;
}

/** The order in which a call tries the keys of a provider. */
export function keyOrder(endpoint: Endpoint, provider: Provider, random: () => number): readonly (Key | null)[] {
  const { keys, rotation = 'on_failure', order = 'sequential' } = provider;
  if (keys.length === 0) return [null];
  if (keys.length === 1) return keys;
  const isRandom = order === 'random';
  if (rotation === 'per_request') {
    return isRandom ? shuffled(keys, random) : rotated(keys, endpoint.calls++ % keys.length);
  }
  const current = keys.findIndex((key) => fingerprintOf(key) === endpoint.current);
  if (current === -1) return isRandom ? shuffled(keys, random) : keys;
  const [first, ...others] = rotated(keys, current);
  return first === undefined ? keys : [first, ...(isRandom ? shuffled(others, random) : others)];
}

function rotated<Item>(list: readonly Item[], by: number): Item[] {
  return [...list.slice(by), ...list.slice(0, by)];
}

function shuffled<Item>(list: readonly Item[], random: () => number): Item[] {
  const dealt = list.map((item) => ({ item, chance: random() }));
  return dealt.sort((one, other) => one.chance - other.chance).map(({ item }) => item);
}

/** What the head of an answer told. What is used up until a known time is left alone ahead of time. */
export function recordRateLimits({ keyHealth, model }: ModelHealth, snapshot: Snapshot): void {
  keyHealth.snapshots.set(model, snapshot);
  const now = snapshot.at;
  const known = keyHealth.rests.get(model);
  const empty = usedUp(snapshot, now);
  if (known !== undefined && !known.isSoft && known.until > now) return;
  if (empty === null) keyHealth.rests.delete(model);
  else {
    // What comes back bit by bit may suffice long before all of it is back; only the next answer tells.
    const why = `no ${empty.bucket} left`;
    keyHealth.rests.set(model, { until: empty.until, code: 'rate_limited', why, isSoft: snapshot.isGradual });
  }
}

/** The model answered. True if calls that waited for its provider may go on. */
export function recordSuccess({ endpoint, keyHealth }: ModelHealth): boolean {
  endpoint.current = keyHealth.fingerprint;
  keyHealth.noCreditUntil = 0;
  return breakerAnswered(endpoint.breaker);
}

/** What the provider says of the key's account. A key of which nothing is left is asked after all others. */
export function recordCredit(health: KeyHealth, credit: Credit, { noCreditMs }: Policy): void {
  health.credit = credit;
  health.noCreditUntil = credit.remaining !== null && credit.remaining <= 0 ? credit.at + noCreditMs : 0;
}

export type Consequence = {
  meaning: Meaning;
  /** How long the key rests for this model, or 0. */
  restMs: number;
  /** The provider itself is down, for all one can tell. */
  isDown: boolean;
  /** Others may go on that waited for this provider. */
  hasRecovered: boolean;
};

/** The model failed. Whether that counts against its provider shows at the end of the round. */
export function recordFailure(
  { endpoint, keyHealth, model }: ModelHealth,
  error: PawlError,
  { now, policy }: { now: number; policy: Policy },
): Consequence {
  const meaning = meaningOf(error);
  const restMs = restOf(error, policy);
  const isProviderDown = isDown(error);
  const hasAnswered = !isProviderDown && (isTransientFailure(error) || failureDetails(error).status !== undefined);
  const hasRecovered = hasAnswered && breakerAnswered(endpoint.breaker);
  if (restMs > 0) {
    keyHealth.rests.set(model, { until: now + restMs, code: error.code, why: reasonOf(error), isSoft: false });
  }
  if (meaning === 'no_credit') keyHealth.noCreditUntil = now + policy.noCreditMs;
  if (meaning === 'key_refused') keyHealth.retired = error;
  if (meaning === 'model_missing') endpoint.missing.set(model, error);
  return { meaning, restMs, isDown: isProviderDown, hasRecovered };
}
