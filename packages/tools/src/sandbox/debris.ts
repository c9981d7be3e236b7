/**
 * What earlier versions of Pawl put into the user's folder to mount something on, and left when they were killed, or
 * when several ran: recognised by its very content, and taken away.
 */
import { lstatSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../failures.ts';

/** The text that they wrote; it is missing where they were killed in between, and git refuses the repository then. */
const left: ReadonlySet<string> = new Set(['', '.\n']);

/** Gives a sentence where something was taken away, else null. Git itself writes no such file into a `.git` folder. */
export function removeDebris(gitFolder: string): string | null {
  const path = join(gitFolder, 'commondir');
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status?.isFile() !== true || status.size > 2 || !left.has(readFileSync(path, 'utf8'))) return null;
    unlinkSync(path);
    return `${path} was a leftover of an earlier version of Pawl, which keeps git from this repository, and was removed.`;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'ELOOP', 'EBUSY'].includes(systemCode(error) ?? ''))
      return null;
    throw error;
  }
}
