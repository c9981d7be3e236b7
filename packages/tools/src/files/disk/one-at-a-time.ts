/**
 * Changes in one folder come one after another, whichever session or process of this machine makes them: between the
 * last look at a file and its replacement, another could be lost. What else changes files does not ask, and is found
 * by that look.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';

/** No change takes as long. Whoever holds a name for longer does not belong to us, and we go on without it. */
const longestWaitMs = 10_000;

type Release = () => void;

/** Does something while no other change is made in the folders of these paths. */
export async function oneAtATime<Value>(paths: readonly string[], work: () => Promise<Value>): Promise<Value> {
  // All in the same order, so that no two wait for each other.
  const folders = [...new Set(paths.map((path) => dirname(path)))].sort((one, other) => (one < other ? -1 : 1));
  const held: Release[] = [];
  try {
    for (const folder of folders) held.push(await hold(folder));
    return await work();
  } finally {
    for (const release of held) release();
  }
}

const last = new Map<string, Promise<void>>();

/** First among the changes of this process, then, where the system has names that end with it, among all. */
async function hold(folder: string): Promise<Release> {
  const before = last.get(folder);
  const { promise, resolve } = Promise.withResolvers<void>();
  last.set(folder, promise);
  await before;
  const release = process.platform === 'linux' ? await holdName(folder) : () => undefined;
  return () => {
    release();
    if (last.get(folder) === promise) last.delete(folder);
    resolve();
  };
}

/**
 * A socket without a file: only one can listen under a name, and with the process that does, it is gone. Sandboxed
 * commands without a network do not see it.
 */
async function holdName(folder: string): Promise<Release> {
  const name = `\0pawl-changes-${createHash('sha256').update(folder).digest('hex')}`;
  const until = performance.now() + longestWaitMs;
  for (;;) {
    const found = await listen(name);
    if (found !== 'taken') return found;
    const leftMs = until - performance.now();
    if (leftMs <= 0) return () => undefined;
    await untilReleased(name, leftMs);
  }
}

async function listen(name: string): Promise<Release | 'taken'> {
  const { createServer } = await import('node:net');
  return new Promise((resolve) => {
    const waiting = new Set<{ destroy(): void }>();
    const server = createServer((socket) => {
      // One that waits until it is cut off.
      socket.on('error', () => undefined);
      waiting.add(socket);
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      // No other fault is one of the change: it is made as it would be without this.
      resolve(error.code === 'EADDRINUSE' ? 'taken' : () => undefined);
    });
    server.listen({ path: name }, () => {
      resolve(() => {
        server.close();
        for (const socket of waiting) socket.destroy();
      });
    });
    server.unref();
  });
}

/** Until whoever listens does no longer. */
async function untilReleased(name: string, maxMs: number): Promise<void> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect({ path: name });
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve();
    };
    const timer = setTimeout(end, maxMs);
    socket.once('error', end).once('close', end);
  });
}
