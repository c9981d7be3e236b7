import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolContext, ToolOutcome } from '@pawl/engine';
import { afterEach } from 'vitest';
import type { Network } from '../../src/web/network.ts';
import type { WebOptions } from '../../src/web/options.ts';
import { webFetchTool } from '../../src/web/web-fetch.ts';
import { createWorkspace } from '../workspace.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server on this machine; gives its port. */
export async function serve(listener: RequestListener): Promise<number> {
  return listen(createServer(listener));
}

export async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Answers every request with this. */
export function page(body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body);
  };
}

/** Every name is this machine, and this machine may be reached: what the tool itself never allows. */
const loopback: Network = {
  resolve: async () => ['127.0.0.1'],
  permits: (address) => address === '127.0.0.1',
  now: () => Date.now(),
};

export type Fetcher = {
  fetch(url: string, input?: { format?: string }, changes?: Partial<ToolContext>): Promise<ToolOutcome>;
  blobs: Map<string, Uint8Array>;
  progress: string[];
};

/** `web_fetch` as the engine calls it, in a world where loopback is the Internet. */
export function createFetcher(options: Partial<WebOptions> = {}, network: Partial<Network> = {}): Fetcher {
  const { context, blobs, progress } = createWorkspace();
  const tool = webFetchTool(
    { ports: 'any', environment: {}, renderMs: 60_000, ...options },
    { ...loopback, ...network },
  );
  return {
    blobs,
    progress,
    async fetch(url, input = {}, changes = {}) {
      await tool.plan?.({ url, ...input }, context());
      return tool.run({ url, ...input }, context(changes));
    },
  };
}
