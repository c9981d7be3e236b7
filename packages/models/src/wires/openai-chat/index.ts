import type { Model } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import { createPricing } from '../../catalogue/pricing.ts';
import { type Connection, connectionTo } from '../../http/connection.ts';
import { withoutVariant } from '../../select/names.ts';
import { callWire } from '../call.ts';
import { fitEffort } from '../effort.ts';
import { takesOf } from '../files.ts';
import { createSayOnce, type Notice, notice } from '../notices.ts';
import { type CacheTime, endpoint, noKey, timeoutsOf, type WireOptions } from '../options.ts';
import { orElse } from '../or-else.ts';
import { createToolOffer } from '../tool-schema.ts';
import { createBodyMaker } from './body.ts';
import { type Dialect, type DialectName, dialectOf } from './dialects.ts';
import { createDecoder } from './stream.ts';

export type OpenaiChatOptions = WireOptions & {
  /** Where the server speaks otherwise than its address tells. */
  dialect?: Partial<Dialect> & { like?: DialectName };
  /** Whether and how long the provider is asked to keep what it has read; most keep it unasked. Default `5m`. */
  cache?: CacheTime;
};

const defaultBaseUrl = 'https://api.openai.com/v1';

/**
 * A model behind the Chat Completions API, at OpenAI or any server that speaks it. What is not given is read from
 * `OPENAI_API_KEY` and `OPENAI_BASE_URL`, as OpenAI's SDK does. A key is needed only for OpenAI's own address.
 * @throws `bad_base_url`; when called, `no_key` and the codes of `errors.ts` and `http/failure.ts`.
 * @example
 * const model = openaiChat({ model: 'qwen3', baseUrl: 'http://127.0.0.1:11434/v1' });
 */
export function openaiChat(options: OpenaiChatOptions): Model {
  const environment = options.environment ?? process.env;
  const id = options.id ?? `openai-chat/${options.model}`;
  const url = endpoint(options.baseUrl ?? (environment.OPENAI_BASE_URL || defaultBaseUrl), '/chat/completions');
  const isOwnAddress = url.origin === new URL(defaultBaseUrl).origin;
  const isStreaming = options.isStreaming ?? true;
  const timeouts = timeoutsOf(options);
  const dialect = dialectOf(url.hostname, options.model, options.dialect);
  const pricing = createPricing('openai', url.href, options);

  function prepare() {
    const facts = pricing.facts();
    const { parameters, change } = fitEffort(id, facts, options.parameters ?? {});
    const makeBody = createBodyMaker({
      model: options.model,
      id,
      isStreaming,
      parameters,
      dialect,
      cache: options.cache ?? '5m',
      takes: takesOf(() => pricing.info(options).inputTypes),
    });
    const name = options.model.slice(options.model.lastIndexOf('/') + 1);
    return {
      makeBody,
      change,
      thinks: facts.thinks !== false && parameters.effort !== 'none',
      canRestThinking: facts.efforts?.includes('none') !== false,
      isKnownToRefuse: dialect.refusesToolsWithThinking?.test(name) === true,
    };
  }

  const apiKey = options.apiKey ?? (environment.OPENAI_API_KEY || undefined);
  const headers = {
    'content-type': 'application/json',
    accept: isStreaming ? 'text/event-stream' : 'application/json',
    'user-agent': 'pawl',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...options.headers,
  };

  /** Found out at the first call: reading the environment and the catalogue is slow. */
  let connection: Connection | undefined;
  let made: ReturnType<typeof prepare> | undefined;
  /** The server has refused tools to the model while it thinks. */
  let hasRefusedTools = false;
  const sayOnce = createSayOnce();
  const offer = createToolOffer({ needsProperties: true });

  return {
    id,
    get info() {
      return pricing.info(options);
    },
    stream(asked, signal) {
      if (isOwnAddress && apiKey === undefined) throw noKey('OPENAI_API_KEY', id);
      connection ??= connectionTo(url, environment, options.tap);
      made ??= prepare();
      const { request } = offer(asked);
      const [to, { makeBody, change, thinks, canRestThinking, isKnownToRefuse }] = [connection, made];
      const writable = new Set(dialect.leavesCallsInText ? request.tools.map(({ name }) => name) : []);
      const send = (mayThink: boolean) =>
        callWire(
          {
            connection: to,
            headers,
            body: makeBody(request, mayThink),
            timeouts,
            signal,
            ...(options.onHeaders && { onHeaders: options.onHeaders }),
          },
          (emit) => createDecoder(emit, (usage) => pricing.cost(usage, request.at ?? Date.now()), writable),
        );
      const changes = change === null ? [] : [notice('parameters_changed', change)];
      if (request.tools.length === 0 || !thinks) return sayOnce(changes, send(true));
      if (isKnownToRefuse || hasRefusedTools) {
        if (!canRestThinking) throw toolsNeedResponses(id);
        return sayOnce([...changes, thinkingRests(id)], send(false));
      }
      const events = orElse(send(true), areToolsRefused, () => {
        if (!canRestThinking) throw toolsNeedResponses(id);
        hasRefusedTools = true;
        return sayOnce([thinkingRests(id)], send(false));
      });
      return sayOnce(changes, events);
    },
  };
}

/** Source: https://github.com/openai/openai-openapi/issues/541. */
function areToolsRefused(error: unknown): boolean {
  return isPawlError(error, 'bad_request') && /tools with reasoning_effort are not supported/i.test(error.message);
}

function thinkingRests(id: string): Notice {
  return notice(
    'thinking_rests',
    `${withoutVariant(id)} does not think while it has tools: over Chat Completions it takes them only so. ${adviceFor(id)}`,
  );
}

function toolsNeedResponses(id: string): PawlError {
  return new PawlError(
    'bad_config',
    `${withoutVariant(id)} takes no tools over Chat Completions: it takes them there only without thinking, and it cannot stop thinking. ${adviceFor(id)}`,
  );
}

function adviceFor(id: string): string {
  const model = withoutVariant(id);
  return model.startsWith('openai-chat/')
    ? `Choose openai/${model.slice('openai-chat/'.length)}, which thinks and calls tools over the Responses API.`
    : 'The Responses API has both: set wire: openai for this provider, if it speaks that.';
}
