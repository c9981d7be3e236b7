/** What bubblewrap makes to mount on, should a guarded place go in the moment before it is mounted. */
import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { systemCode } from '../failures.ts';
import { identityOf, type Marked } from './confinement.ts';

/** The rights of a file that bubblewrap makes. Source: `ensure_file` in its utils.c. */
const madeMode = 0o444;

/** Takes away what came into the place of something that was there, and is as empty as bubblewrap makes it. */
export function removeMountPoints(marked: readonly Marked[]): void {
  for (const { path, isFolder, identity } of marked) {
    try {
      const status = lstatSync(path, { throwIfNoEntry: false });
      if (status === undefined || identityOf(status) === identity) continue;
      if (isFolder && status.isDirectory()) rmdirSync(path);
      else if (!isFolder && status.isFile() && status.size === 0 && (status.mode & 0o777) === madeMode)
        unlinkSync(path);
    } catch (error) {
      // Somebody uses it, and so it is theirs.
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EBUSY', 'EACCES', 'EPERM'].includes(systemCode(error) ?? ''))
        throw error;
    }
  }
}
