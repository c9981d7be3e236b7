import { PawlError } from '@pawl/protocol';
import type { ProxyEnvironment } from '@pawl/protocol/proxy';
import { findAt, providerAt, providerCalled } from '../catalogue/find.ts';
import type { CatalogueProvider, DatedPrices, ModelFacts } from '../catalogue/table.ts';
import type { Timeouts } from '../http/timeouts.ts';
import type { Parameters } from '../parameters.ts';
import type { Provider } from '../pool/types.ts';
import type { DialectSettings } from '../wires/openai-chat/dialects.ts';
import { baseUrlProblem } from '../wires/options.ts';
import { type FoundKey, type Keyring, listedKeys, usualKeys } from './keys.ts';
import { suggestion } from './near.ts';
import { knownProviders, type WireName } from './providers.ts';
import type { ModelSettings, ModelsSettings, Variants } from './settings.ts';

/** A provider as it is to be used here. */
export type ResolvedProvider = Omit<Provider, 'keys'> & {
  wire: WireName;
  keys: readonly FoundKey[];
  /** What would give it keys, or more of them: `set GROQ_API_KEY`. */
  missing: readonly string[];
  /** Whether it can be called as it is: it has a key or needs none. */
  isReady: boolean;
  /** Needs no key, and nobody gave it one. */
  isKeyless: boolean;
  headers: { readonly [name: string]: string };
  timeouts: Partial<Timeouts>;
  cache: 'off' | '5m' | '1h' | null;
};

/** Names of all providers that there are. */
export function providerNames(settings: ModelsSettings): string[] {
  return [...new Set([...Object.keys(settings.providers ?? {}), ...Object.keys(knownProviders)])];
}

/**
 * Null if there is no provider of that name.
 * @throws `bad_config` when one of the user's own lacks its address or wire; `bad_base_url` when a variable holds no address.
 */
export function resolveProvider(
  name: string,
  settings: ModelsSettings,
  environment: ProxyEnvironment,
): ResolvedProvider | null {
  const own = ownOf(settings.providers, name);
  const known = ownOf(knownProviders, name);
  if (own === undefined && known === undefined) return null;
  const {
    wire = known?.wire,
    keys: sources,
    headers = {},
    timeouts = {},
    cache = null,
    dialect: _dialect,
    credit: place,
    ...limits
  } = own ?? {};
  const address = known?.address === undefined ? undefined : environment[known.address];
  const baseUrl = own?.baseUrl ?? (address || known?.baseUrl);
  if (wire === undefined || baseUrl === undefined) {
    const lacking = baseUrl === undefined ? 'baseUrl' : 'wire';
    throw new PawlError('bad_config', `providers.${name}: a provider of your own needs ${lacking}.`);
  }
  if (own?.baseUrl === undefined && address) {
    const problem = baseUrlProblem(address);
    if (problem !== null) throw new PawlError('bad_base_url', `${known?.address} ${problem}.`);
  }
  const {
    keys,
    missing,
    isFaulty = false,
  }: Keyring = sources !== undefined
    ? listedKeys(sources, environment)
    : known === undefined
      ? { keys: [], missing: [] }
      : usualKeys(known, environment);
  const isHome = known !== undefined && known.keys.length > 0 && sameOrigin(baseUrl, known.baseUrl);
  const credit = place ?? (isHome ? known.credit : undefined);
  const isKeyless = keys.length === 0 && !isFaulty && (sources === undefined || sources.length === 0) && !isHome;
  return {
    ...limits,
    ...(credit === undefined ? {} : { credit }),
    name,
    wire,
    baseUrl,
    keys,
    missing: isKeyless ? [] : missing,
    isReady: keys.length > 0 || isKeyless,
    isKeyless,
    headers,
    timeouts,
    cache,
  };
}

/** What the catalogue knows of a model, and the user better. */
export function factsOf(provider: CatalogueKey, model: string, settings: ModelsSettings): ModelFacts {
  const place = placeOf(provider);
  const known = place === null ? null : findAt(place, model);
  const own = ownOf(settings.models, `${provider.name}/${model}`);
  if (own === undefined) return known ?? {};
  return {
    ...known,
    ...(own.contextTokens !== undefined && { context: own.contextTokens }),
    ...(own.outputTokens !== undefined && { output: own.outputTokens }),
    ...(own.takes !== undefined && { takes: own.takes }),
    ...(own.efforts !== undefined && { efforts: own.efforts, thinks: true }),
    ...(own.prices !== undefined && { prices: datedPrices(own.prices) }),
  };
}

function datedPrices(prices: NonNullable<ModelSettings['prices']>): readonly DatedPrices[] {
  const all = isList(prices) ? prices : [prices];
  const dated = all.map(({ from, ...own }) => (from === undefined ? own : { ...own, when: { start_date: from } }));
  // Of those that hold, the last counts: whatever the order they are written in.
  const dayOf = ({ when }: DatedPrices) => (when !== undefined && 'start_date' in when ? when.start_date : '');
  return dated.toSorted((one, other) => dayOf(one).localeCompare(dayOf(other)));
}

function isList<Item>(value: Item | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}

/** How the server speaks: what its provider says, and its model better. */
export function dialectSettingsOf({ name }: CatalogueKey, model: string, settings: ModelsSettings): DialectSettings {
  return {
    ...ownOf(settings.providers, name)?.dialect,
    ...ownOf(settings.models, `${name}/${model}`)?.dialect,
  };
}

/** What of a provider says where its models are in the catalogue. */
type CatalogueKey = Pick<ResolvedProvider, 'name' | 'baseUrl' | 'wire'>;

/**
 * By its address; else by its name, where that is one we know; else what speaks a maker's wire at an address of its own
 * is a gateway to that maker's models.
 */
function placeOf({ name, baseUrl, wire }: CatalogueKey): CatalogueProvider | null {
  const known = ownOf(knownProviders, name) ?? ownOf(knownProviders, wire);
  const home = known?.catalogue;
  return providerAt(baseUrl) ?? (home === undefined ? null : providerCalled(home));
}

/** Names of the models that the catalogue says are offered there now. */
export function catalogueModels(provider: CatalogueKey): string[] {
  const isKnown = Object.hasOwn(knownProviders, provider.name) || providerAt(provider.baseUrl) !== null;
  // What a gateway offers, only the gateway knows.
  return isKnown ? (placeOf(provider)?.models.map(({ id }) => id) ?? []) : [];
}

/** Words that every model understands: how much it thinks. Each wire says it as its API does. */
const efforts: Variants = Object.fromEntries(
  ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map((effort) => [effort, { effort }]),
);

/** Variants that this model has, by name. */
export function variantsOf(id: string, settings: ModelsSettings): Variants {
  const all: { [name: string]: Parameters } = { ...efforts };
  for (const variants of [settings.variants, ownOf(settings.models, id)?.variants]) {
    for (const [name, parameters] of Object.entries(variants ?? {})) {
      // The first definition of one's own replaces the built-in of that name; a model's own adds to that for all.
      const isBuiltIn = ownOf(all, name) === ownOf(efforts, name);
      all[name] = isBuiltIn ? parameters : { ...all[name], ...parameters };
    }
  }
  return all;
}

/** @throws `unknown_variant`. */
export function parametersOf(id: string, variant: string | null, settings: ModelsSettings): Parameters {
  if (variant === null) return {};
  const variants = variantsOf(id, settings);
  const found = ownOf(variants, variant);
  if (found !== undefined) return found;
  const names = Object.keys(variants);
  throw new PawlError(
    'unknown_variant',
    `${id} has no variant "${variant}".${suggestion(variant, names)} There are: ${names.join(', ')}; add your own under variants in config.yaml.`,
  );
}

function sameOrigin(one: string, other: string): boolean {
  return URL.parse(one)?.origin === URL.parse(other)?.origin;
}

/** A value that the object itself has: a name such as `constructor` is nothing of ours. */
export function ownOf<Value>(values: { readonly [name: string]: Value } | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
}
