/** Models by the names that people give. */
import { join } from 'node:path';
import type { Model } from '@pawl/engine';
import { defaultModel } from '@pawl/models/defaults';
import type { ModelsOptions, ModelsSettings } from '@pawl/models/select';
import { PawlError } from '@pawl/protocol';
import type { Config } from './config/config.ts';
import { dataFolder } from './home.ts';
import { lastPick } from './models/picks.ts';

const ways = `No model is chosen. There are three ways to get one:
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
  if (choice === null) throw new PawlError('no_model', ways);
  return choice;
}

/** Where what is known of providers and keys outlives the process. */
export const healthPath = (environment: NodeJS.ProcessEnv = process.env) =>
  join(dataFolder(environment), 'health.json');

/** `isExact` refuses a request that is not the recorded one, byte for byte. */
export type Wire = { does: 'record'; path: string } | { does: 'replay'; path: string; isExact: boolean };

export type OpenModels = {
  settings: ModelsSettings;
  /** A file that their traffic goes to, or null. */
  record: string | null;
  /** A file with the bytes of all requests and answers: to write it, to play it, or null. */
  wire: Wire | null;
  notice(line: string): void;
};

export type OpenedModels = {
  /** The same model for the same name: a wire keeps what it has serialised. */
  find(name: string): Promise<Model>;
  /** Keeps what was learnt of providers and keys for the next process. */
  close(): Promise<void>;
};

export function openModels({ settings, record, wire, notice }: OpenModels): OpenedModels {
  const found = new Map<string, Promise<Model>>();
  let closeHealth = async () => {};
  const providers = once(async () => {
    const { createModels } = await import('@pawl/models/select');
    const { createHealth, fileHealthStore } = await import('@pawl/models/health');
    const health = createHealth({ store: fileHealthStore(healthPath()) });
    closeHealth = health.flush;
    const tapped = wire === null ? {} : { tap: await tapOf(wire), isOffline: wire.does === 'replay' };
    return createModels({ settings, health, notice, ...tapped });
  });
  const find = async (name: string): Promise<Model> => {
    const isAlone = name === 'demo' || name.startsWith('replay:');
    const model = isAlone
      ? await (await import('@pawl/models/select')).modelFor(name)
      : await (await providers()).modelFor(name);
    if (record === null) return model;
    const recorder = await import('@pawl/models/record');
    return recorder.record(model, record);
  };
  return {
    find(name) {
      const model = found.get(name) ?? find(name);
      found.set(name, model);
      return model;
    },
    close: () => closeHealth(),
  };
}

async function tapOf(wire: Wire): Promise<NonNullable<ModelsOptions['tap']>> {
  if (wire.does === 'record') return (await import('@pawl/models/record-wire')).recordWire(wire.path);
  const { replayWire } = await import('@pawl/models/replay-wire');
  return replayWire(wire.path, { compare: wire.isExact ? 'body' : 'none' });
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | null = null;
  return () => {
    value ??= make();
    return value;
  };
}
