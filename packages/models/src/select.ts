import { resolve } from 'node:path';
import type { Model } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import type { ProxyEnvironment } from '@pawl/protocol/proxy';
import { findAt, providerCalled } from './catalogue/find.ts';
import { infoOf } from './catalogue/pricing.ts';
import type { ModelFacts } from './catalogue/table.ts';
import type { WireTap } from './http/connection.ts';
import type { Health } from './pool/health.ts';
import type { Candidate } from './pool/types.ts';
import type { RecordedProviders } from './record/wire-cassette.ts';
import { modelNames } from './select/forms.ts';
import type { FoundKey } from './select/keys.ts';
import { parseModelName } from './select/names.ts';
import { isOtherVersion, nearest, suggestion } from './select/near.ts';
import { knownProviders } from './select/providers.ts';
import {
  catalogueModels,
  dialectSettingsOf,
  factsOf,
  ownOf,
  parametersOf,
  providerNames,
  type ResolvedProvider,
  resolveProvider,
} from './select/resolve.ts';
import type { ModelsSettings } from './select/settings.ts';
import { loadWire } from './select/wires.ts';

export { pricesAt } from './catalogue/cost.ts';
export { infoOf } from './catalogue/pricing.ts';
export { catalogue, type DatedPrices, type ModelFacts, type Price } from './catalogue/table.ts';
export type { Parameters } from './parameters.ts';
export type { Candidate } from './pool/types.ts';
export { parameterChanges } from './select/changes.ts';
export { askCredit } from './select/credit.ts';
export { parseModelName } from './select/names.ts';
export { suggestion } from './select/near.ts';
export {
  catalogueModels,
  factsOf,
  parametersOf,
  providerNames,
  type ResolvedProvider,
  resolveProvider,
  variantsOf,
} from './select/resolve.ts';
export type { KeySource, ModelSettings, ModelsSettings, ProviderSettings, Variants } from './select/settings.ts';

export type ModelsOptions = {
  settings?: ModelsSettings;
  /** Where keys, addresses and proxies are read from; default `process.env`. */
  environment?: ProxyEnvironment;
  /** What is known of providers and keys, shared by all models; default: known to these models alone. */
  health?: Health;
  /** Told, in one line, what a person should know of a choice: a model of a pool that is left out. */
  notice?: (line: string) => void;
  /** Sees, or plays, all that goes over the network: `recordWire`, `replayWire`. */
  tap?: WireTap;
  /** Nothing goes over the network, so no key is needed. */
  isOffline?: boolean;
};

export type Models = {
  /**
   * The model that `name` names (see `modelNames`), the same one each time; its wires are loaded only now.
   * @throws `unknown_model`; `unknown_variant`; `no_key`; `bad_base_url`; `bad_config`; and what `replay` throws.
   */
  modelFor(name: string): Promise<Model>;
  /** What `name` stands for, in the order in which it is tried; empty for `demo` and recordings. @throws the same. */
  candidatesFor(name: string): Promise<readonly Candidate[]>;
};

export function createModels(options: ModelsOptions = {}): Models {
  const { settings = {}, environment = process.env, notice = () => undefined, tap, isOffline = false } = options;
  const models = new Map<string, Promise<Model>>();
  const providers = new Map<string, ResolvedProvider>();
  let health: Promise<Health> | null = options.health === undefined ? null : Promise.resolve(options.health);

  /** A wire that needs a key is content with any. */
  const offlineKey: FoundKey | null = isOffline ? { name: 'none', secret: 'no-key-is-needed' } : null;

  async function candidate(id: string): Promise<Candidate> {
    const named = parseModelName(id);
    if (named === null) throw unknownModel(id, settings);
    const { model, variant } = named;
    const provider = providers.get(named.provider) ?? resolveProvider(named.provider, settings, environment);
    if (provider === null) throw unknownModel(id, settings);
    // All its models share its keys: that one of them rests is known to all.
    providers.set(named.provider, provider);
    if (!provider.isReady && !isOffline) throw noKeyFor(id, provider);
    const plainId = `${provider.name}/${model}`;
    const facts = factsOf(provider, model, settings);
    sayIfMisspelt(provider, model, facts);
    const parameters = parametersOf(plainId, variant, settings);
    const dialect = dialectSettingsOf(provider, model, settings);
    const call = { id, model, provider, facts, dialect, environment, parameters, ...(tap !== undefined && { tap }) };
    const openWire = await loadWire(provider.wire);
    // An address or a proxy that is none shows itself now.
    openWire(call, provider.keys[0] ?? offlineKey);
    return {
      id,
      provider,
      info: infoOf(facts),
      open: (key, onHeaders, refusals) =>
        openWire(call, (key as FoundKey | null) ?? offlineKey, { onHeaders, refusals }),
    };
  }

  /** A model that is newer than the catalogue is asked for all the same; one that is misspelt had better be said now. */
  function sayIfMisspelt(provider: ResolvedProvider, model: string, facts: ModelFacts): void {
    // What only its family is known of may be misspelt.
    const isListed = Object.keys(facts).length > 0 && facts.like === undefined;
    const known = isListed ? [] : catalogueModels(provider);
    const near = nearest(model, known);
    if (near === null || isOtherVersion(model, near)) return;
    notice(
      `${provider.name}/${model} is in no catalogue, and is asked for all the same. Did you mean "${provider.name}/${near}"?`,
    );
  }

  async function candidatesFor(name: string): Promise<readonly Candidate[]> {
    const chain = ownOf(settings.pools, name);
    if (chain === undefined) return isAlone(name) ? [] : [await candidate(name)];
    const found = await Promise.all(chain.map((id) => candidate(id).catch((error: unknown) => leftOut(id, error))));
    const ready = found.filter((one) => 'open' in one);
    const missing = found.filter((one) => 'error' in one);
    if (ready.length === 0) {
      throw missing[0]?.error ?? new PawlError('bad_config', `pools.${name}: a pool needs at least one model.`);
    }
    for (const { id, error } of missing) notice(`The pool ${name} goes without ${id}: ${error.message}`);
    return ready;
  }

  async function open(name: string): Promise<Model> {
    if (name === 'demo') return openDemo(tap);
    if (name.startsWith('replay:')) return openReplay(name.slice('replay:'.length), options);
    const candidates = await candidatesFor(name);
    const { poolModel } = await import('./pool/pool.ts');
    health ??= import('./pool/health.ts').then(({ createHealth }) => createHealth());
    return poolModel({ id: name, candidates, health: await health });
  }

  return {
    candidatesFor,
    modelFor(name) {
      const model = models.get(name) ?? open(name);
      models.set(name, model);
      // What failed may succeed when it is asked for again.
      model.catch(() => models.delete(name));
      return model;
    },
  };
}

async function openDemo(tap: WireTap | undefined): Promise<Model> {
  const { demo } = await import('./demo/index.ts');
  return tap === undefined ? demo() : (await import('./demo/over-wire.ts')).overWire(demo(), tap);
}

/** The recorded model, under the name of its recording. */
async function openReplay(path: string, options: ModelsOptions): Promise<Model> {
  const { openRecording } = await import('./record/recording.ts');
  const { model, providers, tap } = openRecording(path);
  const settings = withRecorded(options.settings ?? {}, providers);
  const recorded = await createModels({ ...options, settings, tap, isOffline: true }).modelFor(model);
  return renamed(recorded, path);
}

/** Settings with the providers as they were when a recording was made. */
export function withRecorded(settings: ModelsSettings, recorded: RecordedProviders): ModelsSettings {
  const providers = { ...settings.providers };
  for (const [name, each] of Object.entries(recorded)) providers[name] = { ...providers[name], ...each };
  return { ...settings, providers };
}

/** The providers of a model, for its recording. */
export function providersOf(candidates: readonly Candidate[], settings: ModelsSettings): RecordedProviders {
  const named = candidates.flatMap(({ provider }) => resolveProvider(provider.name, settings, process.env) ?? []);
  return Object.fromEntries(named.map(({ name, wire, baseUrl }) => [name, { wire, baseUrl }]));
}

/** Whole, so that a session of it can be gone on with from anywhere. */
export const renamed = (model: Model, path: string): Model => ({ ...model, id: `replay:${resolve(path)}` });

/**
 * The model that `name` names, where nothing is configured but by the environment. @throws as `Models.modelFor`.
 * @example
 * const model = await modelFor('anthropic/claude-sonnet-4-5@high');
 */
export async function modelFor(name: string, environment: ProxyEnvironment = process.env): Promise<Model> {
  return createModels({ environment }).modelFor(name);
}

/** Models that no provider answers for. */
function isAlone(name: string): boolean {
  return name === 'demo' || name.startsWith('replay:');
}

/** Only a key that is missing leaves a model out of its pool; what is a mistake stays one. */
function leftOut(id: string, error: unknown): { id: string; error: PawlError } {
  if (isPawlError(error, 'no_key')) return { id, error };
  throw error;
}

function noKeyFor(id: string, { name, missing }: ResolvedProvider): PawlError {
  return new PawlError('no_key', `${id} needs an API key of ${name}: ${missing.join(', or ')}.`);
}

function unknownModel(name: string, settings: ModelsSettings): PawlError {
  const known = modelNames.map(([form, meaning]) => `\n  ${form}  ${meaning}`).join('');
  return new PawlError('unknown_model', `There is no model "${name}".${hint(name, settings)} There are:${known}`);
}

/** What was probably meant. */
function hint(name: string, settings: ModelsSettings): string {
  const slash = name.indexOf('/');
  const providers = providerNames(settings);
  if (slash > 0) {
    const near = suggestion(name.slice(0, slash), providers);
    return near === '' ? ` The providers are ${providers.join(', ')}.` : near;
  }
  if (providers.includes(name))
    return ` ${name} is a provider: write ${name}/<model>. "pawl models ${name}" lists some.`;
  const near = suggestion(name, [...Object.keys(settings.pools ?? {}), 'demo']);
  if (near !== '' || name === '') return near;
  for (const [provider, { catalogue }] of Object.entries(knownProviders)) {
    const place = catalogue === undefined ? null : providerCalled(catalogue);
    if (place !== null && findAt(place, name) !== null) return ` Did you mean "${provider}/${name}"?`;
  }
  return '';
}
