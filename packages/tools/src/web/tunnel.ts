import type { Socket } from 'node:net';
import { PawlError } from '@pawl/protocol';
import { hostOf, portOf, proxyHeaders } from '@pawl/protocol/proxy';

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
