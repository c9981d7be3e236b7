/** Which places a contained command may not change, or not even see. */
import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isInside, obeyedNames } from '@pawl/policy';
import { systemCode } from '../failures.ts';
import type { Confinement, Marked } from './confinement.ts';
import { type GitPlace, gitPlaces } from './git-places.ts';
import { isRepositoryItself } from './planted.ts';

/** Where keys, tokens and sessions of programs lie, below the home. */
const keyPlaces = [
  '.1password',
  '.aws',
  '.azure',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/chromium',
  '.config/gcloud',
  '.config/gh',
  '.config/google-chrome',
  '.config/op',
  '.config/rclone',
  '.docker',
  '.gem/credentials',
  '.git-credentials',
  '.gnupg',
  '.kube',
  '.local/share/keyrings',
  '.mozilla',
  '.netrc',
  '.npmrc',
  '.password-store',
  '.pypirc',
  '.ssh',
  '.terraform.d',
  '.vault-token',
  'Library/Application Support/Google/Chrome',
  'Library/Cookies',
  'Library/Keychains',
];

/** What shells and other programs of the home read and obey, whether it is there or not. */
const profiles = [
  '.bash_login',
  '.bash_logout',
  '.bash_profile',
  '.bashrc',
  '.config/fish',
  '.config/git',
  '.gitconfig',
  '.profile',
  '.zlogin',
  '.zprofile',
  '.zshenv',
  '.zshrc',
];
/** The same, where they are there. */
const startedByHome = ['.config/autostart', '.config/systemd', '.local/bin', 'bin', 'Library/LaunchAgents'];

/** What is put where nothing is yet, so that it cannot be made: git takes an empty folder for none. */
export type Placeholder = { path: string; kind: 'folder' } | { path: string; kind: 'file'; content: string };

export type Places = Pick<Confinement, 'hidden' | 'anchored' | 'guarded'> & {
  placeholders: readonly Placeholder[];
  /** Why the sandbox does not hold all that it should here; null if it does. */
  gap: string | null;
};

type Kind = 'folder' | 'file' | 'link' | 'absent';

type Wish = { path: string; absent: Placeholder | null };

/**
 * Looks at a session's folder. Nothing is changed. It looks at some fifty places before every command, which without
 * waiting for each takes less than a thousandth of a second.
 */
export function findPlaces(
  folder: string,
  options: { protectedPaths: readonly string[]; hiddenPaths: readonly string[]; home?: string },
): Places {
  const { protectedPaths, hiddenPaths } = options;
  const given = options.home ?? homedir();
  const home = targetOf(given) ?? given;
  const hidden: Marked[] = [];
  for (const place of new Set([...keyPlaces.map((name) => join(home, name)), ...hiddenPaths])) {
    // Keys are where a link leads, as those lay them out who keep their settings in one folder; and no link can be covered.
    const path = targetOf(place);
    // A session's folder that lies in such a place is there to be worked in.
    if (path !== null && !isInside(path, folder)) hidden.push({ path, isFolder: kindOf(path) === 'folder' });
  }
  const wishes = [...wishesOfGit(join(folder, '.git'), home), always(join(folder, '.pawl'))];
  if (isRepositoryItself(folder)) wishes.push(...gitPlaces(folder, home).map(wishOfGit));
  wishes.push(...obeyedNames.map((name) => ifThere(join(folder, name))));
  if (isInside(folder, home)) {
    wishes.push(...profiles.map((name) => always(join(home, name))));
    wishes.push(...startedByHome.map((name) => ifThere(join(home, name))));
  }
  wishes.push(...protectedPaths.filter((path) => isInside(folder, path)).map(always));

  const places = { hidden, anchored: new Set<string>(), guarded: [] as Marked[], placeholders: [] as Placeholder[] };
  let gap: string | null = isInside(folder, home) ? 'the session’s folder holds the whole home' : null;
  const isHidden = (path: string) => hidden.some((place) => isInside(place.path, path));
  for (const { path, absent } of wishes) {
    if (!isInside(folder, path) || isHidden(path) || places.guarded.some((place) => place.path === path)) continue;
    const link = linkOnTheWay(path, folder);
    const kind = kindOf(path);
    if (link !== null) gap ??= `${link} is a symbolic link, which the sandbox cannot hold in its place`;
    else if (kind === 'folder' || kind === 'file') places.guarded.push({ path, isFolder: kind === 'folder' });
    else if (absent !== null) {
      // Where even its folder is missing, that cannot be made either.
      const missing = foldersBetween(folder, path).find((above) => kindOf(above) === 'absent');
      if (places.guarded.some((place) => place.path === missing)) continue;
      const mark: Placeholder = missing === undefined ? absent : { path: missing, kind: 'folder' };
      places.placeholders.push(mark);
      places.guarded.push({ path: mark.path, isFolder: mark.kind === 'folder' });
    } else continue;
    for (const above of foldersBetween(folder, places.guarded.at(-1)?.path ?? path)) places.anchored.add(above);
  }
  return { ...places, anchored: [...places.anchored], gap };
}

const ifThere = (path: string): Wish => ({ path, absent: null });
const always = (path: string): Wish => ({ path, absent: { path, kind: 'folder' } });

function wishesOfGit(git: string, home: string): Wish[] {
  if (kindOf(git) !== 'folder') return [always(git)];
  return gitPlaces(git, home).map(wishOfGit);
}

function wishOfGit({ path, absent }: GitPlace): Wish {
  if (absent === null) return ifThere(path);
  return absent === 'folder' ? always(path) : { path, absent: { path, kind: 'file', ...absent } };
}

/** Where a path leads in the end, or null for nowhere. */
function targetOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    // Nothing is there, or nothing that this user could look at, and so no command of theirs.
    return null;
  }
}

function kindOf(path: string): Kind {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return 'absent';
    return status.isSymbolicLink() ? 'link' : status.isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR' || systemCode(error) === 'EACCES')
      return 'absent';
    throw error;
  }
}

/** The first symbolic link between the folder and a path in it, the path itself too. */
function linkOnTheWay(path: string, folder: string): string | null {
  for (const place of [...foldersBetween(folder, path), path]) if (kindOf(place) === 'link') return place;
  return null;
}

/** `/a/b` and `/a/b/c` for the folder `/a` and the path `/a/b/c/d`. */
function foldersBetween(folder: string, path: string): string[] {
  const above = resolve(path, '..');
  return above !== folder && isInside(folder, above) ? [...foldersBetween(folder, above), above] : [];
}
