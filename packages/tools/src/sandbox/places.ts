/** Which places a contained command may not change, or not even see. */
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInside, obeyedNames } from '@pawl/policy';
import type { Awaited } from './awaited.ts';
import type { Confinement, Marked } from './confinement.ts';
import { type Denied, noneDenied } from './denied.ts';
import { isRepositoryItself } from './folder-as-repository.ts';
import { type GitPlace, gitPlaces } from './git-places.ts';
import { type Absent, absentHomes, ownHomes } from './home.ts';
import { createLook, type Found } from './look.ts';
import type { Nested } from './repositories.ts';

/** Where keys, tokens and sessions of programs lie below a home that is there, because the work is in it. */
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

/** Where the system keeps keys. To root, also one without capabilities, its files are its own. */
const systemKeys = [
  '/etc/krb5.keytab',
  '/etc/ssl/private',
  '/etc/wireguard',
  '/etc/NetworkManager/system-connections',
  '/var/run/secrets',
];

/** Files of the system that are seen as long as no password stands in them. */
const passwordFiles = ['/etc/gshadow', '/etc/gshadow-', '/etc/shadow', '/etc/shadow-'];

/** Where daemons of the user listen that run what they are told to, outside. */
const daemonPlaces = ['.colima', '.lima', '.orbstack', '.rd'];

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

export type Places = Pick<Confinement, 'hidden' | 'anchored' | 'guarded'> & {
  absent: readonly Absent[];
  /** Guarded too, but not there: they are looked at when the command has ended. */
  awaited: readonly Awaited[];
  /** Why the sandbox does not hold all that it should here; null if it does. */
  gap: string | null;
};

export type PlacesOptions = {
  protectedPaths: readonly string[];
  hiddenPaths: readonly string[];
  /** What is seen of the home besides the usual. */
  shownOfHome?: readonly string[];
  environment?: Readonly<Record<string, string | undefined>>;
  /** Default: this machine's user's. */
  home?: string;
  /** What rules deny here. */
  denied?: Denied;
  /** The repositories below the folder. */
  nested?: readonly Nested[];
  /** Folders that belong to the work although they lie elsewhere: those of its repository. */
  needed?: readonly string[];
};

/** More repositories than this are not guarded each by itself. */
const mostNested = 100;

/**
 * Looks at a session's folder. Nothing is changed. It looks at some fifty places before every command, which without
 * waiting for each takes a fraction of a thousandth of a second.
 */
export function findPlaces(folder: string, options: PlacesOptions): Places {
  const { protectedPaths, hiddenPaths, denied = noneDenied, nested = [], needed = [] } = options;
  const { shownOfHome: shown = [], environment = {} } = options;
  const homes = options.home === undefined ? ownHomes() : [options.home];
  const [given = '/'] = homes;
  const home = targetOf(given) ?? given;
  const absent = absentHomes(folder, { shown: [...shown, ...needed], environment, homes });
  const isAbsent = (path: string) => {
    const found = absent.find((each) => isInside(each.path, path));
    // What lies in a place that is seen has to be hidden by itself.
    return found !== undefined && !found.seen.some(({ from }) => isInside(from, path)) && !isInside(folder, path);
  };
  const look = createLook();
  const hidden: Marked[] = [];
  const keys = [...keyPlaces, ...daemonPlaces].map((name) => join(home, name));
  const hide = (place: string) => {
    // Keys are where a link leads, as those lay them out who keep their settings in one folder; and no link can be covered.
    const path = look(place).kind === 'absent' ? null : targetOf(place);
    // A session's folder that lies in such a place is there to be worked in.
    if (path === null || isInside(path, folder) || isAbsent(path)) return;
    if (!hidden.some((each) => isInside(each.path, path))) hidden.push(markedAt(path, look(path)));
  };
  // Whoever names one of them in the settings wants it to be seen.
  const wanted = new Set(shown.map((place) => resolve(home, place.replace(/^~\//, ''))));
  for (const place of [
    ...keys.filter((each) => !wanted.has(each)),
    ...systemKeys.filter(holdsKeys),
    ...filesWithPasswords(),
    ...hiddenPaths,
  ])
    hide(place);
  for (const place of [...denied.read, ...denied.objects]) hide(place);

  const git = join(folder, '.git');
  const wishes: GitPlace[] =
    look(git).kind === 'folder' ? gitPlaces(git, home) : [{ path: git, whenAbsent: 'repository' }];
  wishes.push(always(join(folder, '.pawl')));
  if (isRepositoryItself(folder)) wishes.push(...gitPlaces(folder, home));
  wishes.push(...nested.slice(0, mostNested).flatMap((each) => placesOf(each, home)));
  wishes.push(...obeyedNames.map((name) => always(join(folder, name))));
  if (isInside(folder, home)) {
    wishes.push(...profiles.map((name) => always(join(home, name))));
    wishes.push(...startedByHome.map((name) => ifThere(join(home, name))));
  }
  wishes.push(...protectedPaths.filter((path) => isInside(folder, path)).map(always));
  wishes.push(...[...denied.edit, ...denied.editAbsent].map(always));

  const anchored = new Set<string>();
  const guarded: Marked[] = [];
  const awaited: Awaited[] = [];
  const known = new Set<string>();
  let gap: string | null = isInside(folder, home)
    ? 'the session’s folder holds the whole home'
    : nested.length > mostNested
      ? `it holds more than ${mostNested} repositories`
      : denied.read.some((path) => isInside(path, folder))
        ? 'a rule denies reading the whole folder'
        : null;
  const isHidden = (path: string) => hidden.some((place) => isInside(place.path, path));
  for (const { path, whenAbsent } of wishes) {
    if (known.has(path) || !canBe(path) || !isInside(folder, path) || isHidden(path)) continue;
    known.add(path);
    const above = foldersBetween(folder, path);
    const link = [...above, path].find((place) => look(place).kind === 'link');
    if (link !== undefined) {
      gap ??= `${link} is a symbolic link, which the sandbox cannot hold in its place`;
      continue;
    }
    const found = look(path);
    if (found.kind === 'absent') {
      if (whenAbsent === null) continue;
      awaited.push({ path, kind: whenAbsent, top: above.find((each) => look(each).kind === 'absent') ?? path });
    } else guarded.push(markedAt(path, found));
    // Not moved, so that what is made below is where it is looked for.
    for (const each of above) if (look(each).kind === 'folder') anchored.add(each);
  }
  return { absent, hidden, anchored: [...anchored], guarded, awaited, gap };
}

function placesOf({ path, kind }: Nested, home: string): GitPlace[] {
  switch (kind) {
    case 'folder':
    case 'bare':
      return gitPlaces(path, home);
    case 'file':
    case 'link':
      return [ifThere(path)];
    default:
      return kind satisfies never;
  }
}

const ifThere = (path: string): GitPlace => ({ path, whenAbsent: null });
const always = (path: string): GitPlace => ({ path, whenAbsent: 'anything' });
const markedAt = (path: string, { kind, identity }: Found): Marked => ({ path, isFolder: kind === 'folder', identity });

/** Where a path leads in the end, or null for nowhere. */
function targetOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    // Nothing is there, or nothing that this user could look at, and so no command of theirs.
    return null;
  }
}

/** Whether there is anything that this user, and so a command, can read. */
function holdsKeys(path: string): boolean {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status?.isDirectory() === true) return readdirSync(path).length > 0;
    if (status !== undefined) accessSync(path, constants.R_OK);
    return status !== undefined;
  } catch {
    return false;
  }
}

/** Looked at once: they change hardly ever, and only root could read them. */
function filesWithPasswords(): readonly string[] {
  withPasswords ??= passwordFiles.filter(holdsPassword);
  return withPasswords;
}

let withPasswords: readonly string[] | null = null;

function holdsPassword(path: string): boolean {
  try {
    return /^[^:]*:[^:]*\$/m.test(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
}

/** Whether a file can have this path at all, whatever settings name it. Source: PATH_MAX and NAME_MAX of Linux. */
const canBe = (path: string) =>
  // Three bytes at most for each of these letters.
  path.length < 85 ||
  (Buffer.byteLength(path) < 4096 && path.split('/').every((name) => Buffer.byteLength(name) < 256));

/** `/a/b` and `/a/b/c` for the folder `/a` and the path `/a/b/c/d`. */
function foldersBetween(folder: string, path: string): string[] {
  const found: string[] = [];
  for (let above = dirname(path); above.length > folder.length; above = dirname(above)) found.unshift(above);
  return found;
}
