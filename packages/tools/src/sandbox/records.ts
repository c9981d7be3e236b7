/** Which commands run, where the next Pawl finds it if this one is killed. No contained command sees these files. */
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Awaited } from './awaited.ts';
import { isAlive, ownPlace, temporaryPrefix } from './temporaries.ts';

/** A command that ran, or runs: what was not there when it began. */
export type RunRecord = { folder: string; startedAt: number; awaited: readonly Awaited[] };

/** How often a process that runs commands says that it is still there. A sandbox does not outlive it. */
const beatMs = 2000;

const prefix = 'run-';
let own: string | null = null;
let running = 0;
let count = 0;
let beat: NodeJS.Timeout | null = null;

/** Of this process. Goes when it ends, unless commands run even then: the next start looks at what those left. */
export function recordFolder(): string {
  if (own !== null) return own;
  const made = realpathSync(mkdtempSync(temporaryPrefix('watch')));
  own = made;
  process.on('exit', () => {
    if (running > 0) return;
    try {
      rmSync(made, { recursive: true, force: true });
    } catch {
      // The next start tries again.
    }
  });
  return made;
}

/** The returned function says that it has ended, and been looked at. */
export function recordRun(record: RunRecord): () => void {
  const path = join(recordFolder(), `${prefix}${count++}`);
  writeFileSync(path, JSON.stringify(record), { mode: 0o600 });
  running += 1;
  beat ??= setInterval(() => {
    try {
      utimesSync(recordFolder(), new Date(), new Date());
    } catch {
      // Somebody has emptied the temporary folder; there is nothing left to be found.
    }
  }, beatMs).unref();
  return () => {
    running -= 1;
    if (running === 0 && beat !== null) {
      clearInterval(beat);
      beat = null;
    }
    try {
      unlinkSync(path);
    } catch {
      // Somebody has emptied the temporary folder.
    }
  };
}

/** Of all processes of this user that count as we do. */
export function recordFolders(): { folder: string; pid: number }[] {
  const pattern = new RegExp(`^pawl-watch-${ownPlace()}-([0-9]+)-[A-Za-z0-9]+$`);
  const parent = tmpdir();
  return readdirSync(parent).flatMap((name) => {
    const [, pid] = pattern.exec(name) ?? [];
    const folder = join(parent, name);
    const status = pid === undefined ? undefined : lstatSync(folder, { throwIfNoEntry: false });
    // Others can make folders there too, and are not believed.
    if (status?.isDirectory() !== true || status.uid !== process.getuid?.() || (status.mode & 0o022) !== 0) return [];
    return [{ folder, pid: Number(pid) }];
  });
}

/** Runs that were cut off with their process, until when they can have lasted. Each is given to one process only. */
export function takeCutOff(): (RunRecord & { endedBefore: number })[] {
  return recordFolders()
    .filter(({ pid }) => !isAlive(pid))
    .flatMap(({ folder }) => {
      const found = orNothing(() => {
        const endedBefore = lstatSync(folder).mtimeMs + 2 * beatMs;
        return readdirSync(folder)
          .filter((name) => name.startsWith(prefix))
          .map((name) => join(folder, name))
          .flatMap((path) => orNothing(() => [{ ...takeRecord(path), endedBefore }]));
      });
      orNothing(() => {
        rmSync(folder, { recursive: true, force: true });
        return [];
      });
      return found;
    });
}

/** @throws if another process was faster. */
function takeRecord(path: string): RunRecord {
  const record = JSON.parse(readFileSync(path, 'utf8')) as RunRecord;
  unlinkSync(path);
  return record;
}

function orNothing<Item>(read: () => Item[]): Item[] {
  try {
    return read();
  } catch {
    // Another process that starts now does the same.
    return [];
  }
}
