import type { Agent, AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { hostOf, portOf, proxyHeaders } from '@pawl/protocol/proxy';
import { modelError } from '../errors.ts';
import { nodeHttp, nodeHttps, nodeTls } from './builtin.ts';

/** A proxy that never answers is given up, even if nobody waits for it any more. */
const answerMs = 60_000;

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * An https agent whose connections are tunnels through a proxy (CONNECT, RFC 9110 §9.3.6), with TLS to the target
 * inside. Node has this built in only from 22.21 on (`proxyEnv`).
 */
export function tunnelAgent(proxy: URL, settings: AgentOptions): Agent {
  const agent = new (nodeHttps().Agent)(settings);
  agent.createConnection = (options: ConnectionOptions, callback?: Connected) => {
    const target = `${options.host?.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
    const { request } = proxy.protocol === 'https:' ? nodeHttps() : nodeHttp();
    const connect = request({
      host: hostOf(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { host: target, ...proxyHeaders(proxy) },
    });
    const fail = (error: Error) => callback?.(error, null as unknown as Duplex);
    connect.once('error', (error) =>
      fail(
        modelError(
          'connection_failed',
          `The proxy ${proxy.host} cannot be reached: ${error.message}. Check HTTPS_PROXY.`,
          {},
          { cause: error },
        ),
      ),
    );
    connect.once('connect', (response, socket) => {
      socket.setTimeout(0);
      if (response.statusCode !== 200) {
        socket.destroy();
        const status = response.statusCode ?? 0;
        const hint = status === 407 ? 'Put user and password into HTTPS_PROXY.' : 'Check HTTPS_PROXY and NO_PROXY.';
        fail(
          modelError('proxy_refused', `The proxy ${proxy.host} refused ${target}: HTTP ${status}. ${hint}`, { status }),
        );
        return;
      }
      const { host, ...rest } = options;
      const secure = nodeTls().connect({ ...rest, socket, servername: options.servername ?? host ?? '' });
      const onError = (error: Error) => fail(error);
      secure.once('error', onError);
      secure.once('secureConnect', () => {
        secure.off('error', onError);
        callback?.(null, secure);
      });
    });
    connect.setTimeout(answerMs, () => connect.destroy(new Error('it does not answer')));
    connect.end();
    return undefined;
  };
  return agent;
}
