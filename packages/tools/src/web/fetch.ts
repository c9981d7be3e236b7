import type { IncomingMessage } from 'node:http';
import { PawlError } from '@pawl/protocol';
import { hostOf, portOf } from '@pawl/protocol/proxy';
import { readBody } from './body.ts';
import { Deadline } from './deadline.ts';
import { exchange, failure, type Route } from './exchange.ts';
import type { Network } from './network.ts';
import type { WebOptions } from './options.ts';
import { routeTo } from './route.ts';
import { type TargetRules, targetOf } from './target.ts';

const maxRedirects = 5;

const headers = {
  accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; Pawl)',
};

/** What came of a fetch. */
export type Fetched = {
  /** Where the last request went. */
  url: string;
  status: number;
  statusText: string;
  contentType: string;
  /** Unpacked. Empty where it was not read. */
  bytes: Buffer;
  /** Where the page says to go on, on another host; it was not asked, because nobody judged that. */
  elsewhere: string | null;
  redirects: number;
  /** The proxy in between, without its password, or null. */
  proxy: string | null;
  /** Whether the server allows to keep it. */
  isStorable: boolean;
};

/**
 * Reads what lies at a URL. Redirects are followed within the host that was asked for, since that is what was judged;
 * every hop is checked as if it were the first.
 * @throws `bad_url`, `forbidden_address`, `dns_failed`, `connection_failed`, `proxy_failed`, `fetch_timeout`,
 *   `too_many_redirects`, `too_large`, `bad_body`; the signal's reason when that aborts.
 */
export async function fetchPage(
  start: string,
  options: WebOptions,
  network: Network,
  watch: { signal: AbortSignal; onBytes(totalBytes: number): void },
): Promise<Fetched> {
  const deadline = new Deadline(options, watch.signal);
  const rules: TargetRules = { ports: options.ports, permits: network.permits };
  try {
    let url = targetOf(start, rules);
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const route = await deadline.race(routeTo(url, options.environment, network));
      const response = await exchange({ url, method: 'GET', headers, body: null, route }, deadline);
      deadline.touch();
      const location = redirectIn(response);
      const next = location === null ? null : targetOf(location, rules, url);
      if (next === null || !isSamePlace(url, next)) {
        const bytes =
          next === null ? await wholeBody(url, response, options, deadline, watch.onBytes) : Buffer.alloc(0);
        if (next !== null) response.destroy();
        return describe(url, response, { bytes, redirects, route, elsewhere: next?.href ?? null });
      }
      response.destroy();
      url = next;
    }
    throw new PawlError(
      'too_many_redirects',
      `${start} redirects more than ${maxRedirects} times, which may have no end.`,
    );
  } finally {
    deadline.close();
  }
}

function redirectIn({ statusCode = 0, headers }: IncomingMessage): string | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return null;
  // Header bytes arrive as Latin-1, and are UTF-8 where they are anything.
  return Buffer.from(headers.location, 'latin1').toString('utf8');
}

/** The host and port that were judged. The step from http to https is no step elsewhere. */
function isSamePlace(from: URL, to: URL): boolean {
  if (hostOf(from) !== hostOf(to)) return false;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && portOf(from) === 80 && portOf(to) === 443;
  return isUpgrade || (from.protocol === to.protocol && portOf(from) === portOf(to));
}

async function wholeBody(
  url: URL,
  response: IncomingMessage,
  { maxBodyBytes }: WebOptions,
  deadline: Deadline,
  onBytes: (totalBytes: number) => void,
): Promise<Buffer> {
  const read = readBody(response, {
    limitBytes: maxBodyBytes,
    onBytes(totalBytes) {
      deadline.touch();
      onBytes(totalBytes);
    },
  });
  try {
    return await deadline.race(read);
  } catch (error) {
    response.destroy();
    throw deadline.signal.aborted || error instanceof PawlError ? error : failure(url, error);
  }
}

function describe(
  url: URL,
  { statusCode = 0, statusMessage = '', headers }: IncomingMessage,
  rest: Pick<Fetched, 'bytes' | 'redirects' | 'elsewhere'> & { route: Route },
): Fetched {
  const { route, ...facts } = rest;
  return {
    ...facts,
    url: url.href,
    status: statusCode,
    statusText: statusMessage,
    contentType: headers['content-type'] ?? '',
    proxy: 'proxy' in route ? `${route.proxy.protocol}//${route.proxy.host}` : null,
    isStorable: statusCode === 200 && !/\bno-store\b/i.test(headers['cache-control'] ?? ''),
  };
}
