import { readdir, rmdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemCode } from '../../failures.ts';
import { type OpenFolder, openFolder } from './open-folder.ts';

/** What the system calls it when a folder is to be removed like a file. */
const folderCodes = ['EISDIR', 'EPERM'];

/**
 * Removes an entry of an open folder, and all that is in it. @returns whether there was one. Unlike `rm` of
 * `node:fs` it goes by open folders and not by names, so that a program that swaps one of them for a symlink meanwhile
 * does not lead it elsewhere. `path` is the canonical one of the entry.
 */
export async function removeEntry(folder: OpenFolder, path: string): Promise<boolean> {
  const entry = folder.entry(basename(path));
  const failure = await unlink(entry).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure === null) return true;
  if (systemCode(failure) === 'ENOENT') return false;
  if (!folderCodes.includes(systemCode(failure) ?? '')) throw failure;
  const inner = await openFolder(path, entry).catch((error: unknown) => {
    // No folder, then: a file that may not be removed.
    throw systemCode(error) === 'ENOTDIR' ? failure : error;
  });
  try {
    for (const name of await readdir(inner.entry('.'))) await removeEntry(inner, join(path, name));
  } finally {
    await inner.close();
  }
  await rmdir(entry);
  return true;
}
