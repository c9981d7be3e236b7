import type { IncomingHttpHeaders } from 'node:http';
import { messageOf, type PawlError } from '@pawl/protocol';
import { type FailureDetails, modelError } from '../errors.ts';
import { isTooLong } from './too-long.ts';
import { codeOf as connectionCodeOf, unusableAddress } from './unusable.ts';

/** A failure as a provider describes it, in an error response or in the middle of a stream. */
export type ProviderFailure = {
  /** HTTP status, or the one the provider names inside a stream; 0 where it names none. */
  status: number;
  /** The provider's word for the kind of failure, such as `overloaded_error`. */
  kind: string;
  message: string;
};

/** The one table from a provider's failure to Pawl's code. */
function codeOf({ status, kind, message }: ProviderFailure): string {
  if (/insufficient_quota|billing_error|credit balance/i.test(`${kind} ${message}`) || status === 402) {
    return 'quota_exceeded';
  }
  // Before the rates: a request that is larger than what may be sent in a minute is refused as one, for ever.
  if (isTooLong(status, kind, message)) return 'context_overflow';
  if (/rate_limit/i.test(kind) || status === 429) return 'rate_limited';
  if (/overloaded|unavailable/i.test(kind) || status === 529 || status === 503) return 'overloaded';
  // A key that may not use one model is no bad key; some providers answer 403.
  if (/model_not_found/i.test(kind)) return 'not_found';
  if (/authentication|permission|invalid_api_key/i.test(kind) || status === 401 || status === 403)
    return 'unauthorized';
  // Some name no kind of their own for it.
  if (status === 400 && /api key (not valid|expired|not found)/i.test(message)) return 'unauthorized';
  if (/not_found/i.test(kind) || status === 404) return 'not_found';
  // One content of more than 10 MB, to OpenAI.
  if (status === 413 || /request_too_large|string_above_max_length/i.test(kind)) return 'request_too_large';
  // Transient by definition: timeout, conflict, too early.
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'server_error';
  if (status >= 300 || /invalid_request/i.test(kind)) return 'bad_request';
  return 'server_error';
}

const advice: { readonly [code: string]: string } = {
  quota_exceeded: 'Add credit at the provider, or use another key.',
  rate_limited: 'Wait, or use another key or model.',
  overloaded: 'Try again in a moment.',
  unauthorized: 'Check the key and what it may use.',
  not_found: 'Check the name of the model and the base URL.',
  context_overflow:
    'The conversation is too long for this model: choose a model with a larger window, or fork the session before one of its messages.',
  request_too_large: 'The request has too many bytes: remove large contents from the conversation.',
};

/** A provider's failure as an error with a stable code. */
export function providerError(failure: ProviderFailure, details: FailureDetails = {}): PawlError {
  const code = codeOf(failure);
  const said = failure.message.trim() || failure.kind || 'no reason was given';
  const status = failure.status === 0 ? '' : ` (HTTP ${failure.status})`;
  const sentence = `The provider refused or failed${status}: ${said}${/[.!?]$/.test(said) ? '' : '.'}`;
  return modelError(code, advice[code] === undefined ? sentence : `${sentence} ${advice[code]}`, {
    ...(failure.status === 0 ? {} : { status: failure.status }),
    ...details,
  });
}

/** An answer that is not a success, as an error. `body` may be JSON in any provider's shape, HTML, or nothing. */
export function responseError(status: number, headers: IncomingHttpHeaders, body: string, now: number): PawlError {
  const retryAfterMs = retryAfter(headers, now) ?? retryDelay(body);
  const requestId = headers['request-id'] ?? headers['x-request-id'];
  const moved = status >= 300 && status < 400 && headers.location !== undefined ? `moved to ${headers.location}` : null;
  const { kind, message } = readFailure(body);
  return providerError(
    { status, kind, message: moved ?? message },
    {
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
      ...(typeof requestId === 'string' ? { requestId } : {}),
    },
  );
}

/** Reads an error body: `{error: {type, code, message}}`, `{error: '…'}`, `{message}`, `{detail}`, or plain text. */
function readFailure(body: string): { kind: string; message: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const text = body.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ').replace(/\s+/g, ' ');
    return { kind: '', message: text.trim().slice(0, 500) };
  }
  return describeFailure(value);
}

/** The same for a body that is parsed already. */
export function describeFailure(value: unknown): { kind: string; message: string } {
  const outer = fields(value);
  const inner = fields(outer.error);
  const message = text(inner.message) ?? text(outer.error) ?? text(outer.message) ?? text(outer.detail);
  const kind = [inner.type, inner.code, outer.code].map(text).filter((word) => word !== null);
  const said = [message ?? JSON.stringify(value) ?? '', messageBehindRouter(inner)].filter((words) => words !== '');
  return { kind: kind.join(' '), message: said.join(' ').slice(0, 2000) };
}

/** The message of the provider behind a router, which the router's own message hides. Source: https://openrouter.ai/docs/api-reference/errors. */
function messageBehindRouter(inner: { readonly [key: string]: unknown }): string {
  const { raw } = fields(inner.metadata);
  return typeof raw === 'string' ? raw : '';
}

/** The wait that an answer's headers ask for, in milliseconds, or null. RFC 9110 §10.2.3: seconds or a date. */
export function retryAfter(headers: IncomingHttpHeaders, now: number): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const value = headers['retry-after'];
  if (value === undefined) return null;
  const seconds = Number(value);
  if (seconds >= 0) return Math.ceil(seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The wait that an error body asks for: `google.rpc.RetryInfo`, where there is no header. Source: https://google.aip.dev/193. */
function retryDelay(body: string): number | null {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000);
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);

/**
 * A failure of the connection itself, before or during an answer. `hasAnswered`: the host has answered this process
 * before, so an unknown name is a temporary failure of DNS.
 */
export function networkError(
  error: Error,
  host: string,
  { hasConnected, hasAnswered = false }: { hasConnected: boolean; hasAnswered?: boolean },
): PawlError {
  const code = connectionCodeOf(error);
  const unusable = hasConnected || (hasAnswered && code === 'ENOTFOUND') ? null : unusableAddress(error, host);
  if (unusable !== null) return unusable;
  // An AggregateError (all addresses of a host failed) has no message of its own.
  const said = error.message || code || messageOf(error.cause ?? error.name);
  if (!hasConnected || unreachable.has(code)) {
    const sentence = `No connection to ${host}: ${said}. Check the base URL, the network and the proxy settings.`;
    return modelError('connection_failed', sentence, {}, { cause: error });
  }
  return modelError('connection_lost', `The connection to ${host} broke: ${said}. Try again.`, {}, { cause: error });
}

function fields(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};
}

function text(value: unknown): string | null {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' ? String(value) : null;
}
