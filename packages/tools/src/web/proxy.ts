import type { Socket } from 'node:net';
import { PawlError } from '@pawl/protocol';
import { hostOf, portOf } from './target.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, or null: HTTPS_PROXY, HTTP_PROXY and ALL_PROXY unless NO_PROXY names the host; lower case wins.
 * HTTP_PROXY in capitals counts too, because no web server runs us as a CGI program.
 * @throws `bad_proxy`. Source of the rules: https://curl.se/docs/manpage.html#--noproxy.
 */
export function proxyFor(target: URL, environment: Environment): URL | null {
  const scheme = target.protocol.slice(0, -1);
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const address = read(`${scheme}_proxy`) ?? read('all_proxy');
  if (address === undefined || isExempt(target, read('no_proxy') ?? '')) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new PawlError(
    'bad_proxy',
    `${scheme.toUpperCase()}_PROXY names no HTTP proxy: write it like http://host:port.`,
  );
}

function isExempt(target: URL, list: string): boolean {
  const host = hostOf(target).toLowerCase();
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, bracketed, plain = '', port] =
        /^(?:\[(.*)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (port !== undefined && Number(port) !== portOf(target)) return false;
      const domain = bracketed ?? plain.replace(/^\*?\./, '');
      return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
    });
}

export function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * A connection to the target of an https URL through a proxy (CONNECT, RFC 9110 §9.3.6), still without TLS.
 * @throws `proxy_failed`; the signal's reason when that aborts.
 */
export async function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const { request } = await (proxy.protocol === 'https:' ? import('node:https') : import('node:http'));
  const authority = `${target.hostname}:${portOf(target)}`;
  return new Promise<Socket>((resolve, reject) => {
    const fail = (problem: string, cause?: unknown) =>
      reject(new PawlError('proxy_failed', `The proxy ${proxy.host} ${problem}. Check HTTPS_PROXY.`, { cause }));
    const connect = request({
      host: hostOf(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: authority,
      agent: false,
      headers: { host: authority, ...proxyHeaders(proxy) },
      signal,
    });
    connect.once('error', (error) =>
      signal.aborted ? reject(signal.reason) : fail(`failed: ${error.message}`, error),
    );
    connect.once('response', (response) => {
      response.destroy();
      fail(`refused ${authority} with HTTP ${response.statusCode}`);
    });
    connect.once('connect', (response, socket, head) => {
      // Whoever speaks first may have begun already.
      if (head.length > 0) socket.unshift(head);
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      fail(`refused ${authority} with HTTP ${response.statusCode}`);
    });
    connect.end();
  });
}
