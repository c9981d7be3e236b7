/** Temporary folders that are gone with this process; or, if that was killed, with the next one. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../failures.ts';

/** What a folder is for: the first four last as long as this process, the others for a moment. */
type Kind = 'session' | 'processes' | 'line' | 'watch' | 'probe' | 'commit';

/** A name that says whose it is, for `mkdtemp` to make a new folder of. */
export const temporaryPrefix = (kind: Kind, parent: string = tmpdir()) =>
  join(parent, `pawl-${kind}-${ownPlace()}-${process.pid}-`);

/** A new one, for this process alone. */
export async function temporaryFolder(kind: 'session' | 'processes' | 'line'): Promise<string> {
  if (temporaries.size === 0) await sweepTemporaries();
  const prefix = temporaryPrefix(kind);
  const isTooLong = kind === 'line' && prefix.length > longestOfSockets;
  // In one go: a process may end at any time, and what it made by then is to go with it.
  const folder = mkdtempSync(isTooLong ? temporaryPrefix(kind, '/tmp') : prefix);
  removeWithProcess(folder);
  return realpath(folder);
}

/** Longer paths cannot name a socket; what comes behind it is the folder's own six letters and a number. */
const longestOfSockets = 80;

/** One for each session. */
export function createTemporaries(): (session: string) => Promise<string> {
  const folders = new Map<string, Promise<string>>();
  return (session) => {
    const known = folders.get(session);
    if (known !== undefined) return known;
    const made = (async () => {
      const folder = await temporaryFolder('session');
      await mkdir(join(folder, '.cache'));
      return folder;
    })();
    folders.set(session, made);
    // The next command tries again.
    made.catch(() => folders.delete(session));
    return made;
  };
}

let place: string | null = null;

/** A number of a process means something only among those that this one can see. */
export function ownPlace(): string {
  place ??= findOwnPlace();
  return place;
}

function findOwnPlace(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux has them.
  }
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 8);
}

/** Removes the folders of processes that were killed. What cannot be removed stays for the system to empty. */
export async function sweepTemporaries(folder: string = tmpdir()): Promise<void> {
  const own = ownPlace();
  const names = await readdir(folder).catch((): string[] => []);
  const left = names.filter((name) => {
    // What those of `watch` hold is looked at before they go.
    const [, where, number] = /^pawl-(?!watch-)[a-z]+-([0-9a-f]{8})-([0-9]+)-[A-Za-z0-9]+$/.exec(name) ?? [];
    return where === own && number !== undefined && !isAlive(Number(number));
  });
  for (const name of left) {
    const path = join(folder, name);
    const status = await lstat(path).catch(() => null);
    if (status?.isDirectory() !== true || status.uid !== process.getuid?.()) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

const temporaries = new Set<string>();

function removeWithProcess(folder: string): void {
  if (temporaries.size === 0) {
    process.on('exit', () => {
      for (const each of temporaries) {
        try {
          rmSync(each, { recursive: true, force: true, maxRetries: 2 });
        } catch {
          // Nobody is left to be told, and the system empties this folder some time.
        }
      }
    });
  }
  temporaries.add(folder);
}
