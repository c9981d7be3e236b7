/** Appending and reading: the hot path. */
import type { DatabaseSync } from 'node:sqlite';
import type { Damage } from '@pawl/engine';
import type { DurableEvent } from '@pawl/protocol';
import { digestsIn } from '../digest.ts';
import { conflict, decodeWhole, encodeRecord, type StoredRecord, verifyNext } from '../record.ts';
import { type Traits, traitsOf } from '../traits.ts';
import { keysAfter, rowOf, transaction } from './connection.ts';

/** An append, encoded: nothing shared with the caller is kept. */
export type Append = {
  session: string;
  expectedSeq: number;
  record: StoredRecord;
  at: number;
  traits: Traits;
  isNaming: boolean;
};

/** @throws `invalid_append`. */
export function encodeAppend(session: string, expectedSeq: number, events: readonly DurableEvent[]): Append {
  const record = encodeRecord(session, expectedSeq, events);
  const at = events.at(-1)?.at ?? 0;
  return { session, expectedSeq, record, at, traits: traitsOf(events), isNaming: digestsIn(record.body).length > 0 };
}

export type Events = {
  /** Whether this only adds a record to a session that is known, so that it may share a commit. */
  isPlain(append: Append): boolean;
  write(append: Append): void;
  read(session: string, afterSeq: number): DurableEvent[];
  /** Appends a record as it was stored before. */
  restore(session: string, record: StoredRecord, at: number, traits: Traits): void;
  /** Forgets what is cached of a session that was deleted. */
  forget(session: string): void;
};

const recordColumns = 'key & 4294967295 AS firstSeq, last_seq AS lastSeq, checksum, body';

export function createEvents(database: DatabaseSync, report: (damage: Damage) => void): Events {
  // One statement checks the expectation and writes, which is one transaction without the cost of BEGIN and COMMIT.
  const insert = database.prepare(
    `INSERT INTO records SELECT (?1 << 32) | ?2, ?3, ?4, ?5, ?6, ?7
     WHERE coalesce((SELECT last_seq FROM records WHERE ${keysAfter('?1', '0')} ORDER BY key DESC LIMIT 1), 0) = ?2 - 1`,
  );
  const select = database.prepare(
    `SELECT ${recordColumns} FROM records WHERE ${keysAfter('?1', '0')} AND last_seq > ?2 AND key >= coalesce(
       (SELECT key FROM records WHERE key > (?1 << 32) AND key <= ((?1 << 32) | ?2) + 1 ORDER BY key DESC LIMIT 1), 0)
     ORDER BY key`,
  );
  const selectHead = database.prepare(
    `SELECT last_seq AS seq FROM records WHERE ${keysAfter('?1', '0')} AND key <= ((?1 << 32) | ?2) ORDER BY key DESC LIMIT 1`,
  );
  const selectNext = database.prepare(
    `SELECT ${recordColumns} FROM records WHERE ${keysAfter('?1', '?2')} ORDER BY key LIMIT 1`,
  );
  const selectNumber = database.prepare('SELECT number FROM sessions WHERE session = ?');
  const insertSession = database.prepare(
    `INSERT INTO sessions (session) VALUES (?) ON CONFLICT (session) DO UPDATE
     SET created_at = 0, cwd = '', model = '', first_message = '', forked_from = NULL, origin = '{}', metadata = '{}',
       indexed_seq = 0 RETURNING number`,
  );
  const updateSession = database.prepare(
    `UPDATE sessions SET created_at = coalesce(?2, created_at), cwd = coalesce(?3, cwd), model = coalesce(?4, model),
       first_message = iif(first_message = '', coalesce(?5, ''), first_message), forked_from = coalesce(?6, forked_from),
       origin = coalesce(?7, origin), metadata = coalesce(?8, metadata),
       title = coalesce(?9, title), is_archived = coalesce(?10, is_archived)
     WHERE number = ?1`,
  );
  const insertReference = database.prepare('INSERT OR IGNORE INTO blob_references (number, digest) VALUES (?, ?)');
  const deletePending = database.prepare('DELETE FROM blobs_pending WHERE digest = ?');

  /** Numbers are never used again, so one that was deleted elsewhere has no records, and its appends fail the expectation. */
  const numbers = new Map<string, number>();
  const highestSeq = 0xffffffff;

  const numberOf = (session: string): number | undefined => {
    const known = numbers.get(session) ?? rowOf<{ number: number }>(selectNumber, session)?.number;
    if (known !== undefined) numbers.set(session, known);
    return known;
  };
  const headOf = (number: number, upTo = highestSeq): number =>
    rowOf<{ seq: number }>(selectHead, number, upTo)?.seq ?? 0;

  const insertRecord = (number: number, record: StoredRecord, at: number, isSaid: boolean): boolean =>
    insert.run(number, record.firstSeq, record.lastSeq, at, isSaid ? 1 : 0, record.checksum, record.body).changes === 1;

  /** The slow path: the first append of a session, one that changes its summary or names blobs, or one after a failed insert. */
  function appendWithCare(session: string, record: StoredRecord, at: number, traits: Traits): number {
    const expectedSeq = record.firstSeq - 1;
    const known = rowOf<{ number: number }>(selectNumber, session)?.number;
    if (known === undefined && expectedSeq > 0) throw conflict(session, expectedSeq, 0);
    if (known !== undefined) {
      const headSeq = headOf(known);
      if (headSeq !== expectedSeq && !setAside(session, known, expectedSeq))
        throw conflict(session, expectedSeq, headSeq);
    }
    const isFirst = known === undefined || expectedSeq === 0;
    const number = isFirst ? (rowOf<{ number: number }>(insertSession, session)?.number ?? 0) : known;
    if (!insertRecord(number, record, at, traits.isSaid)) throw conflict(session, expectedSeq, headOf(number));
    const { change } = traits;
    if (change !== null) {
      const { createdAt, cwd, model, firstMessage, forkedFrom, origin, metadata, title, isArchived } = change;
      updateSession.run(
        number,
        createdAt ?? null,
        cwd ?? null,
        model ?? null,
        firstMessage ?? null,
        forkedFrom ?? null,
        origin === undefined ? null : JSON.stringify(origin),
        metadata === undefined ? null : JSON.stringify(metadata),
        title ?? null,
        isArchived === undefined ? null : Number(isArchived),
      );
    }
    for (const digest of digestsIn(record.body)) {
      insertReference.run(number, digest);
      deletePending.run(digest);
    }
    return number;
  }

  /** If the records after `seq` are damaged, moves them to the quarantine, which is never deleted. Returns whether it did. */
  function setAside(session: string, number: number, seq: number): boolean {
    if (headOf(number, seq) !== seq) return false;
    const next = rowOf<StoredRecord>(selectNext, number, seq);
    if (next === undefined) return false;
    const verified = verifyNext(session, next, seq + 1);
    if (!('damage' in verified)) return false;
    report({ session, fromSeq: seq + 1, reason: verified.damage });
    database
      .prepare(
        `INSERT INTO quarantine (session, first_seq, last_seq, checksum, body, reason, set_aside_at)
         SELECT ?3, key & 4294967295, last_seq, checksum, body, ?4, ?5 FROM records WHERE ${keysAfter('?1', '?2')}`,
      )
      .run(number, seq, session, verified.damage, Date.now());
    database.prepare(`DELETE FROM records WHERE ${keysAfter('?1', '?2')}`).run(number, seq);
    database
      .prepare('DELETE FROM said WHERE rowid > ((?1 << 32) | ?2) AND rowid <= ((?1 << 32) | 4294967295)')
      .run(number, seq);
    database.prepare('UPDATE sessions SET indexed_seq = min(indexed_seq, ?2) WHERE number = ?1').run(number, seq);
    return true;
  }

  function isPlain({ session, expectedSeq, record, traits, isNaming }: Append): boolean {
    const isEmpty = record.lastSeq === expectedSeq;
    return expectedSeq > 0 && !isEmpty && traits.change === null && !isNaming && numbers.has(session);
  }

  function expect(session: string, expectedSeq: number): void {
    const stored = numberOf(session);
    const headSeq = stored === undefined ? 0 : headOf(stored);
    if (headSeq !== expectedSeq) throw conflict(session, expectedSeq, headSeq);
  }

  function restore(session: string, record: StoredRecord, at: number, traits: Traits): void {
    numbers.set(
      session,
      transaction(database, () => appendWithCare(session, record, at, traits)),
    );
  }

  return {
    isPlain,
    write(append) {
      const { session, expectedSeq, record, at, traits } = append;
      const number = numbers.get(session);
      if (record.lastSeq === expectedSeq) expect(session, expectedSeq);
      else if (number === undefined || !isPlain(append) || !insertRecord(number, record, at, traits.isSaid)) {
        restore(session, record, at, traits);
      }
    },
    restore,
    read(session, afterSeq) {
      const number = rowOf<{ number: number }>(selectNumber, session)?.number;
      if (number === undefined) return [];
      // One after the other, so that a long session is never there twice.
      const records = select.iterate(number, afterSeq) as unknown as Iterable<StoredRecord>;
      const { events, damage } = decodeWhole(session, records, afterSeq + 1);
      if (damage !== null) report({ session, ...damage });
      const skipped = events.findIndex((event) => event.seq > afterSeq);
      return skipped > 0 ? events.slice(skipped) : events;
    },
    forget: (session) => void numbers.delete(session),
  };
}
