import type { Model } from '@pawl/engine';
import { type Connection, connectionTo } from '../http/connection.ts';
import { createPricing } from '../prices/pricing.ts';
import { createBodyMaker } from './anthropic-body.ts';
import { createDecoder } from './anthropic-stream.ts';
import { callWire } from './call.ts';
import { endpoint, noKey, timeoutsOf, type WireOptions } from './options.ts';

export type AnthropicOptions = WireOptions & {
  /** Sent as a bearer token instead of a key, as some gateways want it. */
  authToken?: string;
  /** Tokens that the model may think with before it answers; 0 or nothing is no thinking. At least 1024. */
  thinkingBudgetTokens?: number;
};

const defaultBaseUrl = 'https://api.anthropic.com';

/**
 * A model behind Anthropic's Messages API, or anything that speaks it. What is not given is read from
 * `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN` and `ANTHROPIC_BASE_URL`, as Anthropic's SDK does. A key is needed
 * only for the provider's own address.
 * @throws `bad_base_url`; when called, `no_key` and the codes of `errors.ts` and `http/failure.ts`.
 */
export function anthropic(options: AnthropicOptions): Model {
  const environment = options.environment ?? process.env;
  const id = `anthropic/${options.model}`;
  const baseUrl = options.baseUrl ?? (environment.ANTHROPIC_BASE_URL || defaultBaseUrl);
  // Both `https://host` and `https://host/v1` are in use.
  const url = endpoint(baseUrl.replace(/\/v1\/*$/, ''), '/v1/messages');
  const isStreaming = options.isStreaming ?? true;
  const timeouts = timeoutsOf(options);
  const makeBody = createBodyMaker({
    model: options.model,
    id,
    thinkingBudgetTokens: options.thinkingBudgetTokens ?? 0,
    isStreaming,
  });
  const pricing = createPricing('anthropic', url.href, options.model);

  const apiKey = options.apiKey ?? (environment.ANTHROPIC_API_KEY || undefined);
  const authToken = options.authToken ?? (environment.ANTHROPIC_AUTH_TOKEN || undefined);
  const headers = {
    'content-type': 'application/json',
    accept: isStreaming ? 'text/event-stream' : 'application/json',
    'anthropic-version': '2023-06-01',
    'user-agent': 'pawl',
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    ...(authToken === undefined || options.apiKey !== undefined ? {} : { authorization: `Bearer ${authToken}` }),
    ...options.headers,
  };
  const needsKey = url.origin === defaultBaseUrl && apiKey === undefined && authToken === undefined;

  /** Found out at the first call: reading the environment is slow. */
  let connection: Connection | undefined;

  return {
    id,
    get info() {
      return pricing.info(options);
    },
    stream(request, signal) {
      if (needsKey) throw noKey('ANTHROPIC_API_KEY', id);
      connection ??= connectionTo(url, environment);
      return callWire({ connection, headers, body: makeBody(request), timeouts, signal }, (emit) =>
        createDecoder(emit, (usage) => pricing.cost(usage, Date.now())),
      );
    },
  };
}
