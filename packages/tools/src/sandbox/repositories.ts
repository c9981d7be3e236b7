/** The repositories below a session's folder, each of which a git that somebody starts there would obey. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRepositoryItself } from './folder-as-repository.ts';

/** A `.git` that is a folder, a `.git` that is a file, or a bare repository. Without the folder's own. */
export type Nested = { path: string; kind: 'folder' | 'file' | 'link' | 'bare' };

export type Survey = {
  /** The latest that is known; looks when that was long ago. */
  look(folder: string): Promise<readonly Nested[]>;
  /** Those that came into being since, among all that are there; null where that is looked for later. */
  newSince(folder: string, startedAt: number): Promise<readonly Nested[] | null>;
};

/** Looking may take a fortieth of the time, however large the folder is. */
const share = 40;
const limitMs = 10_000;

type Known = { found: readonly Nested[]; endedAt: number; tookMs: number; unseenSince: number | null };

/** `onLate` gets what came into being during a command that had ended before it was time to look. */
export function createSurvey(onLate: (folder: string, found: readonly Nested[]) => void): Survey {
  /** By folder, when the last command ended whose repositories are looked for later. */
  const endedBy = new Map<string, number>();
  const known = new Map<string, Known>();
  const running = new Map<string, Promise<Known>>();
  const isDue = ({ endedAt, tookMs }: Known) => performance.now() - endedAt > share * tookMs;
  const survey = (folder: string): Promise<Known> => {
    const begun = running.get(folder);
    if (begun !== undefined) return begun;
    const work = (async () => {
      const startedAt = performance.now();
      const found = await findRepositories(folder);
      const endedAt = performance.now();
      const unseenSince = known.get(folder)?.unseenSince ?? null;
      const next = {
        found: found ?? known.get(folder)?.found ?? [],
        endedAt,
        tookMs: endedAt - startedAt,
        unseenSince,
      };
      known.set(folder, next);
      return next;
    })().finally(() => running.delete(folder));
    running.set(folder, work);
    return work;
  };
  const newIn = async (folder: string, since: number): Promise<Nested[]> => {
    const now = await survey(folder);
    now.unseenSince = null;
    return now.found.filter(({ path }) => {
      const status = lstatSync(path, { throwIfNoEntry: false });
      return status !== undefined && status.birthtimeMs >= since - 1000;
    });
  };
  const lookLater = (folder: string, { endedAt, tookMs }: Known) => {
    const isAwaited = endedBy.has(folder);
    endedBy.set(folder, Date.now());
    if (isAwaited) return;
    const work = async () => {
      const until = endedBy.get(folder) ?? 0;
      endedBy.delete(folder);
      const since = known.get(folder)?.unseenSince ?? null;
      // A command that ended meanwhile has looked already.
      if (since === null) return;
      // What came into being after that was made by somebody else.
      const found = (await newIn(folder, since)).filter(({ path }) => lstatSync(path).birthtimeMs <= until);
      if (found.length > 0) onLate(folder, found);
    };
    const waitMs = Math.max(0, endedAt + share * tookMs - performance.now());
    // What cannot be looked at now is looked at by the next command.
    setTimeout(() => void work().catch(() => undefined), waitMs).unref();
  };
  return {
    async look(folder) {
      const last = known.get(folder);
      return (last === undefined || isDue(last) ? await survey(folder) : last).found;
    },
    async newSince(folder, startedAt) {
      const last = known.get(folder);
      const since = Math.min(startedAt, last?.unseenSince ?? startedAt);
      if (last !== undefined && !isDue(last)) {
        last.unseenSince = since;
        lookLater(folder, last);
        return null;
      }
      return newIn(folder, since);
    },
  };
}

/** A folder with no more folders than this is looked through here; starting a program costs as much. */
const mostFolders = 300;

/** Null where it takes too long. */
async function findRepositories(folder: string): Promise<Nested[] | null> {
  const paths = namesBelow(folder) ?? (await foundBelow(folder));
  return paths?.flatMap(nestedAt) ?? null;
}

/** Each `.git` and `HEAD` below a folder but its own; null where it is too large. */
function namesBelow(folder: string): string[] | null {
  const found: string[] = [];
  const open = [folder];
  for (let count = 0; open.length > 0; count++) {
    const next = open.pop();
    if (next === undefined || count >= mostFolders) return null;
    for (const entry of entriesOf(next)) {
      const isOwn = next === folder;
      const path = `${next}/${entry.name}`;
      if (entry.name === '.git') found.push(...(isOwn ? [] : [path]));
      else if (entry.name === 'HEAD' && entry.isFile()) found.push(...(isOwn ? [] : [path]));
      else if (entry.isDirectory()) open.push(path);
    }
  }
  return found;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // It has gone meanwhile, or nobody can look into it.
    return [];
  }
}

/** The same for large ones, by a program that is everywhere, and does it ten times as fast as we could. */
async function foundBelow(folder: string): Promise<string[] | null> {
  const { execFile } = await import('node:child_process');
  const own = ['-path', './.git', '-prune', '-o'];
  const nested = ['-name', '.git', '-print0', '-prune', '-o', '-name', 'HEAD', '-type', 'f', '-print0'];
  const output = await new Promise<string | null>((resolve) => {
    const options = { cwd: folder, timeout: limitMs, killSignal: 'SIGKILL' as const, maxBuffer: 16_000_000 };
    execFile('/usr/bin/find', ['.', '-xdev', ...own, ...nested], options, (error, found) =>
      // 1: some folder could not be looked into.
      resolve(error === null || (error.code === 1 && error.killed !== true) ? found : null),
    );
  });
  const paths = output?.split('\0').filter((path) => path !== '' && path !== './HEAD');
  return paths?.map((path) => join(folder, path)) ?? null;
}

function nestedAt(path: string): Nested[] {
  if (path.endsWith('/HEAD')) return isRepositoryItself(dirname(path)) ? [{ path: dirname(path), kind: 'bare' }] : [];
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return [];
  return [{ path, kind: status.isSymbolicLink() ? 'link' : status.isDirectory() ? 'folder' : 'file' }];
}
