/** Reaches the process that drives a session. */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Connection, Line } from '../connection.ts';
import { lineConnection } from '../connection.ts';
import { type RemoteClient, remoteClient } from '../remote.ts';
import { openSocket } from './answered.ts';
import type { Hello, Reply, Welcome } from './greeting.ts';
import { callVariable } from './origin.ts';
import { isPrivate, socketPaths } from './place.ts';

export type LocalConnection = RemoteClient;

/** A client of whoever holds the log by this name; null if nobody listens there. */
export async function connectLocally(dataFolder: string, holder: string): Promise<LocalConnection | null> {
  for (const path of socketPaths(dataFolder, holder)) {
    // Whoever could put a socket there could also answer for another.
    if (process.platform !== 'win32' && !isPrivate(dirname(path))) continue;
    const socket = await openSocket(path);
    const client = socket === null ? null : await greet(lineConnection(socket));
    if (client !== null) return client;
  }
  return null;
}

async function greet(connection: Connection): Promise<RemoteClient | null> {
  const lines = connection.lines()[Symbol.asyncIterator]();
  const hello = await lineOf<Hello>(lines, 'hello');
  if (hello === null) return null;
  const proof = hello.proof === null ? null : openProof(hello.proof);
  if (proof === 'gone') {
    connection.close();
    return null;
  }
  try {
    const reply: Reply = { type: 'hello', pid: process.pid, call: process.env[callVariable] ?? null };
    await connection.send(reply);
    const welcome = await lineOf<Welcome>(lines, 'welcome');
    if (welcome === null) return null;
    return remoteClient({ ...connection, lines: () => ({ [Symbol.asyncIterator]: () => lines }) }, welcome.by);
  } finally {
    if (proof !== null) closeSync(proof);
  }
}

/** `gone` where the process that made the file has ended meanwhile, and the file with it. */
function openProof(path: string): number | 'gone' {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'gone';
    throw error;
  }
}

/** The next line, if it is of this type; null if the other side is gone or says something else. */
async function lineOf<Of extends { type: string }>(lines: AsyncIterator<Line>, type: Of['type']): Promise<Of | null> {
  const { done, value } = await lines.next();
  if (done === true || !('value' in value)) return null;
  const said = value.value as Of | null;
  return said?.type === type ? said : null;
}
