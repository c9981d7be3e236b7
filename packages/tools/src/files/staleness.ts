import type { ToolScope } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import type { Place } from '../paths.ts';
import type { FileBytes } from './regular-file.ts';

/** @throws `not_read` or `stale` when the session does not know what the file holds now. */
export function refuseStale(
  place: Place,
  file: FileBytes | null,
  scope: Pick<ToolScope, 'lastSeen'>,
  options: { mustHaveRead: boolean },
): void {
  if (file === null) return;
  const seen = scope.lastSeen(place.path);
  if (seen === null && options.mustHaveRead) {
    throw new PawlError(
      'not_read',
      `${place.shown} was not read yet in this session. Read it, then edit what is really there.`,
    );
  }
  if (seen !== null && seen !== file.digest) {
    throw new PawlError('stale', `${place.shown} has changed on the disk since it was read. Read it again first.`);
  }
}
