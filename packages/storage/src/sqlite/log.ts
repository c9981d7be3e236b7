import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Damage, Storage } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';
import { type Changes, createChanges, follow } from '../follow.ts';
import { createBlobs } from './blobs.ts';
import { transaction } from './connection.ts';
import { type Append, createEvents, encodeAppend } from './events.ts';
import { openFile } from './file.ts';
import { attempt, createGroupCommit } from './group-commit.ts';
import { type Migration, migrations } from './migrations.ts';
import { watchNeighbours } from './neighbours.ts';
import { createOwners } from './owners.ts';
import { deleteSession, indexSession, listSessions, sessionsBehind } from './sessions.ts';

export type SqliteLogOptions = {
  /** The database file. It and its folders are made if they do not exist, readable by this user only. */
  path: string;
  /**
   * Whether an append also survives the loss of power. By default it survives the death of the process, however
   * that ends, and a power cut can cost the last appends, never the file. `true` waits for the disk at every
   * append: some milliseconds instead of some microseconds.
   */
  isPowerLossSafe?: boolean;
};

/**
 * A log and its blobs in one SQLite file, for all processes of one machine. Beside the file lie SQLite's own
 * `-wal` and `-shm`, and the folder `<path>.locks`; they belong together. Not for network file systems.
 *
 * A damaged record hides what follows it in its session, which the session's next append moves to a table of its
 * own. A damaged file is kept under a new name, and what can be read of it goes on in a new one. `damage()` tells;
 * its entry for a file has an empty session.
 * @throws `log_unavailable` when the file cannot be used, `log_too_new` when a newer Pawl wrote it.
 * @example
 * const log = sqliteLog({ path: '/home/me/sessions.db' });
 * const host = createHost({ log, model });
 */
export function sqliteLog(options: SqliteLogOptions): Storage {
  return openSqliteLog(options, migrations);
}

/** `sqliteLog` with other steps to the newest shape. */
export function openSqliteLog(options: SqliteLogOptions, steps: readonly Migration[]): Storage {
  const path = resolve(options.path);
  const locks = `${path}.locks`;
  const changes = createChanges();
  const damage: Damage[] = [];
  const report = (found: Damage): void => {
    if (!damage.some((known) => known.session === found.session && known.fromSeq === found.fromSeq)) damage.push(found);
  };
  const owners = createOwners(locks);
  const neighbours = watchNeighbours(path, changes.notifyAll);
  const { isPowerLossSafe = false } = options;
  const { use, close } = openFile({ path, locks, isPowerLossSafe, steps, report }, (database: DatabaseSync) => {
    owners.moveTo(database);
    neighbours.moveTo(database);
    return { database, events: createEvents(database, report), blobs: createBlobs(database) };
  });
  const groupCommit = createGroupCommit((appends: readonly Append[]) =>
    use(({ database, events }) => {
      const writeAll = () =>
        appends.map((append) => {
          const refusal = attempt(() => events.write(append));
          // Anything but a refusal may have ended the transaction: nothing more is written in it.
          if (refusal !== null && !isPawlError(refusal)) throw refusal;
          return refusal;
        });
      return appends.length === 1 ? writeAll() : transaction(database, writeAll);
    }),
  );
  const read: Storage['read'] = async (session, afterSeq = 0) => use(({ events }) => events.read(session, afterSeq));

  /** Other processes are watched for as long as somebody watches a session. */
  const allChanges: Changes = {
    ...changes,
    subscribe(session, wake) {
      const unsubscribe = changes.subscribe(session, wake);
      const stop = neighbours.start();
      return () => {
        unsubscribe();
        stop();
      };
    },
  };

  return {
    async append(session, expectedSeq, events) {
      const append = encodeAppend(session, expectedSeq, events);
      if (use((parts) => parts.events.isPlain(append))) await groupCommit.write(session, append);
      else use((parts) => parts.events.write(append));
      changes.notify(session);
    },
    read,
    async list(query = {}) {
      if ((query.search ?? '').trim() !== '') {
        for (const number of use(({ database }) => sessionsBehind(database))) {
          use(({ database }) => indexSession(database, number));
          await setImmediate();
        }
      }
      return use(({ database }) => listSessions(database, owners, query));
    },
    async delete(session) {
      use(({ database, blobs, events }) => {
        deleteSession(database, owners, blobs, session);
        events.forget(session);
      });
    },
    watch: (session, afterSeq, signal) => follow(read, allChanges, session, afterSeq, signal),
    async claim(session) {
      use(() => owners.claim(session));
      let isReleased = false;
      return {
        async release() {
          if (isReleased || changes.isClosed()) return;
          isReleased = true;
          use(() => owners.release(session));
        },
      };
    },
    owner: async (session) => use(() => owners.ownerOf(session)),
    damage: () => damage.map((found) => ({ ...found })),
    async close() {
      if (changes.isClosed()) return;
      groupCommit.flush();
      changes.close();
      neighbours.stop();
      try {
        use(() => owners.close());
      } finally {
        close();
      }
    },
    put: async (bytes) => use(({ blobs }) => blobs.put(bytes)),
    get: async (digest) => use(({ blobs }) => blobs.get(digest)),
  };
}
