/** Keys and failures as people may see them. */
import type { PawlError } from '@pawl/protocol';
import { failureDetails } from '../errors.ts';
import type { Key } from './types.ts';

/** Below this many characters, a few of them would be too many to show. */
const minLength = 20;

/** A key of which only the kind and the last four characters are told: `sk-…abcd`. */
export function maskKey(secret: string): string {
  if (secret.length < minLength) return '…';
  const kind = /^[a-z]{2,4}[-_]/i.exec(secret)?.[0] ?? '';
  return `${kind}…${secret.slice(-4)}`;
}

/** A key by its name and what may be shown of it. */
export function keyLabel(key: Key): string {
  return `${key.name} (${maskKey(key.secret)})`;
}

const phrases: { readonly [code: string]: string } = {
  rate_limited: 'rate limited',
  overloaded: 'overloaded',
  server_error: 'a failure at the provider',
  connection_failed: 'no connection',
  unknown_host: 'there is no such host',
  untrusted_certificate: 'its certificate is not trusted',
  not_a_model: 'no model answers there',
  connection_lost: 'the connection broke',
  connect_timeout: 'no connection in time',
  first_byte_timeout: 'no answer in time',
  idle_timeout: 'silence in mid-answer',
  stream_cut: 'the answer was cut off',
  bad_stream: 'an unreadable answer',
  quota_exceeded: 'no credit left',
  unauthorized: 'refused',
  no_key: 'no key',
  not_found: 'not found',
  context_overflow: 'the conversation is too long for it',
  request_too_large: 'the request has too many bytes for it',
};

/** A failure in a few words, for the middle of a sentence. */
export function reasonOf(error: PawlError): string {
  const { status } = failureDetails(error);
  return `${phrases[error.code] ?? error.code}${status === undefined ? '' : ` (HTTP ${status})`}`;
}
