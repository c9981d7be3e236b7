import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isPawlError, PawlError } from '@pawl/protocol';
import { fileFailure, systemCode } from './failures.ts';
import type { Place } from './paths.ts';

/** Digest of bytes, in the form that the blob store uses. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
}

export type FileBytes = { bytes: Buffer; digest: string; mode: number; uid: number; gid: number };

/**
 * A whole file, or null if there is none.
 * @throws `too_large`, `is_folder`, `not_a_file` (a device or pipe, which could be read for ever), `no_permission`…
 */
export async function readFileBytes({ path, shown }: Place, maxBytes: number): Promise<FileBytes | null> {
  // Without blocking, so that opening a pipe that nobody writes to returns.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw systemCode(error) === 'ENXIO' ? notAFile(shown) : fileFailure(error, shown);
  });
  if (handle === null) return null;
  try {
    const status = await handle.stat();
    if (status.isDirectory()) throw new PawlError('is_folder', `${shown} is a folder, not a file.`);
    if (!status.isFile()) throw notAFile(shown);
    if (status.size > maxBytes) throw tooLarge(shown, status.size, maxBytes);
    const bytes = await handle.readFile();
    if (bytes.length > maxBytes) throw tooLarge(shown, bytes.length, maxBytes);
    return { bytes, digest: digestOf(bytes), mode: status.mode & 0o7777, uid: status.uid, gid: status.gid };
  } catch (error) {
    throw isPawlError(error) ? error : fileFailure(error, shown);
  } finally {
    await handle.close();
  }
}

const notAFile = (shown: string) => new PawlError('not_a_file', `${shown} is a device, pipe or socket, not a file.`);

function tooLarge(shown: string, size: number, maxBytes: number): PawlError {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return new PawlError(
    'too_large',
    `${shown} has ${megabytes(size)}; files over ${megabytes(maxBytes)} are not read or edited whole. Use grep to find the place, or bash with head, tail or sed to see a part.`,
  );
}
