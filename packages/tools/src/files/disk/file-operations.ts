import { constants } from 'node:fs';
import { access, copyFile, link, lstat, open, rename, rm, unlink, utimes } from 'node:fs/promises';
import { systemCode } from '../../failures.ts';
import type { Place } from '../../paths.ts';
import { digestOf, type FileBytes } from '../regular-file.ts';
import {
  O_NOFOLLOW,
  O_NONBLOCK,
  O_RDONLY,
  type Operation,
  type OperationOptions,
  outdated,
  type ParentFolder,
  parentFolderOf,
} from './operation.ts';

/** What a file is known to be before it is changed. */
export type KnownFile = Pick<FileBytes, 'digest' | 'mode' | 'uid' | 'gid'> & { bytes: { length: number } };

/**
 * Puts `bytes` in the place of a file, or where none is: written beside it, forced to the disk, then given its name.
 * Mode and, where the system lets us, owner stay; a file that is new gets `mode`. A symlink has been resolved before and
 * so stays; of several hard links only the one at this path gets the new content, because the others may lie where
 * nobody allowed a change.
 */
export function putFile(
  change: { place: Place; bytes: Uint8Array; before: KnownFile | null; mode?: number | undefined },
  options: OperationOptions,
): Operation {
  const { place, bytes, before, mode } = change;
  const parent = parentFolderOf(place, options.mark);
  return {
    place,
    async stage() {
      await parent.open({ makes: before === null });
      // The renaming would not mind a file that is marked read-only, but its owner does.
      if (before !== null) await access(parent.target(), constants.W_OK);
      await writeFresh(parent.fresh(), bytes, before, mode);
      if (before !== null && !options.isAlone) await keepFormer(parent, before);
    },
    check: () => checkFile(parent, place, before),
    async commit() {
      if (before === null) await giveName(parent.fresh(), parent.target(), place);
      else await rename(parent.fresh(), parent.target());
    },
    async revert() {
      if (before === null) await unlink(parent.target());
      else await rename(parent.former(), parent.target());
    },
    clean: (isDone) => parent.leave(isDone),
  };
}

/** Removes a file. */
export function removeFile(change: { place: Place; before: KnownFile }, options: OperationOptions): Operation {
  const { place, before } = change;
  const parent = parentFolderOf(place, options.mark);
  return {
    place,
    async stage() {
      const folder = await parent.open();
      await access(folder.entry('.'), constants.W_OK | constants.X_OK);
      await rm(parent.former(), { force: true });
    },
    check: () => checkFile(parent, place, before),
    commit: () => rename(parent.target(), parent.former()),
    revert: () => rename(parent.former(), parent.target()),
    clean: (isDone) => parent.leave(isDone),
  };
}

/** @throws `outdated`. */
export async function checkNothingThere(parent: ParentFolder, place: Place): Promise<void> {
  const isFree = await lstat(parent.target()).then(
    () => false,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return true;
      throw error;
    },
  );
  if (!isFree || !(await parent.folder().isInPlace())) throw outdated(place.shown);
}

async function checkFile(parent: ParentFolder, place: Place, before: KnownFile | null): Promise<void> {
  if (before === null) return checkNothingThere(parent, place);
  if (!(await parent.folder().isInPlace())) throw outdated(place.shown);
  const handle = await open(parent.target(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch((error: unknown) => {
    // Gone, or a symlink by now.
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(systemCode(error) ?? '')) throw outdated(place.shown);
    throw error;
  });
  try {
    const status = await handle.stat();
    const isSame = status.isFile() && status.size === before.bytes.length;
    if (!isSame || digestOf(await handle.readFile()) !== before.digest) throw outdated(place.shown);
  } finally {
    await handle.close();
  }
}

async function writeFresh(
  path: string,
  bytes: Uint8Array,
  before: KnownFile | null,
  mode: number | undefined,
): Promise<void> {
  // What an interrupted attempt left.
  await rm(path, { force: true });
  const handle = await open(path, 'wx', before?.mode ?? 0o666);
  try {
    await handle.writeFile(bytes);
    if (before !== null) await keepOwner(handle, before);
    else if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

async function keepOwner(handle: Handle, { mode, uid, gid }: Pick<KnownFile, 'mode' | 'uid' | 'gid'>): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== uid || now.gid !== gid) {
    await handle.chown(uid, gid).catch((error: unknown) => {
      // Only root gives files away; without that right the file is ours from now on.
      if (systemCode(error) !== 'EPERM') throw error;
    });
  }
  await handle.chmod(mode);
}

/** What file systems without hard links, and links that the system guards, answer. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'];

/** A second name for the file as it is, to take its place again without needing space; else a copy. */
async function keepFormer(parent: ParentFolder, before: KnownFile): Promise<void> {
  await rm(parent.former(), { force: true });
  try {
    await link(parent.target(), parent.former());
  } catch (error) {
    if (!noLinks.includes(systemCode(error) ?? '')) throw error;
    const { atime, mtime } = await lstat(parent.target());
    await copyFile(parent.target(), parent.former(), constants.COPYFILE_EXCL);
    const handle = await open(parent.former(), 'r+');
    await keepOwner(handle, before).finally(() => handle.close());
    await utimes(parent.former(), atime, mtime);
  }
}

/** Gives a file a name that must be free: whoever took it meanwhile keeps it. */
async function giveName(from: string, to: string, { shown }: Place): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw outdated(shown);
    if (!noLinks.includes(systemCode(error) ?? '')) throw error;
    await rename(from, to);
  }
}
