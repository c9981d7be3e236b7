import type { IncomingHttpHeaders } from 'node:http';
import type { Model } from '@pawl/engine';
import type { ModelFacts } from '../catalogue/table.ts';
import type { WireTap } from '../http/connection.ts';
import type { ProxyEnvironment } from '../http/proxy.ts';
import type { Parameters } from '../parameters.ts';
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
  environment: ProxyEnvironment;
  tap?: WireTap;
};

export type OpenWire = (call: Call, key: FoundKey | null, onHeaders?: (headers: IncomingHttpHeaders) => void) => Model;

/** Loads a wire, and gives how to open a model over it. */
export async function loadWire(name: WireName): Promise<OpenWire> {
  switch (name) {
    case 'anthropic': {
      const { anthropic } = await import('../wires/anthropic.ts');
      return (call, key, onHeaders) => {
        const token = key?.isToken === true ? { authToken: key.secret } : {};
        return anthropic({ ...optionsOf(call, key, onHeaders), ...token, ...cacheOf(call) });
      };
    }
    case 'openai': {
      const { openai } = await import('../wires/openai-responses.ts');
      return (call, key, onHeaders) => {
        const { cache } = call.provider;
        return openai({ ...optionsOf(call, key, onHeaders), ...(cache === null ? {} : { cache }) });
      };
    }
    case 'openai-chat': {
      const { openaiChat } = await import('../wires/openai-chat.ts');
      return (call, key, onHeaders) => {
        const { cache } = call.provider;
        return openaiChat({ ...optionsOf(call, key, onHeaders), ...(cache === null ? {} : { cache }) });
      };
    }
    case 'google': {
      const { google } = await import('../wires/google.ts');
      return (call, key, onHeaders) => google(optionsOf(call, key, onHeaders));
    }
    default:
      return name satisfies never;
  }
}

function optionsOf(call: Call, key: FoundKey | null, onHeaders: WireOptions['onHeaders']): WireOptions {
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
    ...(onHeaders === undefined ? {} : { onHeaders }),
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
