/** Models by the names that people give. */
import { join } from 'node:path';
import type { Model } from '@pawl/engine';
import { defaultModel } from '@pawl/models/defaults';
import type { ModelsOptions, ModelsSettings } from '@pawl/models/select';
import { PawlError } from '@pawl/protocol';
import type { Config } from './config/config.ts';
import { dataFolder } from './home.ts';
import { lastPick } from './models/picks.ts';

const howToChoose = `No model is chosen. There are three howToChoose to get one:
  pawl run --model demo "…"                 no key, no network: a small planner that shows how it works
  pawl run --model anthropic/<id> "…"       with ANTHROPIC_API_KEY set; "pawl models" lists other providers
  pawl run --model ollama/<id> "…"          a model on this machine
Set PAWL_MODEL, or model in config.yaml, to such a name to make it the default.`;

/** A model's name, and where it comes from. */
export type Choice =
  | { name: string; from: 'flag' | 'session' | 'agent' | 'environment' | 'config' | 'last' }
  /** The default of the provider whose key is in this variable. */
  | { name: string; from: 'key'; variable: string };

/** What can name a model, the first that does counts: `-m`, the session, the agent, `PAWL_MODEL`, the settings, the last pick here, a key. */
export type Choices = {
  flag: string | null;
  session: string | null;
  agent?: string | null;
  config: Config['model'];
  folder: string;
};

/** Null where nothing names one. */
export function choiceOf({ flag, session, agent = null, config, folder }: Choices): Choice | null {
  if (flag !== null && flag !== '') return { name: flag, from: 'flag' };
  if (session !== null && session !== '') return { name: session, from: 'session' };
  if (agent !== null) return { name: agent, from: 'agent' };
  const variable = process.env.PAWL_MODEL?.trim();
  if (variable) return { name: variable, from: 'environment' };
  if (config !== null) return { name: config.name, from: 'config' };
  const last = lastPick(folder);
  if (last !== null) return { name: last, from: 'last' };
  const byKey = defaultModel(process.env);
  return byKey === null ? null : { ...byKey, from: 'key' };
}

/** @throws `no_model`. */
export function chooseModel(choices: Choices): Choice {
  const choice = choiceOf(choices);
  if (choice === null) throw new PawlError('no_model', howToChoose);
  return choice;
}

/** Where what is known of providers and keys outlives the process. */
export const healthPath = (environment: NodeJS.ProcessEnv = process.env) =>
  join(dataFolder(environment), 'health.json');

/** What a run's models are recorded to, or played from. */
export type Traffic = {
  /** The file that all requests and answers are written to, byte for byte, or null. */
  record: string | null;
  /** With a recording as the model: whether requests may be others than the recorded ones. */
  playsAny: boolean;
};

export type OpenModels = Traffic & {
  settings: ModelsSettings;
  /** The model that the run begins with. */
  name: string;
  /** The folder that the run works in. */
  folder: string;
  notice(line: string): void;
};

export type OpenedModels = {
  /** The same model for the same name: a wire keeps what it has serialised. */
  find(name: string): Promise<Model>;
  /** Keeps what was learnt of providers and keys for the next process. */
  close(): Promise<void>;
};

/** Where the run begins with a recording, all its models are played from it, those of its tasks too. */
export function openModels(options: OpenModels): OpenedModels {
  const { settings, name: main, notice } = options;
  const found = new Map<string, Promise<Model>>();
  let closeHealth = async () => {};
  const opened = once(async () => {
    const traffic = await openTraffic(options);
    const { createModels, renamed } = await import('@pawl/models/select');
    // Recordings and the demo teach nothing about providers.
    const isAlone = traffic.recorded !== null || main === 'demo';
    const { createHealth, fileHealthStore } = await import('@pawl/models/health');
    const health = isAlone ? null : createHealth({ store: fileHealthStore(healthPath()) });
    if (health !== null) closeHealth = health.flush;
    const models = createModels({ settings, notice, ...traffic.options, ...(health !== null && { health }) });
    return async (name: string) => {
      if (traffic.recorded === null || name !== main) return models.modelFor(name);
      return renamed(await models.modelFor(traffic.recorded), pathOf(name));
    };
  });
  const find = async (name: string): Promise<Model> => (await opened())(name);
  return {
    find(name) {
      const model = found.get(name) ?? find(name);
      found.set(name, model);
      return model;
    },
    close: () => closeHealth(),
  };
}

type OpenTraffic = { options: Pick<ModelsOptions, 'tap' | 'isOffline' | 'settings'>; recorded: string | null };

/** @throws `no_cassette`, `bad_cassette`, `record_failed`. */
async function openTraffic({ record, playsAny, name, folder, settings }: OpenModels): Promise<OpenTraffic> {
  if (record === null && !isRecording(name)) return { options: {}, recorded: null };
  const { openRecording, placesHere } = await import('@pawl/models/recording');
  const { createModels, providersOf, withRecorded } = await import('@pawl/models/select');
  const places = placesHere(folder);
  if (record !== null) {
    const providers = providersOf(await createModels({ settings }).candidatesFor(name), settings);
    const { recordWire } = await import('@pawl/models/record-wire');
    return { options: { tap: recordWire(record, { model: name, providers, places }) }, recorded: null };
  }
  const { model, providers, tap } = openRecording(pathOf(name), { places, compare: playsAny ? 'none' : 'body' });
  return { options: { tap, isOffline: true, settings: withRecorded(settings, providers) }, recorded: model };
}

const recordingPrefix = 'replay:';
export const isRecording = (name: string): boolean => name.startsWith(recordingPrefix);
const pathOf = (name: string) => name.slice(recordingPrefix.length);

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | null = null;
  return () => {
    value ??= make();
    return value;
  };
}
