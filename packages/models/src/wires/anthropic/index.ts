import type { Model } from '@pawl/engine';
import { createPricing } from '../../catalogue/pricing.ts';
import { type Connection, connectionTo } from '../../http/connection.ts';
import type { Parameters } from '../../parameters.ts';
import { callWire } from '../call.ts';
import { takesOf } from '../files.ts';
import { createSayOnce, notice } from '../notices.ts';
import { type CacheTime, endpoint, noKey, timeoutsOf, type WireOptions } from '../options.ts';
import { orElse } from '../or-else.ts';
import { createToolOffer } from '../tool-schema.ts';
import { bindingBeta, isUnbound } from './binding.ts';
import { createBodyMaker } from './body.ts';
import { fitAnthropic } from './fit.ts';
import { traitsOf } from './models.ts';
import { createDecoder } from './stream.ts';
import { isLateThinkingRefused } from './thinking.ts';

export type AnthropicOptions = WireOptions & {
  /** Sent as a bearer token instead of a key, as some gateways want it. */
  authToken?: string;
  /** How long the provider keeps what it has read, so that the next step costs less. Default `5m`. */
  cache?: CacheTime;
};

const defaultBaseUrl = 'https://api.anthropic.com';

/**
 * A model behind Anthropic's Messages API, or anything that speaks it. What is not given is read from
 * `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN` and `ANTHROPIC_BASE_URL`, as Anthropic's SDK does. A key is needed
 * only for the provider's own address.
 * @throws `bad_base_url`; when called, `no_key` and the codes of `errors.ts` and `http/failure.ts`.
 * @example
 * const model = anthropic({ model: 'claude-sonnet-4-5', parameters: { effort: 'high' } });
 */
export function anthropic(options: AnthropicOptions): Model {
  const environment = options.environment ?? process.env;
  const id = options.id ?? `anthropic/${options.model}`;
  const baseUrl = options.baseUrl ?? (environment.ANTHROPIC_BASE_URL || defaultBaseUrl);
  // Both `https://host` and `https://host/v1` are in use.
  const url = endpoint(baseUrl.replace(/\/v1\/*$/, ''), '/v1/messages');
  const isStreaming = options.isStreaming ?? true;
  const timeouts = timeoutsOf(options);
  const traits = traitsOf(options.model);
  const pricing = createPricing('anthropic', url.href, options);
  const bodyMaker = (parameters: Parameters) =>
    createBodyMaker({
      model: options.model,
      id,
      isStreaming,
      parameters,
      cache: options.cache ?? '5m',
      // A compatible server may not know the field.
      streamsCalls: isStreaming && traits.isKnown && url.origin === defaultBaseUrl,
      takes: takesOf(() => pricing.info(options).inputTypes),
    });

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

  const betas = options.headers?.['anthropic-beta'];
  const bindingHeaders = {
    ...headers,
    'anthropic-beta': betas === undefined ? bindingBeta : `${betas},${bindingBeta}`,
  };

  /** Found out at the first call: reading the environment and the catalogue is slow. */
  let connection: Connection | undefined;
  let made: { makeBody: ReturnType<typeof createBodyMaker>; changes: readonly string[] } | undefined;
  const sayOnce = createSayOnce();
  const offer = createToolOffer({ propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/ });
  /** Not before it is needed: for accounts that do not check it, it would only lose thoughts. */
  let dropsUnboundThoughts = false;
  let refusesLateThinking = false;

  function prepare(): NonNullable<typeof made> {
    const { parameters, changes } = fitAnthropic({ id, model: options.model }, pricing.facts, options.parameters ?? {});
    return { makeBody: bodyMaker(parameters), changes };
  }

  return {
    id,
    get info() {
      return pricing.info(options);
    },
    stream(asked, signal) {
      if (needsKey) throw noKey('ANTHROPIC_API_KEY', id);
      connection ??= connectionTo(url, environment, options.tap);
      made ??= prepare();
      const { request, left } = offer(asked);
      const [to, { makeBody, changes }] = [connection, made];
      const send = () =>
        callWire(
          {
            connection: to,
            headers: dropsUnboundThoughts ? bindingHeaders : headers,
            body: makeBody(request, { dropsUnboundThoughts, refusesLateThinking }),
            timeouts,
            signal,
            ...(options.onHeaders && { onHeaders: options.onHeaders }),
          },
          (emit) => createDecoder(emit, (usage) => pricing.cost(usage, request.at ?? Date.now())),
        );
      const call = () => {
        if (refusesLateThinking) return send();
        return orElse(send(), isLateThinkingRefused, () => {
          refusesLateThinking = true;
          return send();
        });
      };
      const canDrop = traits.bindsThoughts && !dropsUnboundThoughts;
      const events = !canDrop
        ? call()
        : orElse(call(), isUnbound, () => {
            dropsUnboundThoughts = true;
            return call();
          });
      return sayOnce(
        [
          ...changes.map((change) => notice('parameters_changed', change)),
          ...left.map((line) => notice('tool_left_out', line)),
        ],
        events,
      );
    },
  };
}
