/** Symlinks and folders, as far as undoing needs them. */
import { lstat, mkdir, open, readlink, rmdir, symlink, unlink } from 'node:fs/promises';
import { systemCode } from '../../failures.ts';
import type { Place } from '../../paths.ts';
import { type Deed, type DeedOptions, groundOf, O_DIRECTORY, O_NOFOLLOW, O_RDONLY, outdated } from './deed.ts';
import { checkNothingThere } from './file-deeds.ts';

export function makeLink(place: Place, target: string, { mark }: DeedOptions): Deed {
  const ground = groundOf(place, mark);
  return {
    place,
    async stage() {
      await ground.open({ makes: true });
    },
    check: () => checkNothingThere(ground, place),
    commit: () => symlink(target, ground.target()),
    revert: () => unlink(ground.target()),
    clean: (isDone) => ground.leave(isDone),
  };
}

export function removeLink(place: Place, target: string, { mark }: DeedOptions): Deed {
  const ground = groundOf(place, mark);
  return {
    place,
    async stage() {
      await ground.open();
    },
    async check() {
      const isSame = (await readlink(ground.target()).catch(() => null)) === target;
      if (!isSame || !(await ground.folder().isInPlace())) throw outdated(place.shown);
    },
    commit: () => unlink(ground.target()),
    revert: () => symlink(target, ground.target()),
    clean: (isDone) => ground.leave(isDone),
  };
}

/** Made before what goes into it, with the rights to do so; its own come last. */
export function makeFolder(place: Place, mode: number, { mark }: DeedOptions): Deed {
  const ground = groundOf(place, mark);
  let isMade = false;
  return {
    place,
    async stage() {
      await ground.open({ makes: true });
      await mkdir(ground.target(), mode | 0o700);
      isMade = true;
    },
    async check() {
      if (!(await ground.folder().isInPlace())) throw outdated(place.shown);
    },
    commit: async () => undefined,
    revert: async () => undefined,
    async clean(isDone) {
      try {
        if (isMade && isDone) await setMode(ground.target(), mode);
        if (isMade && !isDone) await rmdir(ground.target());
      } catch (error) {
        await ground.close();
        throw error;
      }
      return ground.leave(isDone);
    },
  };
}

/** Of a folder, and of nothing that a symlink in its place leads to. */
async function setMode(path: string, mode: number): Promise<void> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  await handle.chmod(mode).finally(() => handle.close());
}

/** Goes last, once it is empty; with something of others in it, it stays. */
export function removeFolder(place: Place, { mark }: DeedOptions): Deed {
  const ground = groundOf(place, mark);
  return {
    place,
    async stage() {
      await ground.open();
    },
    async check() {
      const status = await lstat(ground.target()).catch(() => null);
      if (status?.isDirectory() !== true || !(await ground.folder().isInPlace())) throw outdated(place.shown);
    },
    commit: async () => undefined,
    revert: async () => undefined,
    async clean(isDone) {
      if (isDone) {
        await rmdir(ground.target()).catch(async (error: unknown) => {
          if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return;
          await ground.close();
          throw error;
        });
      }
      return ground.leave(isDone);
    },
  };
}
