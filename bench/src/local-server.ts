import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Seen } from './script.ts';

/** The model server in its own process. */
export type LocalServer = {
  /** Without a path. */
  url: string;
  seen(key: string): Promise<Seen>;
  stop(): Promise<void>;
};

export const startServer = async (): Promise<LocalServer> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
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
    async seen(key) {
      const response = await fetch(`${url}/seen/${key}`);
      const seen: Seen = JSON.parse(await response.text());
      return seen;
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
};
