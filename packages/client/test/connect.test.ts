import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connectLocally, socketPaths } from '../src/local/index.ts';

it.runIf(process.platform === 'linux')(
  'E5: a process that ends while it is greeted counts as nobody who listens',
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-client-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [path = ''] = socketPaths(folder, 'x');
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Its file of proof went with it.
    const hello = { type: 'hello', protocolVersion: 1, pid: process.pid, proof: join(folder, 'gone.proof') };
    const server = createServer((socket) => socket.end(`${JSON.stringify(hello)}\n`));
    onTestFinished(() => {
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await connectLocally(folder, 'x')).toBeNull();
  },
);
