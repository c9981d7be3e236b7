/** What a contained command sees of the homes of this machine's user: what its work needs, and nothing else. */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '@pawl/policy';
import { holdsSecret } from '../environment.ts';
import { caches, settingsFiles, toolchains, toolchainVariables } from './home-list.ts';

/** A home that is not there but for some places; `from` is where the place really is. */
export type Absent = { path: string; seen: readonly Seen[] };
type Seen = { from: string; seenAt: string };

export type HomeOptions = {
  /** Places that the user adds to the list, absolute or relative to the home. */
  shown: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  /** Where this machine's user is at home; the first is what `~` stands for. */
  homes: readonly string[];
};

/** What `~` stands for, and what the system says; they differ under `sudo`. */
export function ownHomes(): string[] {
  entry ??= homeOfEntry();
  return [...new Set([homedir(), entry].filter((home) => home !== ''))];
}

let entry: string | null = null;

/** Empty for a user without an entry, as in many containers. */
function homeOfEntry(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** Folders that hold the system, whoever is at home there. */
const ofSystem = ['/bin', '/dev', '/etc', '/lib', '/lib64', '/opt', '/proc', '/sbin', '/sys', '/usr', '/var'];

/**
 * The homes that can be left out. One that holds the session's folder is there; and so is one that holds the system, as
 * in containers whose user is at home in `/`.
 */
export function absentHomes(folder: string, { shown, environment, homes }: HomeOptions): Absent[] {
  const known = [...new Set(homes.flatMap((home) => targetOf(home) ?? []))].filter(
    (home) => home !== '/' && !isInside(folder, home) && !ofSystem.some((place) => isInside(home, place)),
  );
  return known.map((home) => ({ path: home, seen: seenOf(home, { shown, environment }) }));
}

/** Toolchains come and go rarely: every command would look for a hundred of them. */
const freshMs = 3000;
const looked = new Map<string, { at: number; seen: readonly Seen[] }>();

/** Settings are read anew for every command, as a key may have been put into them. */
function seenOf(home: string, options: Pick<HomeOptions, 'shown' | 'environment'>): Seen[] {
  const tools = recentTools(home, options);
  const isSeen = (path: string) => tools.some(({ seenAt }) => isInside(seenAt, path));
  const settings = settingsFiles
    .map((name) => join(home, name))
    .flatMap((seenAt): Seen[] => {
      if (isSeen(seenAt)) return [];
      const from = targetOf(seenAt);
      return from === null || isInside(from, home) || holdsSecret(textOf(from)) ? [] : [{ from, seenAt }];
    });
  return [...tools, ...settings];
}

function recentTools(home: string, options: Pick<HomeOptions, 'shown' | 'environment'>): readonly Seen[] {
  const { environment, shown } = options;
  const named = Object.keys(toolchainVariables).map((name) => environment[name] ?? '');
  const key = [home, environment.PATH ?? '', ...named, ...shown].join('\0');
  const last = looked.get(key);
  if (last !== undefined && performance.now() - last.at < freshMs) return last.seen;
  const seen = toolsOf(home, options);
  looked.set(key, { at: performance.now(), seen });
  return seen;
}

function toolsOf(home: string, { shown, environment }: Pick<HomeOptions, 'shown' | 'environment'>): Seen[] {
  const places = [
    ...toolchains.map((name) => join(home, name)),
    ...caches.map((name) => join(home, name)),
    ...variablePlaces(environment),
    ...shown.map((place) => resolve(home, place.replace(/^~\//, ''))),
  ].filter((place) => place !== home && isInside(home, place));
  const seen = new Map<string, Seen>();
  for (const seenAt of places) {
    if ([...seen.keys()].some((other) => isInside(other, seenAt))) continue;
    const from = targetOf(seenAt);
    // A link to the whole home would show it.
    if (from !== null && !isInside(from, home)) seen.set(seenAt, { from, seenAt });
  }
  return [...seen.values()];
}

/** The folders of programs that were put on the path, and those of toolchains that lie elsewhere than usual. */
function variablePlaces(environment: HomeOptions['environment']): string[] {
  const named = Object.entries(toolchainVariables).flatMap(([name, parts]) => {
    const folder = environment[name];
    return folder === undefined || !isAbsolute(folder) ? [] : parts.map((part) => join(folder, part));
  });
  const programs = (environment.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return [...named, ...programs.map((folder) => resolve(folder))];
}

/** What Pawl itself shows of the homes here, for people. */
export function shownOfHome(options: HomeOptions): { home: string; places: string[] }[] {
  return absentHomes('/nowhere', options).map(({ path, seen }) => ({
    home: path,
    places: seen.map(({ seenAt }) => seenAt.slice(path.length + 1)),
  }));
}

function targetOf(path: string): string | null {
  try {
    // Most are not there, and for those this is cheaper.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    return realpathSync.native(path);
  } catch {
    // Nobody can look at it, no command either.
    return null;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
