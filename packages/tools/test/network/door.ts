/** A gateway to talk to, and servers behind it. */
import { createServer as createWebServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HostList } from '../../src/sandbox/network/access.ts';
import { openGateway } from '../../src/sandbox/network/gateway.ts';

type Options = Partial<Parameters<typeof openGateway>[0]>;

export const only = (...hosts: string[]): HostList => ({ hosts, within: null });

export async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** A gateway that can be talked to. Every name leads where `names` says, and else nowhere. */
export async function open(list: HostList, names: Record<string, string[]> = {}, options: Options = {}) {
  const network = {
    resolve: async (host: string) => names[host] ?? Promise.reject(new Error('no such name')),
    permits: () => false,
    now: () => 0,
  };
  const gateway = openGateway({ list, environment: {}, network, ...options });
  const entrance = createServer();
  const port = await listening(entrance);
  gateway.serve(entrance);
  onTestFinished(() => gateway.close());
  /** All that is answered to these bytes until the connection is closed. */
  const say = async (text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(text);
    let answer = '';
    for await (const piece of socket.setEncoding('latin1')) answer += piece;
    return answer;
  };
  const get = (url: string, more = '') => say(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);
  const tunnel = (place: string, then = '') => say(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n${then}`);
  return { gateway, port, say, get, tunnel };
}

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** A web server that remembers what it was asked. */
export async function web(answer: RequestListener = (_, response) => response.end('reached'), host?: string) {
  const seen: Seen[] = [];
  const server = createWebServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    answer(request, response);
  });
  const port = await listening(server, host);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, seen };
}

export const plainGet = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
