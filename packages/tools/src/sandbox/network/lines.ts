/** Connections to where somebody may go. */
import { connect, type Socket } from 'node:net';
import { hostOf, portOf } from '@pawl/protocol/proxy';
import { onlyTo, type Route } from '../../web/exchange.ts';
import { openTunnel } from '../../web/tunnel.ts';

/**
 * A connection to a URL's host: to one of the addresses that were checked, or through a proxy.
 * @throws the system's error, `proxy_failed`; the signal's reason when that aborts.
 */
export async function openLine(url: URL, route: Route, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  if ('proxy' in route) return openTunnel(route.proxy, url, signal);
  const line = connect({
    host: hostOf(url),
    port: portOf(url),
    lookup: onlyTo(route.addresses),
    // Who has said all may still listen.
    allowHalfOpen: true,
  });
  return new Promise((resolve, reject) => {
    const stop = () => line.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    line.once('error', reject);
    line.once('connect', () => {
      signal.removeEventListener('abort', stop);
      line.off('error', reject);
      resolve(line);
    });
  });
}

/** Lets two ends talk until one of them is gone. `head` is what the near one has said already. */
export function joinLines(near: Socket, far: Socket, head: Buffer): void {
  if (head.length > 0) far.write(head);
  near.pipe(far);
  far.pipe(near);
  // What has been said is still passed on.
  near.once('close', () => far.destroySoon());
  far.once('close', () => near.destroySoon());
  if (near.destroyed) far.destroySoon();
}
