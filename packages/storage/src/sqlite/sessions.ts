/** The list of sessions, search in it, and deleting from it. */
import type { DatabaseSync } from 'node:sqlite';
import type { SessionQuery, SessionSummary } from '@pawl/engine';
import { type DurableEvent, isPawlError, upgradeEvent } from '@pawl/protocol';
import { parseEvents } from '../record.ts';
import { saidIn } from '../traits.ts';
import { wordsOf } from '../words.ts';
import type { Blobs } from './blobs.ts';
import { keysAfter, rowOf, rowsOf, transaction } from './connection.ts';
import type { Owners } from './owners.ts';

type Row = Omit<SessionSummary, 'isLocked' | 'isArchived' | 'origin' | 'metadata'> & {
  isArchived: number;
  holder: string | null;
  origin: string;
  metadata: string;
};

const lastKey = `(SELECT key FROM records WHERE ${keysAfter('number', '0')} ORDER BY key DESC LIMIT 1)`;

/** Sessions newest first. What an append would have to keep up to date, its last event tells just as well. */
export function listSessions(database: DatabaseSync, owners: Owners, query: SessionQuery): SessionSummary[] {
  const { cwd = null, search = '', limit = 50, isMain = false, isArchived } = query;
  const words = wordsOf(search);
  if (search.trim() !== '' && words.length === 0) return [];
  const rows = rowsOf<Row>(
    database.prepare(
      `SELECT session, last_seq AS seq, created_at AS createdAt, at AS updatedAt, cwd, model,
         first_message AS firstMessage, forked_from AS forkedFrom, title, is_archived AS isArchived,
         origin, metadata, holder
       FROM sessions JOIN records ON key = ${lastKey} LEFT JOIN owners USING (session)
       WHERE (?1 IS NULL OR cwd = ?1)
       ${isMain ? "AND instr(session, '.') = 0" : ''}
       ${isArchived === undefined ? '' : `AND is_archived = ${isArchived ? 1 : 0}`}
       ${words.map((_, index) => `AND number IN (SELECT rowid >> 32 FROM said WHERE said MATCH ?${index + 3})`).join('\n')}
       ORDER BY at DESC, number DESC LIMIT ?2`,
    ),
    cwd,
    limit,
    ...words.map((word) => `"${word}"*`),
  );
  const living = owners.living(rows.flatMap(({ holder }) => holder ?? []));
  return rows.map(({ holder, origin, metadata, ...summary }) => ({
    ...summary,
    origin: JSON.parse(origin),
    metadata: JSON.parse(metadata),
    isArchived: summary.isArchived === 1,
    isLocked: holder !== null && living.has(holder),
  }));
}

/**
 * Sessions that the search index has not caught up with. Appends leave that to the first search after them, so
 * that a run that nobody searches pays nothing for it.
 */
export function sessionsBehind(database: DatabaseSync): number[] {
  const statement = database.prepare(
    `SELECT number FROM sessions JOIN records ON key = ${lastKey} WHERE last_seq > indexed_seq`,
  );
  return rowsOf<{ number: number }>(statement).map((row) => row.number);
}

/** Brings the index up to one session's log. */
export function indexSession(database: DatabaseSync, number: number): void {
  const select = database.prepare(
    `SELECT indexed_seq AS position, last_seq AS head FROM sessions JOIN records ON key = ${lastKey} WHERE number = ?`,
  );
  const selectRecords = database.prepare(
    `SELECT body FROM records WHERE ${keysAfter('?1', '?2')} AND is_said = 1 ORDER BY key`,
  );
  const insert = database.prepare('INSERT INTO said (rowid, words) VALUES ((?1 << 32) | ?2, ?3)');
  transaction(database, () => {
    const { position = 0, head = 0 } = rowOf<{ position: number; head: number }>(select, number) ?? {};
    for (const { body } of rowsOf<{ body: string }>(selectRecords, number, position)) {
      for (const event of parseEvents(body) ?? []) {
        const words = wordsSaid(event);
        if (words.length > 0) insert.run(number, event.seq, words.join(' '));
      }
    }
    database.prepare('UPDATE sessions SET indexed_seq = ? WHERE number = ?').run(head, number);
  });
}

/** An event of a newer release says nothing here: its session cannot be opened either, only listed. */
function wordsSaid(event: DurableEvent): string[] {
  try {
    return wordsOf(saidIn(upgradeEvent(event)));
  } catch (error) {
    if (isPawlError(error, 'log_too_new')) return [];
    throw error;
  }
}

/** Removes a session and what only it holds, and overwrites its bytes. */
export function deleteSession(database: DatabaseSync, owners: Owners, blobs: Blobs, session: string): void {
  transaction(database, () => {
    owners.refuseOwned(session);
    const selectNumber = database.prepare('SELECT number FROM sessions WHERE session = ?');
    const number = rowOf<{ number: number }>(selectNumber, session)?.number;
    database.prepare('DELETE FROM quarantine WHERE session = ?').run(session);
    if (number === undefined) return;
    database.prepare(`DELETE FROM records WHERE ${keysAfter('?1', '0')}`).run(number);
    database.prepare('DELETE FROM said WHERE rowid > (?1 << 32) AND rowid <= ((?1 << 32) | 4294967295)').run(number);
    blobs.release(number);
    database.prepare('DELETE FROM sessions WHERE number = ?').run(number);
  });
}
