/**
 * What rules deny, as places: what a contained command does is judged by its text only as far as that tells, so the
 * sandbox itself keeps it from what rules keep from tools.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { folderOfPattern, isInside, matchesPath, type PathBase, type PathDenies } from '@pawl/policy';
import { PawlError } from '@pawl/protocol';

/** Places that are there, canonical. */
export type Denied = {
  read: readonly string[];
  edit: readonly string[];
  /** Denied to be changed, named exactly, and not there: it could be made. */
  editAbsent: readonly string[];
  /** Folders in which a repository keeps contents that are denied to be read. */
  objects: readonly string[];
};

export const noneDenied: Denied = { read: [], edit: [], editAbsent: [], objects: [] };

/** How long looking for what patterns cover may take, ms. What was not found could be read, so nothing is run then. */
const limitMs = 5000;

/** @throws `denies_unknown` where they could not be found in time: then nothing may run. */
export async function findDenied(denies: PathDenies, base: PathBase): Promise<Denied> {
  if (denies.read.length === 0 && denies.edit.length === 0) return noneDenied;
  const [read, edit] = await Promise.all([coveredBy(denies.read, base), coveredBy(denies.edit, base)]);
  const there = [...read.there, ...(await otherNamesOf(read.there, base.cwd))];
  return {
    read: [...new Set(there.map(targetOf))],
    edit: edit.there,
    editAbsent: edit.absent,
    objects: denies.read.length === 0 ? [] : await objectsWith(denies.read, base),
  };
}

async function coveredBy(patterns: readonly string[], base: PathBase): Promise<{ there: string[]; absent: string[] }> {
  const there = new Set<string>();
  const absent = new Set<string>();
  for (const pattern of patterns) {
    // A folder is denied with all that is in it, so its contents need not be named.
    const bare = pattern.replace(/(?:\/+\*\*)+\/*$/, '') || '.';
    const folder = folderOfPattern(bare, base);
    if (!/[*?\\]/.test(bare)) {
      for (const path of await inAnyCase(folder)) there.add(path);
      if (!isThere(folder)) absent.add(folder);
      continue;
    }
    const start = isInside(folder, base.cwd) ? base.cwd : folder;
    if (!isThere(start)) continue;
    for (const path of await pathsBelow(start, bare)) {
      if (matchesPath(bare, path, base, { ignoresCase: true })) there.add(path);
    }
  }
  // What lies in a folder that is covered itself needs nothing more.
  const all = [...there].sort((one, other) => (one < other ? -1 : 1));
  const outer = all.filter((path) => !all.some((other) => other !== path && isInside(other, path)));
  return { there: outer, absent: [...absent] };
}

/** A deny holds for a name in any case, as it does for tools. */
async function inAnyCase(path: string): Promise<string[]> {
  const own = isThere(path) ? [path] : [];
  const parent = dirname(path);
  if (!isThere(parent)) return own;
  const name = path.slice(parent === '/' ? 1 : parent.length + 1);
  const { readdir } = await import('node:fs/promises');
  const names = await readdir(parent).catch((): string[] => []);
  const others = names.filter((each) => each !== name && each.toLowerCase() === name.toLowerCase());
  return [...own, ...others.map((each) => `${parent === '/' ? '' : parent}/${each}`)];
}

/** What may be covered by its last name; git's own data are left to `objectsWith`. */
async function pathsBelow(start: string, pattern: string): Promise<string[]> {
  const last = pattern.split('/').filter(Boolean).at(-1) ?? '*';
  const name = last === '**' || /[[\]]/.test(last) ? '*' : last;
  return find(start, ['-path', '*/.git/objects', '-prune', '-o', '-iname', name, '-print0']);
}

/** The same files under other names: a hard link is no less the file. */
async function otherNamesOf(paths: readonly string[], folder: string): Promise<string[]> {
  const linked = paths.flatMap((path) => {
    const status = lstatSync(path, { throwIfNoEntry: false });
    return status?.isFile() === true && status.nlink > 1 ? [status.ino] : [];
  });
  if (linked.length === 0) return [];
  const words = linked.flatMap((inode, index) => [...(index === 0 ? [] : ['-o']), '-inum', `${inode}`]);
  return (await find(folder, ['(', ...words, ')', '-print0'])).filter((path) => !paths.includes(path));
}

/** Names below a folder, on its own disk, by a program that is everywhere and does this faster than we could. */
async function find(start: string, words: readonly string[]): Promise<string[]> {
  const { execFile } = await import('node:child_process');
  const output = await new Promise<string>((resolve, reject) => {
    const options = { timeout: limitMs, killSignal: 'SIGKILL' as const, maxBuffer: 64_000_000 };
    execFile('/usr/bin/find', [start, '-xdev', ...words], options, (error, found) => {
      // 1: some folder could not be looked into, by commands neither.
      if (error === null || (error.code === 1 && error.killed !== true)) resolve(found);
      else {
        const message = `What rules deny below ${start} could not be found within ${limitMs / 1000} s, so nothing was run. Deny it by names that begin with a folder.`;
        reject(new PawlError('denies_unknown', message, { cause: error }));
      }
    });
  });
  return output.split('\0').filter((path) => path !== '');
}

type Held = { stamp: string; folders: readonly string[] };
/** By folder and patterns: the history is looked through again when it has changed. */
const held = new Map<string, Held>();

/**
 * The objects of the repository, where some of its commits, or its index, hold what is denied: git would show it. Inside
 * there is then no such repository, and what needs it runs outside, when somebody allows that.
 */
async function objectsWith(patterns: readonly string[], base: PathBase): Promise<readonly string[]> {
  const { findRepository } = await import('../repository/find.ts');
  const repository = await findRepository(base.cwd).catch(() => null);
  if (repository === null) return [];
  const { top, commonFolder, gitFolder } = repository;
  const parts = ['packed-refs', 'refs/heads', 'refs/remotes', 'refs/tags', 'logs/HEAD', 'refs/stash', 'FETCH_HEAD'];
  const stamp = [
    ...parts.map((name) => stampOf(`${commonFolder}/${name}`)),
    stampOf(`${gitFolder}/index`),
    stampOf(`${gitFolder}/logs/HEAD`),
  ].join(' ');
  const key = JSON.stringify([base, patterns]);
  const known = held.get(key);
  if (known?.stamp === stamp) return known.folders;
  const specs = patterns.flatMap((pattern) => specsOf(pattern, base, top));
  const folders = specs.length > 0 && (await holdsAny(top, specs)) ? [`${commonFolder}/objects`] : [];
  held.set(key, { stamp, folders });
  return folders;
}

function specsOf(pattern: string, base: PathBase, top: string): string[] {
  const bare = pattern.replace(/(?:\/+\*\*)+\/*$/, '') || '.';
  const start = bare.startsWith('/') ? '' : bare.startsWith('~/') ? base.home : base.cwd;
  const absolute = bare.startsWith('/') ? bare : `${start}/${bare.replace(/^~\//, '').replace(/^(?:\.\/)+/, '')}`;
  if (absolute.startsWith('/**')) return [`:(top,glob,icase)${absolute.slice(1)}`];
  if (!isInside(top, folderOfPattern(absolute, base))) return [];
  const below = relative(top, absolute);
  return [`:(top,glob,icase)${below}`, `:(top,glob,icase)${below}/**`];
}

/** What git cannot tell counts as held. */
async function holdsAny(top: string, specs: readonly string[]): Promise<boolean> {
  const { openGit } = await import('../repository/git.ts');
  try {
    const git = await openGit(top, process.env, AbortSignal.timeout(limitMs));
    const options = { environment: { GIT_LITERAL_PATHSPECS: '0' }, canBeCut: true };
    const tracked = await git.run(['ls-files', '-z', '--', ...specs], options);
    if (tracked.output !== '') return true;
    const found = await git.run(['rev-list', '--all', '--reflog', '--max-count=1', '--', ...specs], options);
    return found.output.trim() !== '';
  } catch {
    return true;
  }
}

function stampOf(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status === undefined ? '-' : `${status.mtimeMs}:${status.size}:${status.ino}`;
}

const isThere = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

function targetOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
