import type { Model } from '@pawl/engine';
import { createPricing } from '../../catalogue/pricing.ts';
import { type Connection, connectionTo } from '../../http/connection.ts';
import { callWire } from '../call.ts';
import { fitEffort } from '../effort.ts';
import { takesOf } from '../files.ts';
import { createSayOnce, notice } from '../notices.ts';
import { endpoint, noKey, timeoutsOf, type WireOptions } from '../options.ts';
import { createToolOffer } from '../tool-schema.ts';
import { createBodyMaker } from './body.ts';
import { createDecoder } from './stream.ts';

export type GoogleOptions = WireOptions;

const defaultBaseUrl = 'https://generativelanguage.googleapis.com';

/**
 * A model behind Google's Gemini API, or anything that speaks it. What is not given is read from `GOOGLE_API_KEY`,
 * then `GEMINI_API_KEY`, and `GOOGLE_GEMINI_BASE_URL`, as Google's SDK does. A key is needed only for the provider's
 * own address; it travels in a header, never in the URL.
 * @throws `bad_base_url`; when called, `no_key` and the codes of `errors.ts` and `http/failure.ts`.
 * @example
 * const model = google({ model: 'gemini-2.5-pro' });
 */
export function google(options: GoogleOptions): Model {
  const environment = options.environment ?? process.env;
  const id = options.id ?? `google/${options.model}`;
  const isStreaming = options.isStreaming ?? true;
  const url = addressOf(
    options.baseUrl ?? (environment.GOOGLE_GEMINI_BASE_URL || defaultBaseUrl),
    options.model,
    isStreaming,
  );
  const timeouts = timeoutsOf(options);
  const pricing = createPricing('google', url.href, options);
  function prepare() {
    const { parameters, change } = fitEffort(id, pricing.facts(), options.parameters ?? {});
    const takes = takesOf(() => pricing.info(options).inputTypes);
    return { makeBody: createBodyMaker({ model: options.model, id, parameters, takes }), change };
  }

  const apiKey = options.apiKey ?? (environment.GOOGLE_API_KEY || environment.GEMINI_API_KEY || undefined);
  const headers = {
    'content-type': 'application/json',
    accept: isStreaming ? 'text/event-stream' : 'application/json',
    'user-agent': 'pawl',
    ...(apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
    ...options.headers,
  };
  const needsKey = url.origin === defaultBaseUrl && apiKey === undefined;

  /** Found out at the first call: reading the environment and the catalogue is slow. */
  let connection: Connection | undefined;
  let made: ReturnType<typeof prepare> | undefined;
  const sayOnce = createSayOnce();
  const offer = createToolOffer({});

  return {
    id,
    get info() {
      return pricing.info(options);
    },
    stream(asked, signal) {
      if (needsKey) throw noKey('GEMINI_API_KEY', id);
      connection ??= connectionTo(url, environment, options.tap);
      made ??= prepare();
      const { request } = offer(asked);
      const { makeBody, change } = made;
      const events = callWire(
        { connection, headers, body: makeBody(request), timeouts, signal, onHeaders: options.onHeaders },
        (emit) => createDecoder(emit, (usage) => pricing.cost(usage, request.at ?? Date.now())),
      );
      return sayOnce([change === null ? null : notice('parameters_changed', change)], events);
    },
  };
}

/** Both `https://host` and `https://host/v1beta` are in use. A tuned model has a path of its own. */
function addressOf(baseUrl: string, model: string, isStreaming: boolean): URL {
  const version = /\/v\d\w*\/*$/.test(baseUrl) ? '' : '/v1beta';
  const path = model.includes('/') ? model : `models/${model}`;
  const url = endpoint(baseUrl, `${version}/${path}:${isStreaming ? 'streamGenerateContent' : 'generateContent'}`);
  if (isStreaming) url.searchParams.set('alt', 'sse');
  return url;
}
