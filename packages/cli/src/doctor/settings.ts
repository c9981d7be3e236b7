/** The settings: files, the default model, keys. */
import { statSync } from 'node:fs';
import {
  catalogueModels,
  createModels,
  factsOf,
  type ModelFacts,
  providerNames,
  resolveProvider,
} from '@pawl/models/select';
import { messageOf } from '@pawl/protocol';
import { type Config, readConfig } from '../config/config.ts';
import { userConfigPath } from '../config/paths.ts';
import { collectModels, configuredNames } from '../models/collect.ts';
import { keyStateText } from '../models/words.ts';
import { choiceOf } from '../models.ts';
import { toolNames } from '../run/tools.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** The settings as far as they can be used; those that cannot count as none. */
export async function checkConfig(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ config: Config | null; findings: Finding[] }> {
  try {
    const tools = toolNames();
    const config = await readConfig({ folder, tools, environment });
    const files =
      config.files.length === 0 ? `none; it would be ${userConfigPath(environment)}` : config.files.join(', ');
    return {
      config,
      findings: [ok('configuration', files), ...config.warnings.map((line) => warning('configuration', line))],
    };
  } catch (error) {
    return { config: null, findings: [failed('configuration', messageOf(error), 'Correct the file.')] };
  }
}

export async function checkModels(config: Config, folder: string, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { models: settings } = config;
  const choice = choiceOf({ flag: null, session: null, config: config.model, folder });
  const report = await collectModels({ config, folder, filter: null, environment });
  const findings: Finding[] = [];
  if (choice === null) {
    findings.push(
      warning('model', 'none is the default', 'Set PAWL_MODEL, or model in config.yaml; or name one with -m.'),
    );
  } else {
    try {
      await createModels({ settings, environment }).candidatesFor(choice.name);
      findings.push(ok('model', choice.name));
    } catch (error) {
      findings.push(failed('model', messageOf(error)));
    }
  }
  for (const { pool, models } of report.pools) {
    for (const { problem } of models) {
      if (problem !== null) findings.push(warning(`pool ${pool}`, problem, 'Until then the pool goes without it.'));
    }
  }
  const now = Date.now();
  for (const { provider, isConfigured, missing, health } of report.providers) {
    if (!isConfigured) continue;
    for (const what of missing) findings.push(warning(`keys of ${provider}`, `one is missing: ${what}`));
    for (const key of health?.keys ?? []) {
      if (key.key === null) continue;
      const detail = `${key.name} ${key.key} is ${keyStateText(key, now)}`;
      findings.push(key.state === 'ready' ? ok(`keys of ${provider}`, detail) : warning(`keys of ${provider}`, detail));
    }
  }
  return [...findings, ...openFiles(config)];
}

/** Files of keys that others on this machine can read. */
function openFiles({ models }: Config): Finding[] {
  const files = Object.values(models.providers ?? {})
    .flatMap(({ keys = [] }) => keys)
    .flatMap((key) => ('file' in key ? [key.file] : []));
  return files
    .filter(canOthersRead)
    .map((file) => warning('keys', `others can read ${file}`, `Run: chmod 600 ${file}`));
}

function canOthersRead(file: string): boolean {
  try {
    return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  } catch {
    // That it is missing is told where the key is.
    return false;
  }
}

/** Models to ask: those that the settings name; where they name none, the cheapest of each provider with a key. */
export async function modelsToAsk(config: Config, folder: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const { models: settings } = config;
  const choice = choiceOf({ flag: null, session: null, config: config.model, folder });
  // What a key alone stands for is named by nobody, and there may be keys of others.
  const named = configuredNames(settings, choice?.from === 'key' ? null : choice);
  if (named.length > 0) return named;
  return providerNames(settings).flatMap((name) => {
    const provider = resolveProvider(name, settings, environment);
    if (provider === null || provider.keys.length === 0) return [];
    const model = cheapest(catalogueModels(provider), (id) => inputPrice(factsOf(provider, id, settings)));
    return model === null ? [] : [`${name}/${model}`];
  });
}

function cheapest(models: readonly string[], priceOf: (model: string) => number): string | null {
  return models.toSorted((one, other) => priceOf(one) - priceOf(other))[0] ?? null;
}

/** What is not known counts as dear. */
function inputPrice({ prices }: ModelFacts): number {
  const input = prices?.at(-1)?.input ?? Number.POSITIVE_INFINITY;
  return typeof input === 'number' ? input : input.base;
}
