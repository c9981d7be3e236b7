import { durationText } from '@pawl/engine/readers/words';
import { breakerState } from './breaker.ts';
import type { Credit } from './credit.ts';
import type { Endpoint, KeyHealth } from './endpoint.ts';
import type { Snapshot } from './rate-limits.ts';
import { maskKey, reasonOf } from './show.ts';

/** One key as it may be shown. Times are Unix ms. */
export type KeyReport = {
  /** Where it comes from; null for a provider without keys. */
  name: string | null;
  /** Masked. */
  key: string | null;
  /** `resting`: for at least one model. `no_credit`: asked only when nothing else is left. */
  state: 'ready' | 'resting' | 'no_credit' | 'retired';
  /** When it is ready again, for all models; null where it is, or will not be. */
  until: number | null;
  why: string | null;
  rests: readonly { model: string; until: number; why: string; isSoft: boolean }[];
  snapshots: readonly { model: string; snapshot: Snapshot }[];
  /** What its account had left when the provider was asked last. */
  credit: Credit | null;
};

export type ProviderReport = {
  provider: string;
  baseUrl: string;
  /** `open`: it failed so often that it is left alone until `until`; `half_open`: the next call is a probe. */
  state: 'closed' | 'open' | 'half_open';
  until: number | null;
  why: string | null;
  requestsUnderWay: number;
  /** Calls that wait for its limits. */
  callsWaiting: number;
  /** Models that it said it has not. */
  missingModels: readonly { model: string; why: string }[];
  keys: readonly KeyReport[];
};

/** What is known of a provider; nothing for one that only a store knows. */
export function reportOf({ provider, breaker, gate, keys, missing }: Endpoint, now: number): ProviderReport[] {
  if (provider === null) return [];
  const state = breakerState(breaker, now);
  const known = [...keys.values()].filter(({ key, fingerprint }) => key !== null || fingerprint === '');
  return [
    {
      provider: provider.name,
      baseUrl: provider.baseUrl,
      state,
      until: state === 'open' ? breaker.openUntil : null,
      why:
        state === 'closed'
          ? null
          : `failed ${breaker.failures} times in a row${state === 'open' ? `, asked again in ${durationText(breaker.openUntil - now)}` : ''}`,
      requestsUnderWay: gate.underWay,
      callsWaiting: gate.waiting,
      missingModels: [...missing].map(([model, error]) => ({ model, why: reasonOf(error) })),
      keys: known.map((key) => keyReport(key, now)),
    },
  ];
}

function keyReport(health: KeyHealth, now: number): KeyReport {
  const { key, retired, noCreditUntil } = health;
  const rests = [...health.rests]
    .filter(([, { until }]) => until > now)
    .map(([model, { until, why, isSoft }]) => ({ model, until, why, isSoft }));
  const longest = rests
    .filter(({ isSoft }) => !isSoft)
    .reduce<(typeof rests)[number] | null>(
      (last, rest) => (last !== null && last.until > rest.until ? last : rest),
      null,
    );
  return {
    name: key?.name ?? null,
    key: key === null ? null : maskKey(key.secret),
    ...summary(),
    rests,
    credit: health.credit,
    snapshots: [...health.snapshots].map(([model, snapshot]) => ({ model, snapshot })),
  };

  function summary(): Pick<KeyReport, 'state' | 'until' | 'why'> {
    if (retired !== null) return { state: 'retired', until: null, why: reasonOf(retired) };
    if (longest !== null) return { state: 'resting', until: longest.until, why: longest.why };
    if (noCreditUntil > now) return { state: 'no_credit', until: noCreditUntil, why: 'no credit left' };
    return { state: 'ready', until: null, why: null };
  }
}
