/** The endpoints and keys that a process knows, found by their ids, and their exchange with a store. */
import type { Clock } from '@pawl/engine';
import { closedBreaker } from './breaker.ts';
import { type Endpoint, endpointId, fingerprintOf, type KeyHealth, recordCredit } from './endpoint.ts';
import { Gate } from './gate.ts';
import type { StoredHealth } from './health-store.ts';
import { defaultPolicy } from './policy.ts';
import type { Key, Provider } from './types.ts';

/** Snapshots older than this are not kept. */
const snapshotMs = 86_400_000;
/** An account may be given later what it is refused now. */
const refusalMs = 7 * 86_400_000;

export class Endpoints {
  readonly #clock: Clock;
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  all(): Endpoint[] {
    return [...this.#endpoints.values()];
  }

  /** The endpoint of a provider, with the provider's present limits. */
  of(provider: Provider): Endpoint {
    const endpoint = this.#find(endpointId(provider));
    endpoint.provider = provider;
    endpoint.gate.limits = { requestsPerMinute: provider.requestsPerMinute, concurrency: provider.concurrency };
    return endpoint;
  }

  healthOf(endpoint: Endpoint, key: Key | null): KeyHealth {
    const health = findKey(endpoint, fingerprintOf(key));
    health.key = key;
    return health;
  }

  /** Whether the account behind a key was refused this, within the last week. */
  isRefused({ refused }: KeyHealth, what: string): boolean {
    return (refused.get(what) ?? Number.NEGATIVE_INFINITY) > this.#clock.now() - refusalMs;
  }

  /** Merges what another process has saved; of two rests, the longer counts. */
  absorb(stored: StoredHealth): void {
    const now = this.#clock.now();
    for (const { provider, key, model, until, code, why } of stored.rests) {
      const { rests } = findKey(this.#find(provider), key);
      const known = rests.get(model);
      if (until <= now || (known !== undefined && !known.isSoft && known.until >= until)) continue;
      rests.set(model, { until: Math.min(until, now + defaultPolicy.longestRestMs), code, why, isSoft: false });
    }
    for (const { provider, key, credit } of stored.credits) {
      const health = findKey(this.#find(provider), key);
      const isNews = credit.at > (health.credit?.at ?? now - snapshotMs);
      if (isNews) recordCredit(health, credit, defaultPolicy);
    }
    for (const { provider, key, what, at } of stored.refusals ?? []) {
      const { refused } = findKey(this.#find(provider), key);
      if (at > now - refusalMs && at <= now) refused.set(what, Math.max(at, refused.get(what) ?? 0));
    }
    for (const { provider, key, model, snapshot } of stored.snapshots) {
      const { snapshots } = findKey(this.#find(provider), key);
      if (snapshot.at > (snapshots.get(model)?.at ?? now - snapshotMs)) snapshots.set(model, snapshot);
    }
  }

  /** What is worth saving. */
  stored(): StoredHealth {
    const now = this.#clock.now();
    const keys = this.all().flatMap(({ id, keys }) => [...keys.values()].map((key) => ({ id, key })));
    return {
      version: 1,
      rests: keys.flatMap(({ id, key: { fingerprint, rests } }) =>
        [...rests]
          .filter(([, { isSoft, until }]) => !isSoft && until > now)
          .map(([model, { until, code, why }]) => ({ provider: id, key: fingerprint, model, until, code, why })),
      ),
      credits: keys.flatMap(({ id, key: { fingerprint, credit } }) =>
        credit === null || credit.at <= now - snapshotMs ? [] : [{ provider: id, key: fingerprint, credit }],
      ),
      refusals: keys.flatMap(({ id, key: { fingerprint, refused } }) =>
        [...refused]
          .filter(([, at]) => at > now - refusalMs)
          .map(([what, at]) => ({ provider: id, key: fingerprint, what, at })),
      ),
      snapshots: keys.flatMap(({ id, key: { fingerprint, snapshots } }) =>
        [...snapshots]
          .filter(([, { at }]) => at > now - snapshotMs)
          .map(([model, snapshot]) => ({ provider: id, key: fingerprint, model, snapshot })),
      ),
    };
  }

  #find(id: string): Endpoint {
    let endpoint = this.#endpoints.get(id);
    if (endpoint === undefined) {
      endpoint = {
        id,
        provider: null,
        breaker: closedBreaker(),
        gate: new Gate(this.#clock),
        keys: new Map(),
        missing: new Map(),
        current: null,
        calls: 0,
      };
      this.#endpoints.set(id, endpoint);
    }
    return endpoint;
  }
}

function findKey(endpoint: Endpoint, fingerprint: string): KeyHealth {
  let health = endpoint.keys.get(fingerprint);
  if (health === undefined) {
    health = {
      fingerprint,
      key: null,
      retired: null,
      noCreditUntil: 0,
      credit: null,
      rests: new Map(),
      snapshots: new Map(),
      refused: new Map(),
    };
    endpoint.keys.set(fingerprint, health);
  }
  return health;
}
