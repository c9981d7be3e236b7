import { join, relative } from 'node:path';
import { isInside } from '@pawl/policy';
import { PawlError } from '@pawl/protocol';
import { escapeName } from '../escape.ts';
import { resolveEntry, resolvePlace } from '../paths.ts';
import type { Git } from './git.ts';

/** What part of a working tree a call is about, as paths from its top. Never more than the session's folder. */
export async function scopeOf(git: Git, paths: readonly string[] | undefined, cwd: string): Promise<string[]> {
  const { path: folder } = await resolvePlace('.', cwd);
  if (paths === undefined || paths.length === 0) return [relative(git.top, folder) || '.'];
  return Promise.all(
    paths.map(async (asked) => {
      const { path } = await resolveEntry(asked, cwd);
      if (isInside(folder, path)) return relative(git.top, path) || '.';
      throw new PawlError('outside', `${escapeName(asked)} lies outside the working folder. Use bash for it.`);
    }),
  );
}

/** A path of git's as the session's folder sees it, safe to show. */
export const shownPath = (git: Git, path: string, folder: string) =>
  escapeName(relative(folder, join(git.top, path)) || '.');

/** Absolute. What git tracks lies behind no symbolic link, so this is canonical. */
export const fullPaths = (git: Git, paths: readonly string[]) => [...new Set(paths)].map((path) => join(git.top, path));
