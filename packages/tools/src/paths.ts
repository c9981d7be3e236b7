import { lstat, readlink, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { ToolScope } from '@pawl/engine';
import { isInside } from '@pawl/policy';
import { PawlError } from '@pawl/protocol';
import { escapeName } from './escape.ts';
import { fileFailure, systemCode } from './failures.ts';

const maxPathBytes = 4096;
const maxLinks = 40;

/** A place on the disk. */
export type Place = {
  /** Absolute, with every symlink on the way resolved, also where its end does not exist yet. */
  path: string;
  /** For people and models: relative to the session's folder where it lies inside. */
  shown: string;
};

/**
 * Where a path leads. Relative ones start at `cwd`, `~/` at the user's home; `..` is worked out before symlinks are.
 * @throws `bad_path` for one that is empty, too long, circular, or holds a NUL or a line break.
 */
export async function resolvePlace(path: string, cwd: string): Promise<Place> {
  const absolute = absolutePath(path, cwd);
  const canonical = await canonicalPath(absolute, path);
  return placeIn(await workspaceOf(cwd, absolute === canonical ? absolute : null), canonical);
}

/** The places that one judging of a call has asked for: its scope is made for it alone. */
const judged = new WeakMap<ToolScope, Map<string, Promise<Place>>>();

/**
 * The same for judging a call, where several questions about one path share one look at the disk. What acts calls
 * `resolvePlace`, and so looks anew.
 */
export function judgedPlace(path: string, scope: ToolScope): Promise<Place> {
  const places = judged.get(scope) ?? new Map<string, Promise<Place>>();
  judged.set(scope, places);
  const place = places.get(path) ?? resolvePlace(path, scope.cwd);
  places.set(path, place);
  return place;
}

/** Whether a call's path leads out of the session's folder. */
export async function leadsOutside(path: string, scope: ToolScope): Promise<boolean> {
  const { path: canonical } = await judgedPlace(path, scope);
  const written = absolutePath(path, scope.cwd);
  return !isInside(await workspaceOf(scope.cwd, written === canonical ? written : null), canonical);
}

/** The same for a thing that is itself meant when it is a symlink, and not what it points to. */
export async function resolveEntry(path: string, cwd: string): Promise<Place> {
  const absolute = absolutePath(path, cwd);
  if (dirname(absolute) === absolute) return { path: absolute, shown: absolute };
  const parent = dirname(absolute);
  const canonical = await canonicalPath(parent, path);
  const folder = await workspaceOf(cwd, parent === canonical ? parent : null);
  return placeIn(folder, join(canonical, basename(absolute)));
}

/**
 * The session's folder, with every symlink resolved. `straight` is a path that no symlink is on: where it lies in the
 * folder, none is on the way to that either, and the disk need not be asked again.
 */
function workspaceOf(cwd: string, straight: string | null): string | Promise<string> {
  const folder = resolve(cwd);
  return straight !== null && isInside(folder, straight) ? folder : canonicalPath(folder, cwd);
}

function placeIn(folder: string, path: string): Place {
  const shown = isInside(folder, path) ? relative(folder, path) || '.' : path;
  return { path, shown: escapeName(shown) };
}

function absolutePath(path: string, cwd: string): string {
  const refuse = (why: string) => new PawlError('bad_path', `The path ${why}. Give another one.`);
  if (path === '') throw refuse('is empty');
  if (/[\0\n\r]/.test(path)) throw refuse(`${JSON.stringify(path).slice(0, 200)} holds a NUL or a line break`);
  if (!path.isWellFormed()) throw refuse(`${JSON.stringify(path).slice(0, 200)} is not valid Unicode`);
  if (Buffer.byteLength(path) > maxPathBytes) throw refuse(`is longer than ${maxPathBytes} bytes`);
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(cwd, path);
}

async function canonicalPath(path: string, asGiven: string, linksLeft = maxLinks): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileFailure(error, escapeName(asGiven));
  }
  const target = await linkTarget(path);
  if (target === null) return join(await canonicalPath(dirname(path), asGiven, linksLeft), basename(path));
  // A link to nothing: what is written there arises at its target, so that is the place.
  if (linksLeft === 0) throw new PawlError('bad_path', `${escapeName(asGiven)} leads through too many symlinks.`);
  const folder = await canonicalPath(dirname(path), asGiven, linksLeft);
  return canonicalPath(resolve(folder, target), asGiven, linksLeft - 1);
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    // EINVAL: it was a link just now.
    if (['ENOENT', 'ENOTDIR', 'EINVAL'].includes(systemCode(error) ?? '')) return null;
    throw error;
  }
}
