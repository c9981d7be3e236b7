/** Passes a plain request on, and its answer back. */
import { request as httpRequest, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { hostOf, portOf } from '@pawl/protocol/proxy';
import { type Route, throughPlainProxy } from '../../web/exchange.ts';
import { openLine } from './lines.ts';

type Passage = {
  url: URL;
  route: Route;
  /** Ends the wait for a connection. */
  signal: AbortSignal;
  /** How long the server may be silent, ms. */
  idleMs: number;
  keep(socket: Socket): Socket;
};

/** Fields that are about one connection, and not about what goes over it: RFC 9110 §7.6.1. */
const hopFields = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Both are written anew from what was understood, so that nobody downstream can understand something else: the host is
 * that of the URL that was judged, whatever the Host field says.
 * @throws what kept the request from being answered.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { url, route, signal, idleMs, keep }: Passage,
): Promise<void> {
  const options: RequestOptions = {
    host: hostOf(url),
    port: portOf(url),
    method: request.method ?? 'GET',
    path: url.pathname + url.search,
    headers: {
      ...endToEnd(request),
      host: url.host,
      ...(request.headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' }),
    },
  };
  let send = httpRequest;
  if ('proxy' in route) {
    throughPlainProxy(options, url, route.proxy);
    options.agent = false;
    if (route.proxy.protocol === 'https:') send = (await import('node:https')).request;
  } else {
    const line = keep(await openLine(url, route, signal));
    options.createConnection = () => line;
  }
  const outgoing = send(options);
  outgoing.setTimeout(idleMs, () => outgoing.destroy());
  outgoing.once('socket', keep);
  response.once('close', () => outgoing.destroy());
  request.pipe(outgoing);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.once('upgrade', (_, socket) => socket.destroy());
    outgoing.once('close', () => reject(new Error('it closed the connection without an answer')));
  });
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer));
  pipeline(answer, response, () => undefined);
}

function endToEnd({ headers, headersDistinct }: IncomingMessage): Record<string, string[]> {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/));
  // Without its length, a body would be taken for further requests.
  named.delete('content-length');
  const kept = Object.entries(headersDistinct).filter(([name]) => !hopFields.has(name) && !named.has(name));
  return Object.fromEntries(kept.map(([name, values]) => [name, values ?? []]));
}
