/** What there is to tell of models: what is configured, what is catalogued of it, and how it does. */
import { createHealth, fileHealthStore, type Health, type ProviderReport } from '@pawl/models/health';
import {
  askCredit,
  catalogue,
  catalogueModels,
  createModels,
  factsOf,
  infoOf,
  type ModelFacts,
  type ModelsSettings,
  type Parameters,
  parameterChanges,
  parametersOf,
  parseModelName,
  providerNames,
  type ResolvedProvider,
  resolveProvider,
  variantsOf,
} from '@pawl/models/select';
import { messageOf } from '@pawl/protocol';
import type { Config } from '../config/config.ts';
import { type Choice, choiceOf, healthPath } from '../models.ts';

/** A model with its limits, and its prices now in US dollars a million tokens; null is unknown. */
export type ModelRow = {
  id: string;
  /** Whether its provider has a key, or needs none. */
  isReady: boolean;
  contextTokens: number;
  outputTokens: number;
  /** False for limits that are only assumed. */
  isKnown: boolean;
  takes: readonly string[] | null;
  thinks: boolean | null;
  /** The words for how much it thinks that it takes, from the least; null where nobody knows. */
  efforts: readonly string[] | null;
  /** The model of its family whose limits these are; null for its own. */
  like: string | null;
  prices: NonNullable<ModelFacts['prices']> | null;
};

export type ProviderRow = {
  provider: string;
  wire: string;
  baseUrl: string;
  isReady: boolean;
  /** Whether it has a key, or the settings tell of it. */
  isConfigured: boolean;
  /** What would give it a key. */
  missing: readonly string[];
  /** Models of it in the catalogue. */
  knownModels: number;
  health: ProviderReport | null;
  /** Why it did not tell what is left of an account; null where it did, or was not asked. */
  creditProblem: string | null;
};

export type PoolRow = { pool: string; models: readonly NamedModel[] };

/** A model as settings name it, what keeps it from being used, and what of its variant it is not sent as it is. */
type NamedModel = { id: string; problem: string | null; changes: readonly string[] };

export type ModelsReport = {
  catalogue: { date: string; sources: readonly string[] };
  default: (Choice & { file: string | null; problem: string | null; changes: readonly string[] }) | null;
  providers: readonly ProviderRow[];
  pools: readonly PoolRow[];
  variants: { readonly [name: string]: Parameters };
  /** Those that are configured, or all that match what was asked for. */
  models: readonly ModelRow[];
};

type Options = {
  config: Config;
  folder: string;
  filter: string | null;
  /** Asks the providers that tell what is left of an account. Default false. */
  asksCredit?: boolean;
  environment?: NodeJS.ProcessEnv;
};

export async function collectModels({
  config,
  folder,
  filter,
  asksCredit = false,
  environment = process.env,
}: Options): Promise<ModelsReport> {
  const { models: settings } = config;
  const { date, sources } = catalogue();
  const choice = choiceOf({ flag: null, session: null, config: config.model, folder });
  const models = createModels({ settings, environment });
  const problemOf = async (name: string): Promise<string | null> => {
    try {
      await models.candidatesFor(name);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  };
  const pools = await Promise.all(
    Object.entries(settings.pools ?? {}).map(async ([pool, chain]) => ({
      pool,
      models: await Promise.all(
        chain.map(async (id) => ({ id, problem: await problemOf(id), changes: changesOf(id, settings) })),
      ),
    })),
  );
  const ids = filter === null ? configuredIds(settings, choice) : matchingIds(settings, filter);
  return {
    catalogue: { date, sources },
    default:
      choice === null
        ? null
        : {
            ...choice,
            file: choice.from === 'config' ? (config.model?.from ?? null) : null,
            problem: await problemOf(choice.name),
            changes: changesOf(choice.name, settings),
          },
    providers: await providerRows(settings, environment, asksCredit),
    pools,
    variants: settings.variants ?? {},
    models: ids.flatMap((id) => rowOf(id, settings, environment)),
  };
}

/** Whether it has a key, or the settings tell of it. */
export function isConfigured({ name, keys }: ResolvedProvider, settings: ModelsSettings): boolean {
  return keys.length > 0 || Object.hasOwn(settings.providers ?? {}, name);
}

async function providerRows(
  settings: ModelsSettings,
  environment: NodeJS.ProcessEnv,
  asksCredit: boolean,
): Promise<ProviderRow[]> {
  const providers = providerNames(settings).flatMap((name) => resolveProvider(name, settings, environment) ?? []);
  const health = createHealth({ store: fileHealthStore(healthPath(environment)) });
  await health.loading;
  const problems = asksCredit ? await askCredits(providers, health, environment) : new Map<string, string>();
  return providers.map((provider) => {
    const { name, wire, baseUrl, isReady, missing } = provider;
    return {
      provider: name,
      wire,
      baseUrl,
      isReady,
      isConfigured: isConfigured(provider, settings),
      missing,
      knownModels: catalogueModels(provider).length,
      health: health.report([provider]).providers[0] ?? null,
      creditProblem: problems.get(name) ?? null,
    };
  });
}

/** How long a provider may take to tell what is left. */
const creditMs = 10_000;

/** What they say is kept with the health of their keys, for this process and later ones. */
async function askCredits(
  providers: readonly ResolvedProvider[],
  health: Health,
  environment: NodeJS.ProcessEnv,
): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  const ask = async (provider: ResolvedProvider, key: ResolvedProvider['keys'][number]) => {
    try {
      const credit = await askCredit(provider, key, { environment, signal: AbortSignal.timeout(creditMs) });
      if (credit !== null) health.credited(provider, key, credit);
      else if (provider.credit !== undefined) problems.set(provider.name, 'does not tell what is left');
    } catch (error) {
      problems.set(provider.name, `does not tell what is left: ${messageOf(error)}`);
    }
  };
  await Promise.all(providers.flatMap((provider) => provider.keys.map((key) => ask(provider, key))));
  await health.flush();
  return problems;
}

/** What the settings name as a model, each once: the default, what is in pools, and what has settings of its own. */
export function configuredNames(settings: ModelsSettings, choice: Choice | null): string[] {
  const named = [
    ...(choice === null ? [] : [choice.name]),
    ...Object.values(settings.pools ?? {}).flat(),
    ...Object.keys(settings.models ?? {}),
  ];
  return [...new Set(named)];
}

/** The same as models, without variants and pools. */
function configuredIds(settings: ModelsSettings, choice: Choice | null): string[] {
  return [...new Set(configuredNames(settings, choice).flatMap((id) => plainId(id) ?? []))];
}

function plainId(id: string): string | null {
  const name = parseModelName(id);
  return name === null ? null : `${name.provider}/${name.model}`;
}

/** Models of the catalogue and of the settings whose id has all the words of `filter` in it; `openai/` is its beginning. */
function matchingIds(settings: ModelsSettings, filter: string): string[] {
  const words = filter.toLowerCase().split(/\s+/);
  const catalogued = providerNames(settings).flatMap((name) => {
    const provider = resolveProvider(name, settings, {});
    return provider === null ? [] : catalogueModels(provider).map((model) => `${name}/${model}`);
  });
  const all = [...new Set([...configuredIds(settings, null), ...catalogued])];
  const has = (id: string, word: string) => (word.endsWith('/') ? id.startsWith(word) : id.includes(word));
  return all.filter((id) => words.every((word) => has(id.toLowerCase(), word)));
}

/** What of its variant the model is not sent as it is; nothing for a name that stands for no model. */
function changesOf(name: string, settings: ModelsSettings): readonly string[] {
  const named = parseModelName(name);
  const provider = named === null ? null : resolveProvider(named.provider, settings, {});
  if (named === null || provider === null) return [];
  const { model, variant } = named;
  if (variant !== null && !Object.hasOwn(variantsOf(`${provider.name}/${model}`, settings), variant)) return [];
  const parameters = parametersOf(`${provider.name}/${model}`, variant, settings);
  return parameterChanges(provider.wire, { id: name, model }, factsOf(provider, model, settings), parameters);
}

function rowOf(id: string, settings: ModelsSettings, environment: NodeJS.ProcessEnv): ModelRow[] {
  const name = parseModelName(id);
  const provider = name === null ? null : resolveProvider(name.provider, settings, environment);
  if (name === null || provider === null) return [];
  const facts = factsOf(provider, name.model, settings);
  const { contextTokens, outputTokens } = infoOf(facts);
  return [
    {
      id,
      isReady: provider.isReady,
      contextTokens,
      outputTokens,
      isKnown: facts.context !== undefined && facts.like === undefined,
      takes: facts.takes ?? null,
      thinks: facts.thinks ?? null,
      efforts: facts.efforts ?? null,
      like: facts.like ?? null,
      prices: facts.prices ?? null,
    },
  ];
}
