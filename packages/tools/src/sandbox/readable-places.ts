/** Says what may be read where only a list of that can be given, and something within it may not. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { isInside } from '@pawl/policy';
import { PawlError } from '@pawl/protocol';

export type ReadablePlace = {
  path: string;
  /** A folder with all that is in it; a file; or a folder of which only names are told, its own and those below. */
  kind: 'tree' | 'file' | 'names';
};

/** More places than this are not listed before a command: looking at them would cost more than it. */
const mostPlaces = 4000;

/**
 * Folders that hold nothing hidden count as a whole; the others are listed entry by entry on the way to it. Symbolic
 * links are left out: what they lead to counts by itself. What comes into being later in a listed folder is not
 * readable. @throws `denies_unknown` where there are too many.
 */
export function readablePlaces(readable: readonly string[], hidden: readonly string[]): ReadablePlace[] {
  const places: ReadablePlace[] = [];
  const add = (place: ReadablePlace) => {
    places.push(place);
    if (places.length <= mostPlaces) return;
    const message = `What rules deny here lies among more than ${mostPlaces} others, and without bubblewrap each of them has to be listed, so nothing was run. Install bubblewrap, or deny a folder as a whole.`;
    throw new PawlError('denies_unknown', message);
  };
  const visit = (path: string, isFolder: boolean) => {
    if (hidden.some((each) => isInside(each, path))) return;
    if (!isFolder) return add({ path, kind: 'file' });
    if (!hidden.some((each) => isInside(path, each))) return add({ path, kind: 'tree' });
    add({ path, kind: 'names' });
    for (const entry of entriesOf(path)) {
      if (!entry.isSymbolicLink())
        visit(path === '/' ? `/${entry.name}` : `${path}/${entry.name}`, entry.isDirectory());
    }
  };
  for (const path of outermost(readable)) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status !== undefined && !status.isSymbolicLink()) visit(path, status.isDirectory());
  }
  return places;
}

const outermost = (paths: readonly string[]) =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isInside(other, path)));

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Nobody can look into it, no command either.
    return [];
  }
}
