/** The shape of the database, as the steps that lead to it. Old files are opened for ever, so a released step never changes. */
import type { DatabaseSync } from 'node:sqlite';
import { PawlError } from '@pawl/protocol';

/** A step from the version before to the next. It runs in a transaction: interrupted anywhere, it never happened. */
export type Migration = (database: DatabaseSync) => void;

/** 'Pawl' in ASCII: how a file of ours is told from another program's. */
const applicationId = 0x5061776c;

/**
 * A record's key is its session's number, shifted by 32 bits, plus its first sequence number: one tree, in which a
 * session lies together in order, and an append touches one page. `salvage` recognises rows of `records` and `blobs`
 * by their shape: who changes it, teaches it the new one and keeps the old.
 */
const firstShape: Migration = (database) =>
  database.exec(`
    PRAGMA application_id = ${applicationId};
    CREATE TABLE sessions (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      session TEXT NOT NULL UNIQUE,
      created_at REAL NOT NULL DEFAULT 0,
      cwd TEXT NOT NULL DEFAULT '',
      model TEXT NOT NULL DEFAULT '',
      first_message TEXT NOT NULL DEFAULT '',
      forked_from TEXT,
      indexed_seq INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE records (
      key INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at REAL NOT NULL,
      is_said INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE quarantine (
      id INTEGER PRIMARY KEY,
      session TEXT NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      body ANY,
      reason TEXT NOT NULL,
      set_aside_at INTEGER NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE said USING fts5(words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
    CREATE TABLE owners (session TEXT PRIMARY KEY, holder TEXT NOT NULL, claimed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE blobs (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    CREATE TABLE blob_references (
      number INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (number, digest)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX blob_references_digest ON blob_references (digest);
    CREATE TABLE blobs_pending (digest TEXT PRIMARY KEY, put_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `);

/** For whom a session works, and its metadata, as JSON: what a list shows of it without reading its log. */
const withOrigin: Migration = (database) =>
  database.exec(`
    ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE sessions ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
  `);

/** What lists call a session, and whether they leave it out. */
const withTitle: Migration = (database) =>
  database.exec(`
    ALTER TABLE sessions ADD COLUMN title TEXT;
    ALTER TABLE sessions ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
  `);

export const migrations: readonly Migration[] = [firstShape, withOrigin, withTitle];

/**
 * Brings a database to the newest shape, one transaction a step.
 * @throws what `refuseForeign` throws.
 */
export function migrate(database: DatabaseSync, steps: readonly Migration[], path: string): void {
  while (refuseForeign(database, steps, path) < steps.length) {
    database.exec('BEGIN IMMEDIATE');
    try {
      // Read again, now that nobody else can be taking the same step.
      const version = refuseForeign(database, steps, path);
      steps[version]?.(database);
      database.exec(`PRAGMA user_version = ${Math.min(version + 1, steps.length)}`);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}

/**
 * The version of a database that is ours to use, 0 for an empty one. Changes nothing.
 * @throws `log_too_new` for a file that a newer release wrote, `log_unavailable` for another program's.
 */
export function refuseForeign(database: DatabaseSync, steps: readonly Migration[], path: string): number {
  const numberOf = (pragma: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
  if (!isEmpty && numberOf('application_id') !== applicationId)
    throw new PawlError('log_unavailable', `${path} is another program's database. Name another file for the log.`);
  const version = numberOf('user_version');
  if (version > steps.length)
    throw new PawlError(
      'log_too_new',
      `${path} was written by a newer Pawl (shape ${version}; this one knows ${steps.length}). Nothing was changed. Update Pawl to open it.`,
    );
  return version;
}
