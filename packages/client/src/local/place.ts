/** Where the sockets are. It follows from the folder of the data alone, so that every process of the user finds them. */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PawlError } from '@pawl/protocol';

/** The most bytes of a socket's path: 104 with the zero on macOS, 108 on Linux. */
const longestPath = 103;

/** Beside the data, which no sandbox shows. */
export const runtimeFolder = (dataFolder: string): string => join(dataFolder, 'run');

/** For data whose path is too long for a socket, or lies where there can be none. */
export function fallbackFolder(dataFolder: string): string {
  const digest = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
  return join('/tmp', `pawl-${process.getuid?.() ?? 0}-${digest}`);
}

/** Where the socket of a log's holder may be, the first choice first. */
export function socketPaths(dataFolder: string, holder: string): string[] {
  if (process.platform === 'win32') return [`\\\\.\\pipe\\pawl-${holder}`];
  return [runtimeFolder(dataFolder), fallbackFolder(dataFolder)]
    .map((folder) => join(folder, `${holder}.sock`))
    .filter((path) => Buffer.byteLength(path) <= longestPath);
}

/** Makes a folder that is for this user alone. @throws `bad_home` when it is somebody else's, or a link. */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder)) chmodSync(folder, 0o700);
  if (!isPrivate(folder)) throw new PawlError('bad_home', `${folder} is not a folder of yours alone. Remove it.`);
}

/** Whether it is a folder, of this user, that nobody else can enter. */
export function isPrivate(folder: string): boolean {
  const status = lstatSync(folder, { throwIfNoEntry: false });
  if (status === undefined) return false;
  return status.isDirectory() && status.uid === process.getuid?.() && (status.mode & 0o077) === 0;
}
