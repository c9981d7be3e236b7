import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isPawlError } from '@pawl/protocol';
import { fileFailure, systemCode } from './failures.ts';
import type { FileBytes } from './files.ts';
import type { Place } from './paths.ts';

/**
 * Puts `bytes` in the place of a file, whole or not at all: they are written beside it, forced to the disk and then
 * given its name. Mode and, where the system lets us, owner stay as they were. Missing folders are created.
 *
 * `verify` runs at the last moment, with everything but the renaming done; if it throws, the file is as it was.
 * A symlink has been resolved before and so stays; of several hard links, only the one at this path gets the new
 * content, because the others may lie where nobody allowed a change.
 */
export async function replaceFile(
  place: Place,
  bytes: Uint8Array,
  before: Pick<FileBytes, 'mode' | 'uid' | 'gid'> | null,
  verify: () => Promise<void>,
): Promise<void> {
  const folder = dirname(place.path);
  const temporary = join(folder, `.pawl-${randomBytes(8).toString('hex')}.tmp`);
  let isWritten = false;
  try {
    // The renaming would not mind a file that is marked read-only, but its owner does.
    if (before !== null) await access(place.path, constants.W_OK);
    else await mkdir(folder, { recursive: true });
    const handle = await open(temporary, 'wx', before?.mode ?? 0o666);
    isWritten = true;
    try {
      await handle.writeFile(bytes);
      if (before !== null) await keepOwner(handle, before);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await verify();
    await rename(temporary, place.path);
    isWritten = false;
  } catch (error) {
    throw isPawlError(error) ? error : fileFailure(error, place.shown);
  } finally {
    if (isWritten) await rm(temporary, { force: true });
  }
  await syncFolder(folder);
}

type Handle = Awaited<ReturnType<typeof open>>;

async function keepOwner(handle: Handle, { mode, uid, gid }: Pick<FileBytes, 'mode' | 'uid' | 'gid'>): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== uid || now.gid !== gid) {
    await handle.chown(uid, gid).catch((error: unknown) => {
      // Only root gives files away; without that right the file is ours from now on.
      if (systemCode(error) !== 'EPERM') throw error;
    });
  }
  await handle.chmod(mode);
}

/** Makes the new name itself survive a power cut, where folders can be synced at all. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file is in place and whole; some file systems and Windows cannot sync a folder.
  }
}
