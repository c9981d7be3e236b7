import type { Model } from '@pawl/engine';
import { createPricing } from '../catalogue/pricing.ts';
import { type Connection, connectionTo } from '../http/connection.ts';
import { callWire } from './call.ts';
import { takesOf } from './files.ts';
import { createBodyMaker } from './openai-chat-body.ts';
import { type Dialect, dialectOf } from './openai-chat-dialects.ts';
import { createDecoder } from './openai-chat-stream.ts';
import { type CacheTime, endpoint, noKey, timeoutsOf, type WireOptions } from './options.ts';

export type OpenaiChatOptions = WireOptions & {
  /** Where the server speaks otherwise than its address tells. */
  dialect?: Partial<Dialect>;
  /** Whether and how long the provider is asked to keep what it has read; most keep it unasked. Default `5m`. */
  cache?: CacheTime;
};

const defaultBaseUrl = 'https://api.openai.com/v1';

/**
 * A model behind the Chat Completions API, at OpenAI or any server that speaks it. What is not given is read from
 * `OPENAI_API_KEY` and `OPENAI_BASE_URL`, as OpenAI's SDK does. A key is needed only for OpenAI's own address.
 * @throws `bad_base_url`; when called, `no_key` and the codes of `errors.ts` and `http/failure.ts`.
 */
export function openaiChat(options: OpenaiChatOptions): Model {
  const environment = options.environment ?? process.env;
  const id = options.id ?? `openai-chat/${options.model}`;
  const url = endpoint(options.baseUrl ?? (environment.OPENAI_BASE_URL || defaultBaseUrl), '/chat/completions');
  const isOwnAddress = url.origin === new URL(defaultBaseUrl).origin;
  const isStreaming = options.isStreaming ?? true;
  const timeouts = timeoutsOf(options);
  const dialect = dialectOf(url.hostname, options.dialect);
  const pricing = createPricing('openai', url.href, options);
  const makeBody = createBodyMaker({
    model: options.model,
    id,
    isStreaming,
    parameters: options.parameters ?? {},
    dialect,
    cache: options.cache ?? '5m',
    takes: takesOf(() => pricing.info(options).inputTypes),
  });

  const apiKey = options.apiKey ?? (environment.OPENAI_API_KEY || undefined);
  const headers = {
    'content-type': 'application/json',
    accept: isStreaming ? 'text/event-stream' : 'application/json',
    'user-agent': 'pawl',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...options.headers,
  };

  /** Found out at the first call: reading the environment is slow. */
  let connection: Connection | undefined;

  return {
    id,
    get info() {
      return pricing.info(options);
    },
    stream(request, signal) {
      if (isOwnAddress && apiKey === undefined) throw noKey('OPENAI_API_KEY', id);
      connection ??= connectionTo(url, environment, options.tap);
      const body = makeBody(request);
      const writable = new Set(dialect.leavesCallsInText ? request.tools.map(({ name }) => name) : []);
      return callWire(
        { connection, headers, body, timeouts, signal, ...(options.onHeaders && { onHeaders: options.onHeaders }) },
        (emit) => createDecoder(emit, (usage) => pricing.cost(usage, Date.now()), writable),
      );
    },
  };
}
