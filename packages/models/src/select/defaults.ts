/** The default model: that of the first provider whose key is set. */
import { knownProviders } from './providers.ts';

export type DefaultModel = {
  /** `provider/model`. */
  name: string;
  /** The variable that holds the key. */
  variable: string;
};

/** Of each provider, the model that serves most work well. In the order in which providers are looked for. */
const defaultModels: { readonly [provider: string]: string } = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5',
  google: 'gemini-2.5-pro',
};

/** Null where no provider that has a default model has a key in its variables. */
export function defaultModel(environment: NodeJS.ProcessEnv): DefaultModel | null {
  for (const [provider, model] of Object.entries(defaultModels)) {
    const known = knownProviders[provider];
    const variables = [...(known?.keys ?? []), ...(known?.token === undefined ? [] : [known.token])];
    const variable = variables.find((name) => (environment[name] ?? '').trim() !== '');
    if (variable !== undefined) return { name: `${provider}/${model}`, variable };
  }
  return null;
}
