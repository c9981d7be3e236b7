/** Noticing what other processes append, without asking all the time. */
import { type FSWatcher, watch } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** How long a change can go unseen where the system reports none. */
const fallbackMs = 500;

export type Neighbours = {
  /** Watches until the returned function is called; the last one stopped ends it. */
  start(): () => void;
  /** Looks at a new database in place of one that was replaced. */
  moveTo(database: DatabaseSync): void;
  stop(): void;
};

/** Calls `changed` after other connections committed. An idle log costs one look at shared memory per `fallbackMs`. */
export function watchNeighbours(path: string, changed: () => void): Neighbours {
  let database: DatabaseSync | null = null;
  let watchers = 0;
  let stopCurrent: (() => void) | null = null;

  const stop = (): void => {
    stopCurrent?.();
    stopCurrent = null;
  };
  const begin = (): void => {
    if (database !== null) stopCurrent = watchDatabase(database, `${path}-wal`, changed);
  };
  return {
    start() {
      if (watchers++ === 0) begin();
      return () => {
        if (--watchers === 0) stop();
      };
    },
    moveTo(next) {
      database = next;
      if (stopCurrent === null) return;
      stop();
      begin();
      changed();
    },
    stop,
  };
}

function watchDatabase(database: DatabaseSync, file: string, changed: () => void): () => void {
  const selectVersion = database.prepare('PRAGMA data_version');
  /** A file that cannot be read counts as changed: whoever watches reads it, and gets the error. */
  const versionOf = (): unknown => {
    try {
      return selectVersion.get()?.data_version;
    } catch (error) {
      return error;
    }
  };
  let version = versionOf();
  const look = (): void => {
    const now = versionOf();
    if (now === version) return;
    version = now;
    changed();
  };
  const watcher = watchFile(file, look);
  const timer = setInterval(look, fallbackMs);
  // The watcher keeps a process alive that waits for others; where there is none, the timer must.
  if (watcher !== null) timer.unref();
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}

/** Null where the system cannot watch: too many watches, some network file systems. */
function watchFile(file: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(file, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
