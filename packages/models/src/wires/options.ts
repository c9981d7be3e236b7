import type { IncomingHttpHeaders } from 'node:http';
import { PawlError } from '@pawl/protocol';
import type { ProxyEnvironment } from '@pawl/protocol/proxy';
import type { ModelFacts } from '../catalogue/table.ts';
import type { WireTap } from '../http/connection.ts';
import { defaultTimeouts, type Timeouts } from '../http/timeouts.ts';
import type { Parameters } from '../parameters.ts';

/** How long a provider is asked to keep what it has read of a request; each use begins the time anew. */
export type CacheTime = 'off' | '5m' | '1h';

/** What an account was found to be refused, so that it is not asked for again. */
export type Refusals = { has(what: Refusal): boolean; add(what: Refusal): void };
export type Refusal = 'reasoning_summary';

/** What every wire takes. */
export type WireOptions = {
  /** The provider's name of the model. */
  model: string;
  /** The model's id as people select it, where its provider does not go by the wire's own name: `groq/<model>`. */
  id?: string;
  apiKey?: string;
  baseUrl?: string;
  /** Sent with every request, over the wire's own. */
  headers?: { readonly [name: string]: string };
  /** Most tokens of one answer, where the catalogue is to be overruled. */
  maxOutputTokens?: number;
  /** Tokens of the model's window, where the catalogue is to be overruled. */
  contextTokens?: number;
  /** What is known of the model: limits, input types, prices. Default: what the catalogue has. */
  facts?: ModelFacts;
  timeouts?: Partial<Timeouts>;
  parameters?: Parameters;
  /** What was found out of the account behind the key; shared by all that use it. Default: this model's own. */
  refusals?: Refusals | undefined;
  /** Sees the headers of every answer, also of one that is an error. */
  onHeaders?: (headers: IncomingHttpHeaders) => void;
  /** Writes down what goes over the wire (`recordWire`), or answers in the provider's place (`replayWire`). */
  tap?: WireTap;
  /** False asks for the answer in one piece. Default true. */
  isStreaming?: boolean;
  /** Where keys, base URL and proxy are read from when they are not given; default `process.env`. */
  environment?: ProxyEnvironment;
};

/** The timeouts to use; what is not given, or undefined, has its default. */
export function timeoutsOf(options: WireOptions): Timeouts {
  const { connectMs, firstByteMs, idleMs, contentMs } = options.timeouts ?? {};
  return {
    connectMs: connectMs ?? defaultTimeouts.connectMs,
    firstByteMs: firstByteMs ?? defaultTimeouts.firstByteMs,
    idleMs: idleMs ?? defaultTimeouts.idleMs,
    contentMs: contentMs ?? defaultTimeouts.contentMs,
  };
}

/**
 * What is wrong with a base URL, or null. It is not repeated: a user, a password or a key in a query would be shown, here
 * and wherever addresses are. A query that only chooses, such as a version, may stand.
 */
export function baseUrlProblem(baseUrl: string): string | null {
  const url = URL.parse(baseUrl);
  const isAddress = url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hash === '';
  if (!isAddress) return 'must be an address like https://host/path';
  const hasSecret = [...url.searchParams.keys()].some((name) => /key|token|secret|sig|pass|auth/i.test(name));
  if (url.username === '' && url.password === '' && !hasSecret) return null;
  return 'must be an address like https://host/path, without a user, a password or a key in its query';
}

/** `path` below a base URL, which may end with a slash or not. @throws `bad_base_url`. */
export function endpoint(baseUrl: string, path: string): URL {
  const url = URL.parse(baseUrl);
  const problem = baseUrlProblem(baseUrl);
  if (url === null || problem !== null) throw new PawlError('bad_base_url', `The base URL ${problem}.`);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}

/** The error for a missing key. */
export function noKey(variable: string, model: string): PawlError {
  return new PawlError('no_key', `${model} needs an API key: set ${variable}, or give apiKey.`);
}
