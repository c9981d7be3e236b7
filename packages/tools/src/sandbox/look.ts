/** Looks at many places before every command, most of which lie in the same few folders and do not change. */
import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../failures.ts';
import { identityOf } from './confinement.ts';

export type Found = { kind: 'folder' | 'file' | 'link' | 'absent'; identity: string };

/**
 * What was found by earlier looks, by folder. A name comes into a folder, leaves it, or becomes something else only with
 * a new time of the folder.
 */
const kept = new Map<string, { stamp: string; names: Map<string, Found> }>();
const mostFolders = 500;

/**
 * Two changes of a folder within one tick of the kernel's clock have the same time, ms: as long as it can tick once more,
 * what is found is not kept.
 */
const tickMs = 50;

/** Each path is looked at once by one such function. */
export function createLook(): (path: string) => Found {
  const seen = new Map<string, Found>();
  const folders = new Map<string, Map<string, Found> | null>();
  const namesOf = (folder: string) => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const names = keptNamesOf(folder);
    folders.set(folder, names);
    return names;
  };
  return (path) => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const names = namesOf(dirname(path));
    const found = names?.get(path) ?? foundAt(path);
    names?.set(path, found);
    seen.set(path, found);
    return found;
  };
}

/** Null where nothing may be kept, as the folder has changed just now or cannot be looked at. */
function keptNamesOf(folder: string): Map<string, Found> | null {
  try {
    const status = statSync(folder, { throwIfNoEntry: false });
    if (status === undefined || Date.now() - Math.max(status.mtimeMs, status.ctimeMs) < tickMs) return null;
    const stamp = `${identityOf(status)} ${status.mtimeMs} ${status.ctimeMs}`;
    const known = kept.get(folder);
    if (known?.stamp === stamp) return known.names;
    if (kept.size >= mostFolders) kept.clear();
    const names = new Map<string, Found>();
    kept.set(folder, { stamp, names });
    return names;
  } catch {
    return null;
  }
}

function foundAt(path: string): Found {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return { kind: 'absent', identity: '' };
    const kind = status.isSymbolicLink() ? 'link' : status.isDirectory() ? 'folder' : 'file';
    return { kind, identity: identityOf(status) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? ''))
      return { kind: 'absent', identity: '' };
    throw error;
  }
}
