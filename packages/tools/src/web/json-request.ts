import { PawlError } from '@pawl/protocol';
import { hostOf, proxyFor } from '@pawl/protocol/proxy';
import { readBody } from './body.ts';
import { Deadline } from './deadline.ts';
import { exchange, failure, type Route } from './exchange.ts';
import type { WebOptions } from './options.ts';

export type JsonAnswer = { status: number; value: unknown };

const maxAnswerBytes = 2_000_000;

/**
 * One request to a service that the user has named, so wherever it lies. Redirects are not followed: they would carry
 * the key away.
 * @throws as `exchange`; `bad_body` for what is no JSON where the request was granted.
 */
export async function requestJson(
  asked: { url: URL; headers: Readonly<Record<string, string>>; body: string | null },
  options: WebOptions,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const deadline = new Deadline(options, signal);
  const { url, body } = asked;
  const headers = { accept: 'application/json', 'accept-encoding': 'gzip', ...asked.headers };
  try {
    const route = await deadline.race(routeTo(url, options));
    const response = await exchange({ url, method: body === null ? 'GET' : 'POST', headers, body, route }, deadline);
    const read = readBody(response, { limitBytes: maxAnswerBytes, onBytes: () => deadline.touch() });
    const bytes = await deadline.race(read).catch((error: unknown) => {
      response.destroy();
      throw deadline.signal.aborted || error instanceof PawlError ? error : failure(url, error);
    });
    return { status: response.statusCode ?? 0, value: parse(bytes) };
  } finally {
    deadline.close();
  }
}

async function routeTo(url: URL, { environment }: WebOptions): Promise<Route> {
  const proxy = proxyFor(url, environment);
  if (proxy !== null) return { proxy };
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(hostOf(url), { all: true }).catch((cause: unknown) => {
    throw new PawlError('dns_failed', `The name ${hostOf(url)} was not found.`, { cause });
  });
  return { addresses: found.map(({ address }) => address) };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // What is no JSON says nothing; the status may.
    return null;
  }
}
