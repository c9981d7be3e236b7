/** One change of one path, taken apart so that several can be made all or not at all. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ToolContext } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import { systemCode } from '../../failures.ts';
import type { Place } from '../../paths.ts';
import { type OpenFolder, openFolder, openOrMakeFolder, removeFolders } from './open-folder.ts';
import { removeEntry } from './remove-entry.ts';

/** In this order; `revert` only after a commit, `clean` always. */
export type Operation = {
  readonly place: Place;
  /** All that can fail for lack of space or rights, with nothing touched yet. */
  stage(): Promise<void>;
  /** @throws `outdated` when the place is not as it was. */
  check(): Promise<void>;
  /** One call of the system: it happens or it does not. */
  commit(): Promise<void>;
  revert(): Promise<void>;
  /** Removes what staging left. Paths that it made and that stay, such as folders, are returned. */
  clean(isDone: boolean): Promise<readonly string[]>;
};

/** What every operation of a change has in common. */
export type OperationOptions = {
  /** The same for every attempt at the same change, so that what a crash left is found. */
  mark: string;
  /** Whether it is the only one: what cannot be followed by a failure needs no way back. */
  isAlone: boolean;
};

export const outdated = (shown: string) =>
  new PawlError('outdated', `${shown} is not as it was when this change was judged. Nothing was changed.`);

/** @throws `outdated` when a call is about to touch another place than the one that was judged. */
export function refuseUnjudged({ path, shown }: Place, { paths }: Pick<ToolContext, 'paths'>): void {
  if (paths.length > 0 && !paths.includes(path)) throw outdated(shown);
}

/** The folder of a operation's place, from staging to cleaning. */
export type ParentFolder = {
  open(options?: { makes: boolean }): Promise<OpenFolder>;
  /** @throws when it was not opened. */
  folder(): OpenFolder;
  /** The place itself, as a path for the system. */
  target(): string;
  /** Beside it: the content to come, and the one that was. */
  fresh(): string;
  former(): string;
  leave(isDone: boolean): Promise<readonly string[]>;
  /** The same, with all that is there left as it is. */
  close(): Promise<void>;
};

export function parentFolderOf(place: Place, mark: string): ParentFolder {
  const name = basename(place.path);
  const names = temporaryNames(place.path, mark);
  let held: OpenFolder | null = null;
  let made: readonly string[] = [];
  const folder = () => {
    if (held === null) throw new Error(`${place.path} is changed before its folder is open`);
    return held;
  };
  return {
    async open({ makes } = { makes: false }) {
      const path = dirname(place.path);
      if (makes) ({ folder: held, made } = await openOrMakeFolder(path));
      else held = await openFolder(path);
      return held;
    },
    folder,
    target: () => folder().entry(name),
    fresh: () => folder().entry(names.fresh),
    former: () => folder().entry(names.former),
    async leave(isDone) {
      if (held === null) return [];
      const opened = held;
      held = null;
      try {
        for (const rest of Object.values(names)) await removeEntry(opened, join(dirname(place.path), rest));
        if (isDone) await opened.sync();
      } finally {
        await opened.close();
      }
      if (isDone) return made;
      await removeFolders(made);
      return [];
    },
    async close() {
      await held?.close();
      held = null;
    },
  };
}

function temporaryNames(path: string, mark: string): { fresh: string; former: string } {
  const id = createHash('sha256').update(`${mark}\0${path}`).digest('hex').slice(0, 16);
  return { fresh: `.pawl-${id}.new`, former: `.pawl-${id}.old` };
}

/** Removes what an interrupted attempt left beside a place. @returns whether there was something. */
export async function removeLeftovers(path: string, mark: string): Promise<boolean> {
  const folder = await openFolder(dirname(path)).catch((error: unknown) => {
    // Nothing of ours can be where the way there is gone, or leads elsewhere by now.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '') || isPawlError(error, 'outdated')) return null;
    throw error;
  });
  if (folder === null) return false;
  let hasFound = false;
  try {
    for (const name of Object.values(temporaryNames(path, mark))) {
      hasFound = (await removeEntry(folder, join(dirname(path), name))) || hasFound;
    }
    return hasFound;
  } finally {
    await folder.close();
  }
}

export const { O_RDONLY, O_DIRECTORY = 0, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
