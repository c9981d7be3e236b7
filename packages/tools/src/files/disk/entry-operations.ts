/** Symlinks and folders, as far as undoing needs them. */
import { lstat, mkdir, open, readlink, rmdir, symlink, unlink } from 'node:fs/promises';
import { systemCode } from '../../failures.ts';
import type { Place } from '../../paths.ts';
import { checkNothingThere } from './file-operations.ts';
import {
  O_DIRECTORY,
  O_NOFOLLOW,
  O_RDONLY,
  type Operation,
  type OperationOptions,
  outdated,
  parentFolderOf,
} from './operation.ts';

export function makeLink(place: Place, target: string, { mark }: OperationOptions): Operation {
  const parent = parentFolderOf(place, mark);
  return {
    place,
    async stage() {
      await parent.open({ makes: true });
    },
    check: () => checkNothingThere(parent, place),
    commit: () => symlink(target, parent.target()),
    revert: () => unlink(parent.target()),
    clean: (isDone) => parent.leave(isDone),
  };
}

export function removeLink(place: Place, target: string, { mark }: OperationOptions): Operation {
  const parent = parentFolderOf(place, mark);
  return {
    place,
    async stage() {
      await parent.open();
    },
    async check() {
      const isSame = (await readlink(parent.target()).catch(() => null)) === target;
      if (!isSame || !(await parent.folder().isInPlace())) throw outdated(place.shown);
    },
    commit: () => unlink(parent.target()),
    revert: () => symlink(target, parent.target()),
    clean: (isDone) => parent.leave(isDone),
  };
}

/** Made before what goes into it, with the rights to do so; its own come last. */
export function makeFolder(place: Place, mode: number, { mark }: OperationOptions): Operation {
  const parent = parentFolderOf(place, mark);
  let isMade = false;
  return {
    place,
    async stage() {
      await parent.open({ makes: true });
      await mkdir(parent.target(), mode | 0o700);
      isMade = true;
    },
    async check() {
      if (!(await parent.folder().isInPlace())) throw outdated(place.shown);
    },
    commit: async () => undefined,
    revert: async () => undefined,
    async clean(isDone) {
      try {
        if (isMade && isDone) await setMode(parent.target(), mode);
        if (isMade && !isDone) await rmdir(parent.target());
      } catch (error) {
        await parent.close();
        throw error;
      }
      return parent.leave(isDone);
    },
  };
}

/** Of a folder, and of nothing that a symlink in its place leads to. */
async function setMode(path: string, mode: number): Promise<void> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  await handle.chmod(mode).finally(() => handle.close());
}

/** Goes last, once it is empty; with something of others in it, it stays. */
export function removeFolder(place: Place, { mark }: OperationOptions): Operation {
  const parent = parentFolderOf(place, mark);
  return {
    place,
    async stage() {
      await parent.open();
    },
    async check() {
      const status = await lstat(parent.target()).catch(() => null);
      if (status?.isDirectory() !== true || !(await parent.folder().isInPlace())) throw outdated(place.shown);
    },
    commit: async () => undefined,
    revert: async () => undefined,
    async clean(isDone) {
      if (isDone) {
        await rmdir(parent.target()).catch(async (error: unknown) => {
          if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return;
          await parent.close();
          throw error;
        });
      }
      return parent.leave(isDone);
    },
  };
}
