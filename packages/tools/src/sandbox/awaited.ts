/**
 * Guarded places that do not exist yet. Nothing can be mounted where nothing is, and nothing of ours is put into the
 * user's folder to be mounted on, so a contained command can make them. They are looked at while it runs and when it
 * has ended: what other programs would obey there is moved aside, what they would not stays.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { areHarmlessSettings } from './harmless-settings.ts';

/** What would be obeyed at a place, and so what is looked for. */
type Kind =
  /** A repository: its settings and hooks. */
  | 'repository'
  /** Programs that git starts. */
  | 'hooks'
  /** A file of settings in git's form. */
  | 'settings'
  /** Working trees of a repository: what each has of settings, and where it says that the repository is. */
  | 'worktrees'
  /** A file that names another folder as the repository. */
  | 'pointer'
  /** A `.git` that is a file: where it leads, another repository lies. Inside the folder that is looked at by itself. */
  | 'working-tree'
  /** A file that names the repository of a working tree: the one that it lies in. */
  | 'home-of-worktree'
  /** Whatever is there, but for empty folders. */
  | 'anything';

/** `top` is the outermost of the folders on the way that does not exist either, or the place itself. */
export type Awaited = { path: string; kind: Kind; top: string };

/** More of a file is not read: git's own settings are never that long. */
const mostBytes = 65_536;

/** The files and folders at a place that some program would obey; none where it can stay as it is. */
export function obeyedAt(path: string, kind: Kind): string[] {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return [];
  // Where a link leads can be changed at any time.
  if (status.isSymbolicLink()) return [path];
  switch (kind) {
    case 'anything':
      return status.isDirectory() ? entriesOf(path).flatMap((name) => obeyedAt(join(path, name), kind)) : [path];
    case 'working-tree': {
      const target = /^gitdir: ([^\n]+)/.exec(textOf(path) ?? '')?.[1];
      if (!status.isFile() || target === undefined) return [path];
      const repository = resolve(dirname(path), target);
      return obeyedAt(repository, 'repository').length === 0 && /\/\.git\/(?:worktrees|modules)\//.test(repository)
        ? []
        : [path];
    }
    case 'pointer':
      // One that cannot be read keeps git from the repository; one that names itself says nothing.
      return status.isFile() && /^\.\s*$/.test(textOf(path) ?? '') ? [] : [path];
    case 'settings':
      return status.isFile() && !areHarmlessSettings(textOf(path)) ? [path] : [];
    case 'hooks':
      return entriesOf(path).flatMap((name) => (isHook(name, join(path, name)) ? [join(path, name)] : []));
    case 'worktrees':
      return entriesOf(path).flatMap((name) =>
        partsOfWorktree.flatMap(([part, partKind]) => obeyedAt(join(path, name, part), partKind)),
      );
    case 'home-of-worktree':
      return status.isFile() && /^\.\.\/\.\.\s*$/.test(textOf(path) ?? '') ? [] : [path];
    case 'repository':
      // A file leads to a repository elsewhere.
      return status.isDirectory()
        ? partsOfRepository.flatMap(([name, part]) => obeyedAt(join(path, name), part))
        : [path];
    default:
      return kind satisfies never;
  }
}

const partsOfRepository = [
  ['config', 'settings'],
  ['config.worktree', 'settings'],
  ['commondir', 'pointer'],
  ['hooks', 'hooks'],
  ['modules', 'anything'],
  ['worktrees', 'worktrees'],
] as const;

const partsOfWorktree = [
  ['commondir', 'home-of-worktree'],
  ['config.worktree', 'settings'],
] as const;

function isHook(name: string, path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined || name.endsWith('.sample')) return false;
  return status.isSymbolicLink() || (status.isFile() && (status.mode & 0o111) !== 0);
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    // It is no folder, or has gone meanwhile; or nobody can look into it, git neither.
    return [];
  }
}

/** Null where it is too long, or cannot be read as what it was when it was looked at. */
function textOf(path: string): string | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status: Stats = fstatSync(descriptor);
    if (!status.isFile() || status.size > mostBytes) return null;
    const bytes = Buffer.alloc(mostBytes + 1);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    return length > mostBytes ? null : bytes.toString('utf8', 0, length);
  } catch {
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
