import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { isPawlError, PawlError } from '@pawl/protocol';
import { fileFailure, systemCode } from '../failures.ts';
import type { Place } from '../paths.ts';
import { pathOfHandle } from './disk/open-folder.ts';

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
  const known = await lookAt({ path, shown });
  if (known?.isFile() && known.size <= Math.min(smallBytes, maxBytes)) return readSmall({ path, shown }, maxBytes);
  const handle = await openLooked({ path, shown });
  if (handle === null) return null;
  try {
    const status = await handle.stat();
    refuseKind(status, shown);
    refuseSize(shown, status.size, maxBytes);
    const bytes = await readUpTo(handle, status.size, maxBytes);
    refuseSize(shown, bytes.length, maxBytes);
    return fileOf(bytes, status);
  } catch (error) {
    throw isPawlError(error) ? error : fileFailure(error, shown);
  } finally {
    await handle.close();
  }
}

/** A file of this size is read at once: each of six ways through the pool of threads would cost more than all of it. */
const smallBytes = 65_536;

/** As `readFileBytes`, for what was just looked at and found small; only what it may have become since is waited for. */
function readSmall({ path, shown }: Place, maxBytes: number): FileBytes | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw systemCode(error) === 'ENXIO' ? notAFile(shown) : fileFailure(error, shown);
  }
  try {
    refuseOther(placeOfDescriptor(descriptor, path), { path, shown });
    const status = fstatSync(descriptor);
    refuseKind(status, shown);
    refuseSize(shown, status.size, maxBytes);
    const bytes = readAllSync(descriptor, status.size, maxBytes);
    refuseSize(shown, bytes.length, maxBytes);
    return fileOf(bytes, status);
  } catch (error) {
    throw isPawlError(error) ? error : fileFailure(error, shown);
  } finally {
    closeSync(descriptor);
  }
}

/** Where what is open lies, or what lies at its path where nobody tells (a container without /proc); null for neither. */
const placeOfDescriptor = (descriptor: number, path: string): string | null =>
  orNull(() => readlinkSync(`/proc/self/fd/${descriptor}`)) ?? orNull(() => realpathSync.native(path));

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** As `readUpTo`. */
function readAllSync(descriptor: number, expectedBytes: number, maxBytes: number): Buffer {
  let buffer: Buffer = Buffer.allocUnsafe(expectedBytes + 1);
  let length = 0;
  for (;;) {
    const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (bytesRead === 0 || length > maxBytes) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = enlarged(buffer, length, maxBytes);
  }
}

function enlarged(buffer: Buffer, length: number, maxBytes: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * length, 65_536), maxBytes + 1));
  buffer.copy(larger, 0, 0, length);
  return larger;
}

function refuseKind(status: Stats, shown: string): void {
  if (status.isDirectory()) throw new PawlError('is_folder', `${shown} is a folder, not a file.`);
  if (!status.isFile()) throw notAFile(shown);
}

const fileOf = (bytes: Buffer, { mode, uid, gid }: Stats): FileBytes => ({
  bytes,
  digest: digestOf(bytes),
  mode: mode & 0o7777,
  uid,
  gid,
});

/**
 * The file or folder at a canonical path, open to be read, or null if there is none.
 * @throws as above.
 */
export async function openFile(place: Place): Promise<FileHandle | null> {
  await lookAt(place);
  return openLooked(place);
}

/** To open is to act already: it lets go whoever waits to write into a pipe, and starts a watchdog's clock. */
async function lookAt({ path, shown }: Place): Promise<Stats | null> {
  const status = await lstat(path).catch(() => null);
  if (status !== null && !status.isFile() && !status.isDirectory() && !status.isSymbolicLink()) throw notAFile(shown);
  return status;
}

async function openLooked({ path, shown }: Place): Promise<FileHandle | null> {
  // Without blocking, in case there is a pipe by now.
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
  refuseOther((await pathOfHandle(handle)) ?? (await realpath(path).catch(() => null)), { path, shown });
}

function refuseOther(known: string | null, { path, shown }: Place): void {
  // One that was replaced since it was opened was still the right one.
  if (known === path || known === `${path} (deleted)`) return;
  throw new PawlError('outdated', `${shown} leads elsewhere since it was looked at. Nothing was read or changed.`);
}

/** All of it, or one byte more than allowed: a file may grow while it is read, and some say that they are empty. */
async function readUpTo(handle: FileHandle, expectedBytes: number, maxBytes: number): Promise<Buffer> {
  let buffer: Buffer = Buffer.allocUnsafe(expectedBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (bytesRead === 0 || length > maxBytes) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = enlarged(buffer, length, maxBytes);
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
