import { constants } from 'node:fs';
import { mkdir, open, readlink, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PawlError } from '@pawl/protocol';
import { systemCode } from '../../failures.ts';

/**
 * A folder held open, so that what is done in it is done in this very folder, whatever its name leads to by then.
 * Linux names the entries of an open folder; where that cannot be had, paths are plain and looked at again instead.
 */
export type OpenFolder = {
  /** A path of an entry, for calls of the system. Not for people. */
  entry(name: string): string;
  /** Whether the folder is still where it was found. */
  isInPlace(): Promise<boolean>;
  /** Makes names in it survive a power cut, where folders can be synced at all. */
  sync(): Promise<void>;
  close(): Promise<void>;
};

type Handle = Awaited<ReturnType<typeof open>>;

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

const nameOfHandle = (handle: Handle) => `/proc/self/fd/${handle.fd}`;

/** The path that an open file or folder has now; null where the system does not tell. */
export async function pathOfHandle(handle: Handle): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  try {
    return await readlink(nameOfHandle(handle));
  } catch {
    // A container without /proc: the caller looks at the path instead.
    return null;
  }
}

/**
 * Opens a folder by its canonical path; `via` is another way to the same.
 * @throws `outdated` when a symlink leads elsewhere by now; what the system says.
 */
export async function openFolder(path: string, via: string = path): Promise<OpenFolder> {
  const handle = await open(via, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch((error: unknown) => {
    // One that may be used but not listed has no handle.
    if (systemCode(error) === 'EACCES') return null;
    throw error;
  });
  const known = handle === null ? null : await pathOfHandle(handle);
  const folder = handle !== null && known !== null ? heldFolder(path, handle) : plainFolder(path, handle);
  if (await folder.isInPlace()) return folder;
  await folder.close();
  throw new PawlError('outdated', 'A folder on the way is not what it was when this was judged. Nothing was changed.');
}

function heldFolder(path: string, handle: Handle): OpenFolder {
  return {
    entry: (name) => `${nameOfHandle(handle)}/${name}`,
    isInPlace: async () => (await pathOfHandle(handle)) === path,
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

function plainFolder(path: string, handle: Handle | null): OpenFolder {
  return {
    entry: (name) => join(path, name),
    isInPlace: async () => (await realpath(path).catch(() => null)) === path,
    async sync() {
      try {
        await handle?.sync();
      } catch {
        // The file is in place and whole; some file systems and Windows cannot sync a folder.
      }
    },
    close: async () => handle?.close(),
  };
}

/** The same with all folders that are missing made; `made` are their paths, outermost first. */
export async function openOrMakeFolder(path: string): Promise<{ folder: OpenFolder; made: string[] }> {
  const missing: string[] = [];
  let at = path;
  let folder = await openIfThere(at);
  while (folder === null) {
    missing.unshift(basename(at));
    at = dirname(at);
    folder = await openIfThere(at);
  }
  const made: string[] = [];
  try {
    for (const name of missing) {
      const inner = folder.entry(name);
      at = join(at, name);
      if (await makeFolder(inner)) made.push(at);
      const next: OpenFolder = await openFolder(at, inner);
      await folder.close();
      folder = next;
    }
    return { folder, made };
  } catch (error) {
    await folder.close();
    await removeFolders(made);
    throw error;
  }
}

async function openIfThere(path: string): Promise<OpenFolder | null> {
  try {
    return await openFolder(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && dirname(path) !== path) return null;
    throw error;
  }
}

/** False if somebody else has just made it. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes folders that were made for nothing, innermost first; one that others use by now stays. */
export async function removeFolders(paths: readonly string[]): Promise<void> {
  for (const path of [...paths].reverse()) {
    try {
      await rmdir(path);
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    }
  }
}
