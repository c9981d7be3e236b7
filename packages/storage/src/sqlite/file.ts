/** One database file and this process's hold on it, through damage and replacement. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Damage } from '@pawl/engine';
import { logClosed } from '../record.ts';
import { connect } from './connection.ts';
import { damagedElsewhere, isCorruption, toLogError } from './errors.ts';
import { enter, type Presence } from './locks.ts';
import type { Migration } from './migrations.ts';
import { finishSalvage, isCutToNothing, isSalvageUnfinished, salvage } from './salvage.ts';

export type FileOptions = {
  path: string;
  /** Folder of the lock files. */
  locks: string;
  isPowerLossSafe: boolean;
  steps: readonly Migration[];
  report(damage: Damage): void;
};

export type LogFile<Parts> = {
  /** Runs one operation; if SQLite finds the file damaged, salvages it and runs the operation again. */
  use<Result>(work: (parts: Parts) => Result): Result;
  close(): void;
};

/** Opens the file. `build` makes what works on a connection, again for each file that replaces a damaged one. */
export function openFile<Parts>(options: FileOptions, build: (database: DatabaseSync) => Parts): LogFile<Parts> {
  const { path } = options;
  const presence = becomePresent(path, options.locks);
  let isClosed = false;
  let current: { database: DatabaseSync; inode: number; parts: Parts } | null = null;

  function open(): { database: DatabaseSync; inode: number; parts: Parts } {
    const database = connectOrSalvage(presence, options);
    return { database, inode: statSync(path).ino, parts: build(database) };
  }

  function closeDatabase(): void {
    current?.database.close();
    current = null;
  }

  function partsNow(): Parts {
    current ??= open();
    return current.parts;
  }

  try {
    partsNow();
  } catch (error) {
    presence.release();
    throw toLogError(error, path);
  }
  return {
    use(work) {
      if (isClosed) throw logClosed();
      try {
        try {
          return work(partsNow());
        } catch (error) {
          if (!isCorruption(error) || current === null) throw error;
          const { inode } = current;
          closeDatabase();
          salvageAlone(presence, options, inode);
          return work(partsNow());
        }
      } catch (error) {
        throw toLogError(error, path);
      }
    },
    close() {
      isClosed = true;
      closeDatabase();
      presence.release();
    },
  };
}

function connectOrSalvage(presence: Presence, options: FileOptions): DatabaseSync {
  const { path, isPowerLossSafe, steps } = options;
  if (isSalvageUnfinished(path)) finishAlone(presence, path);
  const { ino } = statSync(path);
  if (isCutToNothing(path)) salvageAlone(presence, options, ino);
  try {
    return connect(path, isPowerLossSafe, steps);
  } catch (error) {
    if (!isCorruption(error)) throw error;
    salvageAlone(presence, options, ino);
    return connect(path, isPowerLossSafe, steps);
  }
}

/** Salvages the file that has this inode, unless another process was first. */
function salvageAlone(presence: Presence, { path, steps, report }: FileOptions, inode: number): void {
  const wasAlone = presence.alone(() => {
    if (statSync(path).ino === inode) salvage(path, steps).forEach(report);
  });
  if (!wasAlone) throw damagedElsewhere(path);
}

function finishAlone(presence: Presence, path: string): void {
  const wasAlone = presence.alone(() => {
    if (isSalvageUnfinished(path)) finishSalvage(path);
  });
  if (!wasAlone) throw damagedElsewhere(path);
}

/** Makes what the file needs around it, and shows that this process has it open. */
function becomePresent(path: string, locks: string): Presence {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Only where there is none yet: closing a file that SQLite has open in this process would drop its locks.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    else if (!statSync(path).isFile()) throw new Error('it is not a file');
    return enter(locks);
  } catch (error) {
    throw toLogError(error, path);
  }
}
