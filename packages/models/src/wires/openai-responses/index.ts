import type { Model, ModelEvent } from '@pawl/engine';
import type { Message } from '@pawl/protocol';
import { createPricing } from '../../catalogue/pricing.ts';
import { type Connection, connectionTo } from '../../http/connection.ts';
import { callWire } from '../call.ts';
import { type Fitted, fitEffort } from '../effort.ts';
import { type Takes, takesOf } from '../files.ts';
import { afterNotices, createSayOnce, notice } from '../notices.ts';
import {
  type CacheTime,
  endpoint,
  noKey,
  type Refusal,
  type Refusals,
  timeoutsOf,
  type WireOptions,
} from '../options.ts';
import { orElse } from '../or-else.ts';
import { createToolOffer } from '../tool-schema.ts';
import { createBodyMaker } from './body.ts';
import { isSummaryRefused, isUnreadable, reasoningLost, summaryRefused } from './reasoning.ts';
import { createDecoder } from './stream.ts';
import { traitsOf } from './traits.ts';

export type OpenaiOptions = WireOptions & {
  /**
   * How long the provider is asked to keep what it has read, at least, where it can be asked: OpenAI's models from 5.6
   * on. Default `5m`, which is 30 minutes there; `1h` is 12 hours, and costs more. Older models keep what they see fit.
   */
  cache?: CacheTime;
};

const defaultBaseUrl = 'https://api.openai.com/v1';
const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/**
 * A model behind the Responses API, at OpenAI or any server that speaks it. What is not given is read from
 * `OPENAI_API_KEY` and `OPENAI_BASE_URL`, as OpenAI's SDK does. A key is needed only for OpenAI's own address.
 * Source: https://developers.openai.com/api/reference/resources/responses/methods/create.
 * @throws `bad_base_url`; when called, `no_key` and the codes of `errors.ts` and `http/failure.ts`.
 * @example
 * const model = openai({ model: 'gpt-5' });
 */
export function openai(options: OpenaiOptions): Model {
  const environment = options.environment ?? process.env;
  const { model, onHeaders, parameters = {}, cache = '5m' } = options;
  const id = options.id ?? `openai/${model}`;
  const url = endpoint(options.baseUrl ?? (environment.OPENAI_BASE_URL || defaultBaseUrl), '/responses');
  const isStreaming = options.isStreaming ?? true;
  const timeouts = timeoutsOf(options);
  const pricing = createPricing('openai', url.href, options);

  const apiKey = options.apiKey ?? (environment.OPENAI_API_KEY || undefined);
  const headers = {
    'content-type': 'application/json',
    accept: isStreaming ? 'text/event-stream' : 'application/json',
    'user-agent': 'pawl',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...options.headers,
  };
  const needsKey = url.origin === new URL(defaultBaseUrl).origin && apiKey === undefined;

  /** Found out at the first call: reading the environment and the catalogue is slow. */
  let connection: Connection | undefined;
  let made: { makeBody: ReturnType<typeof createBodyMaker>; change: string | null } | undefined;
  const refusals: Refusals = options.refusals ?? new Set<Refusal>();
  const sayOnce = createSayOnce();
  const offer = createToolOffer({ needsProperties: true });
  /** The first message whose reasoning the provider can read, by the first of its conversation. */
  const readableFrom = new WeakMap<Message, number>();

  function bodyMaker(): { makeBody: ReturnType<typeof createBodyMaker>; change: string | null } {
    const facts = pricing.facts();
    const traits = traitsOf(model, url, facts.thinks ?? null);
    const fitted: Fitted = fitEffort(id, facts, parameters);
    const known = takesOf(() => pricing.info(options).inputTypes);
    const takes: Takes = (mediaType) => {
      if (mediaType === 'application/pdf') return known(mediaType) ?? traits.isOpenai;
      return imageTypes.has(mediaType) ? (known(mediaType) ?? true) : null;
    };
    const { change } = fitted;
    return {
      makeBody: createBodyMaker({ model, id, isStreaming, parameters: fitted.parameters, cache, traits, takes }),
      change,
    };
  }

  return {
    id,
    get info() {
      return pricing.info(options);
    },
    stream(asked, signal) {
      if (needsKey) throw noKey('OPENAI_API_KEY', id);
      connection ??= connectionTo(url, environment, options.tap);
      made ??= bodyMaker();
      const { request } = offer(asked);
      const [to, { makeBody, change }, [first]] = [connection, made, request.messages];
      const offered: ReadonlySet<string> = new Set(request.tools.map(({ name }) => name));
      const send = () => {
        const from = first === undefined ? 0 : (readableFrom.get(first) ?? 0);
        const signedFrom = Math.max(from, request.signedFrom ?? 0);
        const body = makeBody({ ...request, signedFrom }, !refusals.has('reasoning_summary'));
        return callWire({ connection: to, headers, body, timeouts, signal, onHeaders }, (emit) =>
          createDecoder(emit, (usage) => pricing.cost(usage, request.at ?? Date.now()), offered),
        );
      };
      const call = (): AsyncIterable<ModelEvent> => {
        if (refusals.has('reasoning_summary')) return send();
        return orElse(send(), isSummaryRefused, () => {
          refusals.add('reasoning_summary');
          return afterNotices([summaryRefused], send());
        });
      };
      const events = orElse(call(), isUnreadable, () => {
        if (first !== undefined) readableFrom.set(first, request.messages.length);
        return afterNotices([reasoningLost], call());
      });
      return sayOnce([change === null ? null : notice('parameters_changed', change)], events);
    },
  };
}
