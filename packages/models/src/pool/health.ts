import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, systemClock } from '@pawl/engine';
import { messageOf, type PawlError } from '@pawl/protocol';
import type { Refusals } from '../wires/options.ts';
import { breakerBegins } from './breaker.ts';
import type { Credit } from './credit.ts';
import {
  type Consequence,
  type Endpoint,
  type ModelHealth,
  recordCredit,
  recordFailure,
  recordRateLimits,
  recordSuccess,
} from './endpoint.ts';
import { Endpoints } from './endpoints.ts';
import { type HealthStore, readStored } from './health-store.ts';
import { defaultPolicy, type Policy } from './policy.ts';
import { readRateLimits } from './rate-limits.ts';
import { type ProviderReport, reportOf } from './report.ts';
import { type Candidate, type Key, modelOf, type Provider } from './types.ts';

export type HealthReport = {
  providers: readonly ProviderReport[];
  /** Why rests could not be read from the store or written to it, or null. */
  problem: string | null;
};

/** What all pools of a process know about providers and keys. `report` is for people; the rest is for pools. */
export type Health = {
  readonly clock: Clock;
  /** What is known of these providers; without a list, of all that a pool of this process has asked or may ask. */
  report(providers?: readonly Provider[]): HealthReport;
  /** Resolves when the store has been read; null if that is done. */
  readonly loading: Promise<void> | null;
  /** Writes to the store what is worth keeping. Rests are written at once; call it before the process ends. */
  flush(): Promise<void>;
  of(candidate: Candidate, key: Key | null): ModelHealth;
  endpoint(provider: Provider): Endpoint;
  observe(modelHealth: ModelHealth, headers: IncomingHttpHeaders): void;
  /** Features that the account behind a key was refused. They are tried again after a week. */
  refusals(modelHealth: ModelHealth): Refusals;
  /** The provider told what is left of the account of a key. */
  credited(provider: Provider, key: Key, credit: Credit): void;
  /** A request is about to be sent. */
  begins(modelHealth: ModelHealth): void;
  succeeded(modelHealth: ModelHealth): void;
  failed(modelHealth: ModelHealth, error: PawlError, policy: Policy): Consequence;
  /** Registers a listener for providers that answer again after failures; returns how to remove it. */
  onRecovery(call: () => void): () => void;
};

/**
 * The health of providers and keys, to be shared by all pools of a process. With a store, rests outlive the process, and
 * those that other processes saved are heeded: at the start, and whenever this one saves.
 * @example poolModel({ id: 'main', candidates, health: createHealth({ store: fileHealthStore('/home/me/health.json') }) })
 */
export function createHealth({ store, clock = systemClock }: { store?: HealthStore; clock?: Clock } = {}): Health {
  const endpoints = new Endpoints(clock);
  const saver = store === undefined ? null : new Saver(store, endpoints);
  const listeners = new Set<() => void>();
  const announceRecovery = () => {
    for (const call of [...listeners]) call();
  };
  return {
    clock,
    report(providers) {
      const asked = providers?.map((provider) => {
        const endpoint = endpoints.of(provider);
        for (const key of provider.keys) endpoints.healthOf(endpoint, key);
        return endpoint;
      });
      const now = clock.now();
      const reports = (asked ?? endpoints.all()).flatMap((endpoint) => reportOf(endpoint, now));
      return { providers: reports, problem: saver?.problem ?? null };
    },
    get loading() {
      return saver?.loading ?? null;
    },
    async flush() {
      await saver?.loading;
      await saver?.save();
    },
    of(candidate, key) {
      const endpoint = endpoints.of(candidate.provider);
      return { endpoint, keyHealth: endpoints.healthOf(endpoint, key), model: modelOf(candidate) };
    },
    endpoint: (provider) => endpoints.of(provider),
    observe(modelHealth, headers) {
      const snapshot = readRateLimits(headers, clock.now());
      if (snapshot !== null) recordRateLimits(modelHealth, snapshot);
    },
    refusals: ({ keyHealth }) => ({
      has: (what) => endpoints.isRefused(keyHealth, what),
      add(what) {
        keyHealth.refused.set(what, clock.now());
        saver?.saveSoon();
      },
    }),
    credited(provider, key, credit) {
      recordCredit(endpoints.healthOf(endpoints.of(provider), key), credit, defaultPolicy);
    },
    begins({ endpoint }) {
      breakerBegins(endpoint.breaker, clock.now());
    },
    succeeded(modelHealth) {
      if (recordSuccess(modelHealth)) announceRecovery();
    },
    failed(modelHealth, error, policy) {
      const consequence = recordFailure(modelHealth, error, { now: clock.now(), policy });
      if (consequence.restMs > 0) saver?.saveSoon();
      if (consequence.hasRecovered) announceRecovery();
      return consequence;
    },
    onRecovery(call) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
  };
}

/** Reads and writes the store. A store that fails must not fail a call: its problem stands in the report. */
class Saver {
  readonly #store: HealthStore;
  readonly #endpoints: Endpoints;
  #saving: Promise<void> | null = null;
  /** Something has changed since the last write began. */
  #isStale = false;
  problem: string | null = null;
  /** Resolves when the store has been read; null once that is done. */
  loading: Promise<void> | null;

  constructor(store: HealthStore, endpoints: Endpoints) {
    this.#store = store;
    this.#endpoints = endpoints;
    this.loading = store
      .load()
      .then((value) => endpoints.absorb(readStored(value)), this.#note)
      .then(() => {
        this.loading = null;
      });
  }

  async save(): Promise<void> {
    this.#isStale = true;
    this.#saving ??= this.#write().finally(() => {
      this.#saving = null;
    });
    await this.#saving;
    if (this.#isStale) await this.save();
  }

  saveSoon(): void {
    this.save().catch(this.#note);
  }

  async #write(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false;
        this.#endpoints.absorb(readStored(await this.#store.load()));
        await this.#store.save(this.#endpoints.stored());
      }
      this.problem = null;
    } catch (error) {
      this.#isStale = false;
      this.#note(error);
    }
  }

  readonly #note = (error: unknown): void => {
    this.problem = messageOf(error);
  };
}
