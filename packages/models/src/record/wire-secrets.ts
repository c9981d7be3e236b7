import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { isSecretHeader, secretsIn, withoutSecrets } from '../http/headers.ts';

const removed = '[removed]';

/** Names of headers that say who asks. Those that count tokens are no such. */
const secretResponseHeader = /authorization|cookie|secret|api-key|organization|project/i;
const secretParameter = /key|token|secret|signature/i;

/** Headers as they may be kept, and the secrets that were in them. */
export function keepHeaders(headers: OutgoingHttpHeaders): { kept: { [name: string]: string }; secrets: string[] } {
  const kept = Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? removed : String(value)]);
  return { kept: Object.fromEntries(kept), secrets: secretsIn(headers) };
}

export function keepResponseHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): { [name: string]: string | string[] } {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      if (secretResponseHeader.test(name)) return [[name, removed]];
      const kept = [value].flat().map((one) => withoutSecrets(one, secrets));
      return [[name, typeof value === 'string' ? kept.join() : kept]];
    }),
  );
}

export function keepUrl(url: URL): string {
  for (const name of [...url.searchParams.keys()]) {
    if (secretParameter.test(name)) url.searchParams.set(name, removed);
  }
  return url.href;
}
