import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Seen } from './script.ts';

/** A server in its own process. */
type Server = {
  /** Without a path. */
  url: string;
  /** The JSON at a path of the server. */
  get<Value>(path: string): Promise<Value>;
  stop(): Promise<void>;
};

export type LocalServer = Server & { seen(key: string): Promise<Seen> };

/** The model server that answers at once. */
export const startServer = async (): Promise<LocalServer> => {
  const server = await startScript('server.ts');
  return { ...server, seen: (key) => server.get<Seen>(`/seen/${key}`) };
};

/** The model server that takes its time. */
export const startPacedServer = (): Promise<Server> => startScript('paced-server.ts');

const startScript = async (script: string): Promise<Server> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const port = await Promise.race([
    once(child.stdout, 'data').then(([bytes]) => Number(bytes)),
    ended.then(([code]) => Promise.reject(new Error(`The model server ended at once, with ${code}.`))),
  ]);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async get<Value>(path: string): Promise<Value> {
      const response = await fetch(`${url}${path}`);
      return JSON.parse(await response.text());
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
};
