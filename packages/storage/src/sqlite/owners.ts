import type { DatabaseSync } from 'node:sqlite';
import type { SessionOwner } from '@pawl/engine';
import { logClosed, sessionLocked } from '../record.ts';
import { rowOf, rowsOf, transaction } from './connection.ts';
import { createHolder, type Holder, isHolderAlive, processOf, removeDeadHolders } from './locks.ts';

/** Who owns which session, among all processes that have the log open. */
export type Owners = {
  claim(session: string): void;
  release(session: string): void;
  /** The living owner of a session, this log included. */
  ownerOf(session: string): SessionOwner | null;
  /** Throws `session_locked` while a living owner has it, this log included. Runs inside the caller's transaction. */
  refuseOwned(session: string): void;
  /** Those of the holders that live. */
  living(holders: Iterable<string>): Set<string>;
  /** Speaks to this database from now on, and tells it what is claimed. */
  moveTo(database: DatabaseSync): void;
  close(): void;
};

export function createOwners(folder: string): Owners {
  let current: DatabaseSync | null = null;
  let holder: Holder | null = null;
  const claimed = new Set<string>();

  const database = (): DatabaseSync => {
    if (current === null) throw logClosed();
    return current;
  };
  const isAlive = (name: string): boolean => name === holder?.name || isHolderAlive(folder, name);
  const note = (session: string, name: string): void => {
    const insert = 'INSERT OR REPLACE INTO owners (session, holder, claimed_at) VALUES (?, ?, ?)';
    database().prepare(insert).run(session, name, Date.now());
  };
  const ownerOf = (session: string): SessionOwner | null => {
    const select = database().prepare('SELECT holder AS name, claimed_at AS since FROM owners WHERE session = ?');
    const owner = rowOf<{ name: string; since: number }>(select, session);
    if (owner === undefined || !isAlive(owner.name)) return null;
    return { ...owner, pid: processOf(owner.name) };
  };
  const refuseOwned = (session: string): void => {
    const owner = ownerOf(session);
    if (owner !== null) throw sessionLocked(session, owner);
  };

  return {
    claim(session) {
      holder ??= createHolder(folder);
      const { name } = holder;
      transaction(database(), () => {
        refuseOwned(session);
        note(session, name);
      });
      claimed.add(session);
    },
    release(session) {
      claimed.delete(session);
      const remove = 'DELETE FROM owners WHERE session = ? AND holder = ?';
      database()
        .prepare(remove)
        .run(session, holder?.name ?? '');
    },
    ownerOf,
    refuseOwned,
    living: (holders) => new Set([...new Set(holders)].filter(isAlive)),
    moveTo(next) {
      current = next;
      if (holder === null) return;
      for (const session of claimed) note(session, holder.name);
    },
    close() {
      const own = holder?.name ?? null;
      removeDeadHolders(folder, own);
      const rows = rowsOf<{ name: string }>(database().prepare('SELECT DISTINCT holder AS name FROM owners'));
      const remove = database().prepare('DELETE FROM owners WHERE holder = ?');
      for (const { name } of rows) if (name === own || !isAlive(name)) remove.run(name);
      holder?.release();
      holder = null;
    },
  };
}
