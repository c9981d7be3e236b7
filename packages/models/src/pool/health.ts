import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, systemClock } from '@pawl/engine';
import { messageOf, type PawlError } from '@pawl/protocol';
import type { Refusals } from '../wires/options.ts';
import { breakerBegins, closedBreaker } from './breaker.ts';
import type { Credit } from './credit.ts';
import {
  type Consequence,
  type Endpoint,
  endpointId,
  fingerprintOf,
  type KeyHealth,
  keyCredited,
  type Place,
  placeFailed,
  placeObserved,
  placeSucceeded,
} from './endpoint.ts';
import { Gate } from './gate.ts';
import { type HealthStore, readStored, type StoredHealth } from './health-store.ts';
import { defaultPolicy, type Policy } from './policy.ts';
import { readRateLimits } from './rate-limits.ts';
import { type ProviderReport, reportOf } from './report.ts';
import { type Candidate, type Key, modelOf, type Provider } from './types.ts';

export type HealthReport = {
  providers: readonly ProviderReport[];
  /** Why rests could not be read from the store or written to it, or null. */
  problem: string | null;
};

/** What all pools of a process know of providers and keys. People read `report`; the rest is for pools. */
export type Health = {
  readonly clock: Clock;
  /** What is known of these providers; without a list, of all that a pool of this process has asked or may ask. */
  report(providers?: readonly Provider[]): HealthReport;
  /** Resolves when the store has been read; null if that is done. */
  readonly loading: Promise<void> | null;
  /** Writes to the store what is worth keeping. Rests are written at once; call it before the process ends. */
  flush(): Promise<void>;
  place(candidate: Candidate, key: Key | null): Place;
  endpoint(provider: Provider): Endpoint;
  observe(place: Place, headers: IncomingHttpHeaders): void;
  /** What the account behind a key was refused, for its wires to know. It is asked for again after a week. */
  refusals(place: Place): Refusals;
  /** The provider told what is left of the account of a key. */
  credited(provider: Provider, key: Key, credit: Credit): void;
  /** A request is about to be sent. */
  begins(place: Place): void;
  succeeded(place: Place): void;
  failed(place: Place, error: PawlError, policy: Policy): Consequence;
  /** Calls when a provider answers again that was left alone; returns how to be called no more. */
  onRecovery(call: () => void): () => void;
};

/** Snapshots older than this are not kept. */
const snapshotMs = 86_400_000;
/** An account may be given later what it is refused now. */
const refusalMs = 7 * 86_400_000;

/**
 * The health of providers and keys, to be shared by all pools of a process. With a store, rests outlive the process, and
 * those that other processes saved are heeded: at the start, and whenever this one saves.
 */
export function createHealth({ store, clock = systemClock }: { store?: HealthStore; clock?: Clock } = {}): Health {
  const endpoints = new Map<string, Endpoint>();
  const listeners = new Set<() => void>();
  let problem: string | null = null;
  let saving: Promise<void> | null = null;
  let isStale = false;

  function endpointOf(id: string): Endpoint {
    let endpoint = endpoints.get(id);
    if (endpoint === undefined) {
      endpoint = {
        id,
        provider: null,
        breaker: closedBreaker(),
        gate: new Gate(clock),
        keys: new Map(),
        missing: new Map(),
        current: null,
        calls: 0,
      };
      endpoints.set(id, endpoint);
    }
    return endpoint;
  }

  function keyHealthOf(endpoint: Endpoint, fingerprint: string): KeyHealth {
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

  function keyOf(endpoint: Endpoint, key: Key | null): KeyHealth {
    const health = keyHealthOf(endpoint, fingerprintOf(key));
    health.key = key;
    return health;
  }

  function knownProvider(provider: Provider): Endpoint {
    const endpoint = endpointOf(endpointId(provider));
    endpoint.provider = provider;
    endpoint.gate.limits = { requestsPerMinute: provider.requestsPerMinute, concurrency: provider.concurrency };
    return endpoint;
  }

  /** Takes up what another process knows: of two rests, the longer. */
  function absorb(stored: StoredHealth): void {
    const now = clock.now();
    for (const { provider, key, model, until, code, why } of stored.rests) {
      const { rests } = keyHealthOf(endpointOf(provider), key);
      const known = rests.get(model);
      if (until <= now || (known !== undefined && !known.isSoft && known.until >= until)) continue;
      rests.set(model, { until: Math.min(until, now + defaultPolicy.longestRestMs), code, why, isSoft: false });
    }
    for (const { provider, key, credit } of stored.credits) {
      const health = keyHealthOf(endpointOf(provider), key);
      const isNews = credit.at > (health.credit?.at ?? now - snapshotMs);
      if (isNews) keyCredited(health, credit, defaultPolicy);
    }
    for (const { provider, key, what, at } of stored.refusals ?? []) {
      const { refused } = keyHealthOf(endpointOf(provider), key);
      if (at > now - refusalMs && at <= now) refused.set(what, Math.max(at, refused.get(what) ?? 0));
    }
    for (const { provider, key, model, snapshot } of stored.snapshots) {
      const { snapshots } = keyHealthOf(endpointOf(provider), key);
      if (snapshot.at > (snapshots.get(model)?.at ?? now - snapshotMs)) snapshots.set(model, snapshot);
    }
  }

  function stored(): StoredHealth {
    const now = clock.now();
    const keys = [...endpoints.values()].flatMap(({ id, keys }) => [...keys.values()].map((key) => ({ id, key })));
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

  /** A store that fails must not fail a call: what is wrong with it stands in the report. */
  async function write(store: HealthStore): Promise<void> {
    try {
      while (isStale) {
        isStale = false;
        absorb(readStored(await store.load()));
        await store.save(stored());
      }
      problem = null;
    } catch (error) {
      isStale = false;
      problem = messageOf(error);
    }
  }

  async function save(): Promise<void> {
    if (store === undefined) return;
    isStale = true;
    saving ??= write(store).finally(() => {
      saving = null;
    });
    await saving;
    if (isStale) await save();
  }

  function announceRecovery(): void {
    for (const call of [...listeners]) call();
  }

  let loading: Promise<void> | null =
    store === undefined
      ? null
      : store
          .load()
          .then(
            (value) => absorb(readStored(value)),
            (error: unknown) => {
              problem = messageOf(error);
            },
          )
          .then(() => {
            loading = null;
          });

  return {
    clock,
    report(providers) {
      const asked = providers?.map((provider) => {
        const endpoint = knownProvider(provider);
        for (const key of provider.keys) keyOf(endpoint, key);
        return endpoint;
      });
      const now = clock.now();
      return { providers: (asked ?? [...endpoints.values()]).flatMap((endpoint) => reportOf(endpoint, now)), problem };
    },
    get loading() {
      return loading;
    },
    async flush() {
      await loading;
      await save();
    },
    place(candidate, key) {
      const endpoint = knownProvider(candidate.provider);
      return { endpoint, health: keyOf(endpoint, key), model: modelOf(candidate) };
    },
    endpoint: knownProvider,
    observe(place, headers) {
      const snapshot = readRateLimits(headers, clock.now());
      if (snapshot !== null) placeObserved(place, snapshot);
    },
    refusals({ health }) {
      return {
        has: (what) => (health.refused.get(what) ?? Number.NEGATIVE_INFINITY) > clock.now() - refusalMs,
        add(what) {
          health.refused.set(what, clock.now());
          save().catch((unforeseen: unknown) => {
            problem = messageOf(unforeseen);
          });
        },
      };
    },
    credited(provider, key, credit) {
      keyCredited(keyOf(knownProvider(provider), key), credit, defaultPolicy);
    },
    begins({ endpoint }) {
      breakerBegins(endpoint.breaker, clock.now());
    },
    succeeded(place) {
      if (placeSucceeded(place)) announceRecovery();
    },
    failed(place, error, policy) {
      const consequence = placeFailed(place, error, { now: clock.now(), policy });
      if (consequence.restMs > 0) {
        save().catch((unforeseen: unknown) => {
          problem = messageOf(unforeseen);
        });
      }
      if (consequence.hasRecovered) announceRecovery();
      return consequence;
    },
    onRecovery(call) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
  };
}
