import type { IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { messageOf, PawlError } from '@pawl/protocol';
import { hostOf, portOf, proxyHeaders } from '@pawl/protocol/proxy';
import { systemCode } from '../failures.ts';
import type { Deadline } from './deadline.ts';
import { isAddress } from './target.ts';
import { openTunnel } from './tunnel.ts';

/** One request, and how it goes to the server. */
export type Exchange = {
  url: URL;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body: string | null;
  route: Route;
};

/** Straight to one of these addresses, or through a proxy, which then looks up the name itself. */
export type Route = { addresses: readonly string[] } | { proxy: URL };

/**
 * Sends a request and gives the answer as soon as its head is there. Each one has a connection of its own.
 * @throws `connection_failed`, `proxy_failed`; the deadline's reason when that ends it.
 */
export async function exchange(asked: Exchange, deadline: Deadline): Promise<IncomingMessage> {
  const { url, method, headers, body, route } = asked;
  const isSecure = url.protocol === 'https:';
  const options: RequestOptions = {
    protocol: url.protocol,
    host: hostOf(url),
    port: portOf(url),
    path: url.pathname + url.search,
    method,
    headers: { ...headers, host: url.host, ...(body !== null && { 'content-length': Buffer.byteLength(body) }) },
    agent: false,
    signal: deadline.signal,
  };
  if ('addresses' in route) options.lookup = onlyTo(route.addresses);
  else if (isSecure) await throughTunnel(options, url, route.proxy, deadline.signal);
  else throughPlainProxy(options, url, route.proxy);

  const { request } = await (options.protocol === 'https:' ? import('node:https') : import('node:http'));
  return deadline.race(
    new Promise((resolve, reject) => {
      const sent = request(options);
      sent.once('response', resolve);
      sent.on('error', (error) => reject(deadline.signal.aborted ? deadline.signal.reason : failure(url, error)));
      sent.once('close', () => reject(failure(url, new Error('it closed the connection without an answer'))));
      sent.once('upgrade', (_, socket) => socket.destroy());
      sent.end(body ?? undefined);
    }),
  );
}

/** Answers with the addresses that were checked, whatever the name means by now. */
export function onlyTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (first === undefined) callback(new Error('no address'), '');
    else if (all === true) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

async function throughTunnel(options: RequestOptions, url: URL, proxy: URL, signal: AbortSignal): Promise<void> {
  const tls = await import('node:tls');
  const socket = await openTunnel(proxy, url, signal);
  // Whoever has an agent, and be it `false`, is connected by that.
  delete options.agent;
  const host = hostOf(url);
  options.createConnection = () => tls.connect({ socket, host, servername: isAddress(url) ? '' : host });
}

/** A plain request is sent to the proxy itself, with the whole address as its path (RFC 9112 §3.2.2). */
export function throughPlainProxy(options: RequestOptions, url: URL, proxy: URL): void {
  options.protocol = proxy.protocol;
  options.host = hostOf(proxy);
  options.port = portOf(proxy);
  options.path = url.origin + url.pathname + url.search;
  options.headers = { ...options.headers, ...proxyHeaders(proxy) };
}

const meanings: { [code: string]: string } = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it broke the connection off',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'there is no network',
  ETIMEDOUT: 'it does not answer',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it signed its certificate itself',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  HPE_HEADER_OVERFLOW: 'the head of its answer is too long',
};

/** What went wrong between us and a server. */
export function failure(url: URL, error: unknown): PawlError {
  const problem = meanings[systemCode(error) ?? ''] ?? (messageOf(error) || systemCode(error) || 'no reason is known');
  return new PawlError('connection_failed', `${url.host} could not be read: ${problem}.`, { cause: error });
}
