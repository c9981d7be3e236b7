import type { Model } from '@pawl/engine';
import type { ProxyEnvironment } from '@pawl/protocol/proxy';
import type { ModelFacts } from '../catalogue/table.ts';
import type { WireTap } from '../http/connection.ts';
import type { Parameters } from '../parameters.ts';
import type { DialectSettings } from '../wires/openai-chat/dialects.ts';
import type { WireOptions } from '../wires/options.ts';
import type { FoundKey } from './keys.ts';
import type { WireName } from './providers.ts';
import type { ResolvedProvider } from './resolve.ts';

/** One model at one provider, all that its wire is told but the key. */
type Call = {
  id: string;
  model: string;
  provider: ResolvedProvider;
  facts: ModelFacts;
  parameters: Parameters;
  dialect: DialectSettings;
  environment: ProxyEnvironment;
  tap?: WireTap;
};

/** What a wire tells whoever opens it, and is told of the key's account. */
type Around = { onHeaders?: WireOptions['onHeaders']; refusals?: WireOptions['refusals'] };

export type OpenWire = (call: Call, key: FoundKey | null, around?: Around) => Model;

/** Loads a wire, and gives how to open a model over it. */
export async function loadWire(name: WireName): Promise<OpenWire> {
  switch (name) {
    case 'anthropic': {
      const { anthropic } = await import('../wires/anthropic/index.ts');
      return (call, key, around) => {
        const token = key?.isToken === true ? { authToken: key.secret } : {};
        return anthropic({ ...optionsOf(call, key, around), ...token, ...cacheOf(call) });
      };
    }
    case 'openai': {
      const { openai } = await import('../wires/openai-responses/index.ts');
      return (call, key, around) => {
        const { cache } = call.provider;
        return openai({ ...optionsOf(call, key, around), ...(cache === null ? {} : { cache }) });
      };
    }
    case 'openai-chat': {
      const { openaiChat } = await import('../wires/openai-chat/index.ts');
      return (call, key, around) => {
        const { cache } = call.provider;
        const { dialect } = call;
        return openaiChat({ ...optionsOf(call, key, around), dialect, ...(cache === null ? {} : { cache }) });
      };
    }
    case 'google': {
      const { google } = await import('../wires/google/index.ts');
      return (call, key, around) => google(optionsOf(call, key, around));
    }
    default:
      return name satisfies never;
  }
}

function optionsOf(call: Call, key: FoundKey | null, around: Around = {}): WireOptions {
  const { id, model, provider, facts, parameters, environment, tap } = call;
  return {
    id,
    model,
    facts,
    parameters,
    baseUrl: provider.baseUrl,
    headers: provider.headers,
    timeouts: provider.timeouts,
    environment: proxiesOf(environment),
    ...(key === null || key.isToken === true ? {} : { apiKey: key.secret }),
    ...(around.onHeaders === undefined ? {} : { onHeaders: around.onHeaders }),
    refusals: around.refusals,
    ...(tap === undefined ? {} : { tap }),
  };
}

function cacheOf({ provider: { cache } }: Call): { cache?: NonNullable<typeof cache> } {
  return cache === null ? {} : { cache };
}

/** All that a wire may read there: a key of one provider must not go to another that speaks the same wire. */
function proxiesOf(environment: ProxyEnvironment): ProxyEnvironment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => /_proxy$/i.test(name)));
}
