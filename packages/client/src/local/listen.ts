/** Lets other processes of this user reach the sessions that this one drives. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Client, Identity } from '@pawl/protocol';
import { protocolVersion } from '@pawl/protocol';
import type { Connection, Line } from '../connection.ts';
import { lineConnection } from '../connection.ts';
import { type ServeOptions, serveClient } from '../serve.ts';
import { isAnswered } from './answered.ts';
import type { Hello, Welcome } from './greeting.ts';
import { isReply } from './greeting.ts';
import { actingThrough, hasOpen } from './origin.ts';
import { makePrivate, socketPaths } from './place.ts';

export type ListenOptions = ServeOptions & {
  /** Where the data is, and the name of its log's holder in this process. */
  dataFolder: string;
  holder: string;
  /** A client of the sessions here, for whoever connects. */
  clientOf(identity: Identity): Client;
};

/** @throws when there can be no socket anywhere, with the reason. */
export async function listenLocally(options: ListenOptions): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    receive(socket, path, options).catch(() => socket.destroy());
  });
  // A socket keeps no process alive: whoever drives a session waits for its turn, not for its watchers.
  server.unref();
  const path = await bind(server, socketPaths(options.dataFolder, options.holder));
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // What was said last still goes out.
        for (const socket of sockets) socket.destroySoon();
      }),
  };
}

async function bind(server: Server, paths: readonly string[]): Promise<string> {
  let problem: unknown = new Error('The path of the folder is too long for a socket.');
  for (const path of paths) {
    try {
      if (process.platform !== 'win32') {
        makePrivate(dirname(path));
        await removeDead(dirname(path));
      }
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return path;
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

/** Removes the sockets of processes that were killed, and what they left beside them. */
async function removeDead(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isDead = name.endsWith('.sock') ? !(await isAnswered(path)) : !isAlive(Number.parseInt(name, 10));
    if (isDead) rmSync(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function receive(socket: Socket, path: string, options: ListenOptions): Promise<void> {
  const connection = lineConnection(socket);
  const lines = connection.lines()[Symbol.asyncIterator]();
  const by = await identify(connection, lines, path);
  if (by === null) {
    connection.close();
    return;
  }
  const welcome: Welcome = { type: 'welcome', by };
  await connection.send(welcome);
  await serveClient(
    options.clientOf(by),
    { ...connection, lines: () => ({ [Symbol.asyncIterator]: () => lines }) },
    options,
  );
  connection.close();
}

/**
 * For whom whoever connects acts; null if it is gone. It names its process, and proves it by having a file open that only
 * it was told of; where there is no `/proc` to see that in, it is believed.
 */
async function identify(connection: Connection, lines: AsyncIterator<Line>, path: string): Promise<Identity | null> {
  const isProvable = process.platform === 'linux';
  const folder = dirname(path);
  const proof = isProvable ? join(realpathSync(folder), `${process.pid}-${randomUUID()}.proof`) : null;
  if (proof !== null) closeSync(openSync(proof, 'wx', 0o600));
  try {
    const hello: Hello = { type: 'hello', protocolVersion, pid: process.pid, proof };
    await connection.send(hello);
    const { done, value } = await lines.next();
    if (done === true || !('value' in value) || !isReply(value.value)) return null;
    const { pid, call } = value.value;
    const said: Identity = call === null ? { kind: 'human', id: 'local' } : { kind: 'agent', id: call };
    if (said.kind === 'agent' || proof === null) return said;
    if (!hasOpen(pid, proof)) return { kind: 'agent', id: 'unknown' };
    return actingThrough(pid, driversIn(folder, pid));
  } finally {
    if (proof !== null) rmSync(proof, { force: true });
  }
}

/** The processes that listen here, but for the one that asks. */
function driversIn(folder: string, asking: number): Set<number> {
  const pids = readdirSync(folder).flatMap((name) => (name.endsWith('.sock') ? [Number.parseInt(name, 10)] : []));
  return new Set([...pids, process.pid].filter((pid) => pid !== asking));
}
