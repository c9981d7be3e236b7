import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { isPawlError, PawlError } from '@pawl/protocol';
import { pathOfHandle } from './disk/open-folder.ts';
import { fileFailure, systemCode } from './failures.ts';
import type { Place } from './paths.ts';

/** Digest of bytes, in the form that the blob store uses. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
}

export type FileBytes = { bytes: Buffer; digest: string; mode: number; uid: number; gid: number };

/**
 * A whole file, or null if there is none.
 * @throws `outdated` when a symlink leads elsewhere since the path was resolved; `too_large`, `is_folder`, `not_a_file` (a device or pipe, which could be read for ever), `no_permission`…
 */
export async function readFileBytes({ path, shown }: Place, maxBytes: number): Promise<FileBytes | null> {
  const handle = await openFile({ path, shown });
  if (handle === null) return null;
  try {
    const status = await handle.stat();
    if (status.isDirectory()) throw new PawlError('is_folder', `${shown} is a folder, not a file.`);
    if (!status.isFile()) throw notAFile(shown);
    refuseSize(shown, status.size, maxBytes);
    const bytes = await readUpTo(handle, status.size, maxBytes);
    refuseSize(shown, bytes.length, maxBytes);
    return { bytes, digest: digestOf(bytes), mode: status.mode & 0o7777, uid: status.uid, gid: status.gid };
  } catch (error) {
    throw isPawlError(error) ? error : fileFailure(error, shown);
  } finally {
    await handle.close();
  }
}

/**
 * What stands at a canonical path, open to be read, or null if nothing does. It may be a folder, a device or a pipe.
 * @throws `outdated` as above, `no_permission`…
 */
export async function openFile({ path, shown }: Place): Promise<FileHandle | null> {
  // Without blocking, so that opening a pipe that nobody writes to returns.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw systemCode(error) === 'ENXIO' ? notAFile(shown) : fileFailure(error, shown);
  });
  if (handle === null) return null;
  try {
    await refuseElsewhere(handle, path, shown);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What was opened must be what the path was resolved to, and not where a symlink leads that was put there since. */
async function refuseElsewhere(handle: FileHandle, path: string, shown: string): Promise<void> {
  const known = (await pathOfHandle(handle)) ?? (await realpath(path).catch(() => null));
  // One that was replaced since it was opened was still the right one.
  if (known === path || known === `${path} (deleted)`) return;
  throw new PawlError('outdated', `${shown} leads elsewhere since it was looked at. Nothing was read or changed.`);
}

/** All of it, or one byte more than allowed: a file may grow while it is read, and some say that they are empty. */
async function readUpTo(handle: FileHandle, expectedBytes: number, maxBytes: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(expectedBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (bytesRead === 0 || length > maxBytes) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * length, 65_536), maxBytes + 1));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

const notAFile = (shown: string) => new PawlError('not_a_file', `${shown} is a device, pipe or socket, not a file.`);

/** @throws `too_large`. */
export function refuseSize(shown: string, sizeBytes: number, maxBytes: number): void {
  if (sizeBytes <= maxBytes) return;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  throw new PawlError(
    'too_large',
    `${shown} has ${megabytes(sizeBytes)}; files over ${megabytes(maxBytes)} are not read, edited or written whole. Use grep to find the place, or bash with head, tail or sed to see a part.`,
  );
}
