/**
 * Locks that a crash releases, between processes and within one: a lock on a file of its own, held through SQLite,
 * which knows how each system locks files. The kernel drops it with the process, however that ends. A process id
 * would not do: it is used again.
 *
 * Nothing but SQLite may open these files, because closing any descriptor of a file drops this process's locks on it.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PawlError } from '@pawl/protocol';
import { isBusy } from './errors.ts';

/** The identity of one open log, alive as long as its file is locked. */
export type Holder = { readonly name: string; release(): void };

const suffix = '.holder';
const fileOf = (folder: string, name: string): string => join(folder, name + suffix);

/** The id of the process that a holder lives in. */
export const processOf = (name: string): number => Number.parseInt(name, 10);

/** Locks `file` alone; null while somebody else has it. */
function lockAlone(file: string, timeoutMs: number): DatabaseSync | null {
  const database = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

export function createHolder(folder: string): Holder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 1; attempt <= 10; attempt++) {
    const name = `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
    const file = fileOf(folder, name);
    const lock = lockAlone(file, 0);
    if (lock === null) continue;
    // Whoever tidied up between our creating the file and locking it has taken it for a dead one and removed it.
    if (existsSync(file)) {
      return {
        name,
        release() {
          rmSync(file, { force: true });
          lock.close();
        },
      };
    }
    lock.close();
  }
  throw new PawlError(
    'log_unavailable',
    `No lock could be kept in ${folder}. Stop what removes files there, then try again.`,
  );
}

/** Whether the holder's process lives. The file of a dead one is removed. */
export function isHolderAlive(folder: string, name: string): boolean {
  const file = fileOf(folder, name);
  if (!existsSync(file)) return false;
  const lock = lockAlone(file, 0);
  if (lock === null) return true;
  rmSync(file, { force: true });
  lock.close();
  return false;
}

/** Removes the files of holders that died without a farewell. */
export function removeDeadHolders(folder: string, ownName: string | null): void {
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const name = file.slice(0, -suffix.length);
    if (file.endsWith(suffix) && name !== ownName) isHolderAlive(folder, name);
  }
}

/**
 * Held by every process that has the log open, so that a damaged file is only replaced when nobody else uses it.
 */
export type Presence = {
  /** Runs `work` if nobody else has the log open, or returns false without running it. */
  alone(work: () => void): boolean;
  release(): void;
};

const presenceTimeoutMs = 10_000;

export function enter(folder: string): Presence {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'open');
  const share = (): DatabaseSync => {
    const database = new DatabaseSync(file, { timeout: presenceTimeoutMs });
    try {
      // A transaction that has read keeps SQLite's shared lock.
      database.exec('BEGIN; SELECT 1 FROM sqlite_master');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  let shared = share();
  return {
    alone(work) {
      shared.close();
      try {
        const lock = lockAlone(file, 1000);
        if (lock === null) return false;
        try {
          work();
        } finally {
          lock.close();
        }
        return true;
      } finally {
        shared = share();
      }
    },
    release: () => shared.close(),
  };
}
