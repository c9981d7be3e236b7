/** Moves what a contained command made in a guarded place to a name that nothing obeys. Nothing of it is lost. */
import { closeSync, constants, lstatSync, openSync, readlinkSync, renameSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '@pawl/protocol';
import { systemCode } from '../failures.ts';
import { type Awaited, obeyedAt } from './awaited.ts';
import { isMadeByPawl } from './own-writes.ts';

/** More than this under one name nobody has kept. */
const mostKept = 100;

/**
 * Looks at one place. Gives a sentence where something had to be done, else null. Several processes can do this at the
 * same time: a rename happens once, and whoever comes late finds nothing.
 */
export function setRight({ path, kind, top }: Awaited, folder: string): string | null {
  const shown = path.slice(folder.length + 1);
  try {
    const obeyed = obeyedAt(path, kind);
    if (obeyed.length === 0 || obeyed.some(isMadeByPawl)) return null;
    // Behind a link lies somebody else's: then the link is what was made here.
    const target = linkBetween(top, path) ?? path;
    const name = moveAside(target);
    if (name === null) return null;
    return `While it ran, ${shown} came into being, which other programs obey outside of the sandbox, so ${target.slice(folder.length + 1)} was renamed to ${name}. If a person made it, it can be renamed back.`;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    return `While it ran, ${shown} came into being, which other programs obey outside of the sandbox, and it could not be moved aside: ${messageOf(error)}. Look at it before you use it.`;
  }
}

function linkBetween(top: string, path: string): string | null {
  const above = path === top ? [] : [...linesAbove(top, path)];
  return above.find((each) => lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink() === true) ?? null;
}

/** `/a/b` and `/a/b/c` for the top `/a/b` and the path `/a/b/c/d`. */
function linesAbove(top: string, path: string): string[] {
  const above = resolve(path, '..');
  return above.length < top.length ? [] : [...linesAbove(top, above), above];
}

/** The new name, or null where the folder that it lies in is no longer what it was. */
function moveAside(path: string): string | null {
  const parent = dirname(path);
  const descriptor = openSync(parent, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const held = `/proc/self/fd/${descriptor}`;
    // Another command can put a link in the place of a folder at any time; in a held one, a name leads nowhere else.
    if (readlinkSync(held) !== parent) return null;
    const name = basename(path);
    const kept = freeName(held, name);
    renameSync(join(held, name), join(held, kept));
    return kept;
  } finally {
    closeSync(descriptor);
  }
}

function freeName(folder: string, name: string): string {
  for (let number = 1; number < mostKept; number++) {
    const kept = `${name}.set-aside${number === 1 ? '' : `-${number}`}`;
    if (lstatSync(join(folder, kept), { throwIfNoEntry: false }) === undefined) return kept;
  }
  return `${name}.set-aside-${mostKept}-${Date.now()}`;
}
