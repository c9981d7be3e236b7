/** A session's folder that a command made into a repository itself, whose settings git would obey outside. */
import { lstatSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Whether git takes the folder itself for a repository (a bare one) where it finds no good `.git`: a contained command
 * can spoil that, which is for it to write into. Source: is_git_directory in git's setup.c.
 */
export function isRepositoryItself(folder: string): boolean {
  const isThere = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  try {
    const head = lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false });
    if (head === undefined || head.isDirectory()) return false;
    return isThere('commondir') || (isThere('objects') && isThere('refs'));
  } catch {
    // What cannot be looked at, git cannot follow either.
    return false;
  }
}

/** Takes away what makes it one; nothing of it is lost. Says so, or gives null if there was nothing to do. */
export async function renameHead(folder: string): Promise<string | null> {
  if (!isRepositoryItself(folder)) return null;
  const head = join(folder, 'HEAD');
  await rename(head, `${head}.set-aside`).catch(() => rm(head, { force: true }));
  return 'It made this folder a git repository in itself, whose settings git would obey outside of the sandbox, so HEAD was renamed to HEAD.set-aside.';
}
