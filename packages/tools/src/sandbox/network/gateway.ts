/**
 * The only way from a sandbox to the network: an HTTP proxy in this process that lets through to the hosts of a list. It
 * looks up names itself and connects to the addresses that it has checked. What is encrypted stays so: it sees hosts and
 * ports.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { isPawlError, messageOf } from '@pawl/protocol';
import { failure, type Route } from '../../web/exchange.ts';
import { type Network, publicNetwork } from '../../web/network.ts';
import { routeTo } from '../../web/route.ts';
import { type HostList, missingFrom, patternFor, permits, placeOf, plainTarget, tunnelTarget } from './access.ts';
import { forward } from './forward.ts';
import { joinLines, openLine } from './lines.ts';

export type Gateway = {
  /** Serves all that comes in at a listening socket. */
  serve(entrance: Server): void;
  /** Where it has refused to connect to, in order and once each; at most some dozens. */
  refused(): readonly string[];
  /** Breaks off all that is under way. */
  close(): void;
};

type Limits = {
  /** Connections of one command at the same time, and as many requests. */
  connections: number;
  headerBytes: number;
  /** How long the head of a request may take, ms. */
  headMs: number;
  /** How long connecting may take, ms. */
  connectMs: number;
  /** How long a connection may be silent, ms. */
  idleMs: number;
};
const usualLimits: Limits = {
  connections: 256,
  headerBytes: 32_768,
  headMs: 15_000,
  connectMs: 30_000,
  idleMs: 600_000,
};
const mostRefused = 50;

type GatewayOptions = {
  list: HostList;
  /** Where the user's own proxies stand. */
  environment: Readonly<Record<string, string | undefined>>;
  /** `user:password`, where others could knock as well. Default: whoever knocks is the command. */
  credentials?: string;
  /** Only tests give others. */
  network?: Network;
  limits?: Partial<Limits>;
};

/** What is said instead of doing what was asked. */
type Answer = { status: number; reason: string; text: string; headers?: Readonly<Record<string, string>> };

export function openGateway({
  list,
  environment,
  credentials,
  network = publicNetwork,
  limits,
}: GatewayOptions): Gateway {
  const { connections, headerBytes, headMs, connectMs, idleMs } = { ...usualLimits, ...limits };
  const refused = new Set<string>();
  const sockets = new Set<Socket>();
  let underway = 0;
  let isClosed = false;

  /** Nothing here keeps this process from ending, or outlives the gateway. */
  const keep = (socket: Socket): Socket => {
    if (sockets.has(socket)) return socket;
    socket.unref();
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    sockets.add(socket);
    if (isClosed) socket.destroy();
    return socket;
  };

  const refuse = (url: URL, why: string): Answer => {
    if (refused.size < mostRefused) refused.add(placeOf(url));
    return {
      status: 403,
      reason: 'Refused by the sandbox',
      text: `The sandbox refused network access to ${placeOf(url)}${why}`,
    };
  };

  const judge = async (url: URL | null): Promise<{ url: URL; route: Route } | Answer> => {
    if (url === null) return misunderstood;
    const lacking = missingFrom(list, url);
    if (lacking !== null) return refuse(url, `; to allow it, add ${patternFor(url)} to sandboxNetwork in ${lacking}.`);
    try {
      const permitted = { ...network, permits: (address: string) => permits(list, url, address) };
      return { url, route: await routeTo(url, environment, permitted) };
    } catch (error) {
      if (!isPawlError(error, 'forbidden_address')) return unreachable(url, error);
      return refuse(
        url,
        `: ${messageOf(error)} To allow it, name the address itself, or the host without a *, in sandboxNetwork in the settings.`,
      );
    }
  };

  /**
   * One connection can ask for many at once, so it is not enough to count connections; and some end late, so neither is
   * what is under way.
   */
  const takesOnMore = (asking: Socket | ServerResponse): boolean => {
    if (underway >= connections || sockets.size > 2 * connections) return false;
    underway += 1;
    asking.once('close', () => {
      underway -= 1;
    });
    return true;
  };

  const isKnown = ({ headers }: IncomingMessage): boolean =>
    credentials === undefined || isSame(headers['proxy-authorization'] ?? '', basic(credentials));

  const tunnel = async (request: IncomingMessage, near: Socket, head: Buffer): Promise<void> => {
    near.setTimeout(idleMs, () => near.destroy());
    if (!isKnown(request)) return answerTunnel(near, unknown);
    if (!takesOnMore(near)) return answerTunnel(near, overloaded);
    const asked = await judge(tunnelTarget(request.url ?? ''));
    if ('status' in asked) return answerTunnel(near, asked);
    const { url, route } = asked;
    try {
      const far = keep(await openLine(url, route, waitFor(near)));
      far.setTimeout(idleMs, () => far.destroy());
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      joinLines(near, far, head);
    } catch (error) {
      answerTunnel(near, unreachable(url, error));
    }
  };

  const plain = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isKnown(request)) return answerPlain(response, unknown);
    if (!takesOnMore(response)) return answerPlain(response, overloaded);
    const asked = await judge(plainTarget(request.url ?? ''));
    if ('status' in asked) return answerPlain(response, asked);
    try {
      await forward(request, response, { ...asked, signal: waitFor(response), idleMs, keep });
    } catch (error) {
      answerPlain(response, unreachable(asked.url, error));
    }
  };

  /** Aborts when the one who asked is gone, or has waited for a connection long enough. */
  const waitFor = (asking: Socket | ServerResponse): AbortSignal => {
    const controller = new AbortController();
    asking.once('close', () => controller.abort());
    if (asking.destroyed) controller.abort();
    return AbortSignal.any([controller.signal, AbortSignal.timeout(connectMs)]);
  };

  const server = createServer({
    maxHeaderSize: headerBytes,
    headersTimeout: headMs,
    // Sending a large body may take as long as it likes.
    requestTimeout: 0,
    connectionsCheckingInterval: headMs / 3,
  });
  server.maxConnections = connections;
  server.timeout = idleMs;
  server.on('connection', keep);
  server.on('request', (request, response) => void plain(request, response).catch(() => response.destroy()));
  server.on('connect', (request, near, head) => void tunnel(request, near as Socket, head).catch(() => near.destroy()));

  return {
    serve(entrance) {
      // Both are one socket: what was handed over is served by who knows HTTP.
      if (isClosed) entrance.close();
      else server.listen(entrance).unref();
    },
    refused: () => [...refused],
    close() {
      isClosed = true;
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const misunderstood: Answer = {
  status: 400,
  reason: 'Bad Request',
  text: 'This is the proxy of a sandbox: it takes CONNECT host:port, and requests for http://host/path.',
};

const unknown: Answer = {
  status: 407,
  reason: 'Proxy Authentication Required',
  text: 'This is the proxy of a sandbox, for its commands alone.',
  headers: { 'Proxy-Authenticate': 'Basic realm="sandbox"' },
};

const overloaded: Answer = {
  status: 503,
  reason: 'Too many at once',
  text: 'The sandbox lets a command ask for no more at the same time.',
};

const unreachable = (url: URL, error: unknown): Answer => ({
  status: 502,
  reason: 'Bad Gateway',
  text: messageOf(isPawlError(error) ? error : failure(url, error)),
});

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

/** Without telling by its time how much of it is right. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function answerTunnel(near: Socket, { status, reason, text, headers = {} }: Answer): void {
  const body = `${text}\n`;
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  near.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${more.join('')}\r\n${body}`,
  );
}

function answerPlain(response: ServerResponse, { status, reason, text, headers }: Answer): void {
  // Half an answer cannot be taken back, only broken off.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, reason, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...headers });
  response.end(`${text}\n`);
}
