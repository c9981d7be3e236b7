import type { Agent, RequestOptions } from 'node:http';
import { hostOf, type ProxyEnvironment, portOf, proxyFor, proxyHeaders } from '@pawl/protocol/proxy';
import { nodeHttp, nodeHttps } from './builtin.ts';
import { tunnelAgent } from './tunnel.ts';

/** How to reach one address: what `http.request` needs, and how it goes there. */
export type Connection = {
  request: ReturnType<typeof nodeHttp>['request'];
  /** The host that is to answer, whatever is in between. */
  host: string;
  options: RequestOptions & { agent: Agent };
  /** The proxy in between, without its password, or null. */
  proxy: string | null;
};

/** Wraps the connection of a wire, to record all that passes or to replay a recording. */
export type WireTap = (connection: Connection) => Connection;

/** Kept for the life of the process, so that connections are reused. An idle connection does not keep the process alive. */
const agents = new Map<string, Agent>();

/** How to reach `url`, with connections kept alive and shared by all that go the same way. */
export function connectionTo(url: URL, environment: ProxyEnvironment, tap?: WireTap): Connection {
  const proxy = proxyFor(url, environment);
  const isSecure = url.protocol === 'https:';
  const key = `${url.protocol} ${proxy?.href ?? ''}`;
  let agent = agents.get(key);
  if (agent === undefined) {
    agent = createAgent(isSecure, proxy);
    agents.set(key, agent);
  }
  const options: Connection['options'] = {
    agent,
    protocol: url.protocol,
    host: hostOf(url),
    port: portOf(url),
    path: url.pathname + url.search,
    method: 'POST',
  };
  if (proxy !== null && !isSecure) throughPlainProxy(options, url, proxy);
  const connection: Connection = {
    request: isSecure ? nodeHttps().request : nodeHttp().request,
    options,
    host: url.hostname,
    proxy: proxy === null ? null : `${proxy.protocol}//${proxy.host}`,
  };
  return tap === undefined ? connection : tap(connection);
}

function createAgent(isSecure: boolean, proxy: URL | null): Agent {
  const settings = { keepAlive: true, scheduling: 'lifo' as const };
  if (isSecure) return proxy === null ? new (nodeHttps().Agent)(settings) : tunnelAgent(proxy, settings);
  return proxy?.protocol === 'https:' ? new (nodeHttps().Agent)(settings) : new (nodeHttp().Agent)(settings);
}

/** A plain request is sent to the proxy itself, with the whole address as its path (RFC 9112 §3.2.2). */
function throughPlainProxy(options: Connection['options'], url: URL, proxy: URL): void {
  options.protocol = proxy.protocol;
  options.host = hostOf(proxy);
  options.port = portOf(proxy);
  options.path = `${url.origin}${url.pathname}${url.search}`;
  options.headers = { host: url.host, ...proxyHeaders(proxy) };
}
