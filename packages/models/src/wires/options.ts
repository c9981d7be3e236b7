import { PawlError } from '@pawl/protocol';
import type { ProxyEnvironment } from '../http/proxy.ts';
import { defaultTimeouts, type Timeouts } from '../http/timeouts.ts';

/** What every wire takes. */
export type WireOptions = {
  /** The provider's name of the model. */
  model: string;
  apiKey?: string;
  baseUrl?: string;
  /** Sent with every request, over the wire's own. */
  headers?: { readonly [name: string]: string };
  /** Most tokens of one answer, where the catalogue is to be overruled. */
  maxOutputTokens?: number;
  /** Tokens of the model's window, where the catalogue is to be overruled. */
  contextTokens?: number;
  timeouts?: Partial<Timeouts>;
  /** False asks for the answer in one piece. Default true. */
  isStreaming?: boolean;
  /** Where keys, base URL and proxy are read from when they are not given; default `process.env`. */
  environment?: ProxyEnvironment;
};

/** The timeouts to use; what is not given, or undefined, has its default. */
export function timeoutsOf(options: WireOptions): Timeouts {
  const { connectMs, firstByteMs, idleMs } = options.timeouts ?? {};
  return {
    connectMs: connectMs ?? defaultTimeouts.connectMs,
    firstByteMs: firstByteMs ?? defaultTimeouts.firstByteMs,
    idleMs: idleMs ?? defaultTimeouts.idleMs,
  };
}

/** `path` below a base URL, which may end with a slash or not. @throws `bad_base_url`. */
export function endpoint(baseUrl: string, path: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new PawlError('bad_base_url', `"${baseUrl}" is not a base URL: write it like https://host/path.`);
  }
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}

/** The error for a missing key. */
export function noKey(variable: string, model: string): PawlError {
  return new PawlError('no_key', `${model} needs an API key: set ${variable}, or give apiKey.`);
}
