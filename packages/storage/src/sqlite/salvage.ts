/**
 * A file that SQLite finds damaged is set aside under a new name, and every record that can still be read, by
 * whatever way, goes into a new one. Each step can be interrupted: the next opening takes it up again.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Damage } from '@pawl/engine';
import { type DurableEvent, isPawlError, PawlError, upgradeEvent } from '@pawl/protocol';
import { digestOf } from '../digest.ts';
import { parseEvents, type StoredRecord, verifyNext } from '../record.ts';
import { type Traits, traitsOf } from '../traits.ts';
import { connect, transaction } from './connection.ts';
import { createEvents } from './events.ts';
import type { Migration } from './migrations.ts';
import { looksLikeDatabase, rowsIn, type Value } from './pages.ts';

const doneFile = (path: string): string => `${path}.salvaged`;
const isPresent = (path: string): boolean => existsSync(path) && statSync(path).size > 0;

/** Whether a salvage was interrupted just before its end. */
export function isSalvageUnfinished(path: string): boolean {
  return existsSync(doneFile(path));
}

/** Whether the file was cut to nothing while its write-ahead log still holds data, which SQLite would throw away. */
export function isCutToNothing(path: string): boolean {
  return existsSync(path) && statSync(path).size === 0 && isPresent(`${path}-wal`);
}

/** Puts the salvaged file in place. The old write-ahead log goes first: SQLite would apply it to any file of that name. */
export function finishSalvage(path: string): void {
  rmSync(`${path}-wal`, { force: true });
  rmSync(`${path}-shm`, { force: true });
  renameSync(doneFile(path), path);
}

/**
 * Replaces a damaged file by what can be read of it. The caller makes sure that nobody else has it open.
 * @returns what was damaged: one entry for the file, with an empty session, and one for each session cut short.
 * @throws `log_unavailable` when the file never was a log.
 */
export function salvage(path: string, steps: readonly Migration[]): Damage[] {
  const found = collect(path);
  if (found.sessions.size === 0 && found.blobs.size === 0 && !looksLikeDatabase(path))
    throw new PawlError('log_unavailable', `${path} is not a log of Pawl, and was left as it is. Name another file.`);
  const aside = setAside(path);
  const building = `${path}.salvaging`;
  for (const suffix of ['', '-wal', '-shm']) rmSync(building + suffix, { force: true });
  const database = connect(building, false, steps);
  const damage: Damage[] = [];
  let records = 0;
  try {
    // Nobody sees the file before it is complete and flushed, so its transactions need neither log nor disk.
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
    transaction(database, () => {
      const insertBlob = database.prepare('INSERT INTO blobs (digest, bytes) VALUES (?, ?)');
      for (const [digest, bytes] of found.blobs) insertBlob.run(digest, bytes);
      const quarantine = database.prepare(insertQuarantined);
      for (const [, ...values] of found.quarantined) quarantine.run(...values);
    });
    for (const [session, stored] of found.sessions) {
      const cutShort = rebuild(database, session, stored);
      records += stored.length;
      if (cutShort !== null) damage.push(cutShort);
    }
  } finally {
    database.close();
  }
  flush(building);
  renameSync(building, doneFile(path));
  finishSalvage(path);
  const reason = `the file was damaged and is kept as ${aside}; ${records} records of ${found.sessions.size} sessions could be read and are in the new one`;
  return [{ session: '', fromSeq: 0, reason }, ...damage];
}

type Found = {
  sessions: Map<string, StoredRecord[]>;
  blobs: Map<string, Uint8Array>;
  /** Rows that were set aside before, as they are. */
  quarantined: Value[][];
};

const insertQuarantined = `INSERT INTO quarantine (session, first_seq, last_seq, checksum, body, reason, set_aside_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** Rows that prove by their checksum or digest what they are. */
function collect(path: string): Found {
  const sessions = new Map<string, Map<number, StoredRecord>>();
  const blobs = new Map<string, Uint8Array>();
  const quarantined: Value[][] = [];
  for (const row of rowsIn(path)) {
    const record = asRecord(row);
    if (record !== null) {
      const own = sessions.get(record.session) ?? new Map<number, StoredRecord>();
      sessions.set(record.session, own.set(record.stored.firstSeq, record.stored));
    }
    if (isQuarantined(row)) quarantined.push(row);
    const [digest, bytes] = row;
    if (row.length !== 2 || typeof digest !== 'string' || !(bytes instanceof Uint8Array)) continue;
    if (digest.startsWith('sha256-') && digestOf(bytes) === digest) blobs.set(digest, bytes);
  }
  const inOrder = [...sessions].map(([session, records]): [string, StoredRecord[]] => [
    session,
    [...records.values()].sort((a, b) => a.firstSeq - b.firstSeq),
  ]);
  return { sessions: new Map(inOrder), blobs, quarantined };
}

/** A row of `records`: key (kept outside the row), last_seq, at, is_said, checksum, body. */
function asRecord(row: Value[]): { session: string; stored: StoredRecord } | null {
  const [key, lastSeq, , , checksum, body] = row;
  if (row.length !== 6 || key !== null || typeof body !== 'string' || crc32(body) !== Number(checksum)) return null;
  const first = parseEvents(body)?.[0];
  if (first === undefined) return null;
  return {
    session: first.session,
    stored: { firstSeq: first.seq, lastSeq: Number(lastSeq), checksum: Number(checksum), body },
  };
}

/** A row of `quarantine`: id (kept outside the row), session, first_seq, last_seq, checksum, body, reason, set_aside_at. */
function isQuarantined(row: Value[]): boolean {
  const [id, session, , , , , reason, setAsideAt] = row;
  const isComplete = row.length === 8 && id === null && typeof setAsideAt === 'number';
  return isComplete && typeof session === 'string' && typeof reason === 'string';
}

/** Appends again what is whole of a session, byte for byte; the rest goes into quarantine. */
function rebuild(database: DatabaseSync, session: string, stored: StoredRecord[]): Damage | null {
  const events = createEvents(database, () => {});
  const quarantine = database.prepare(insertQuarantined);
  let next = 1;
  let damage: Damage | null = null;
  for (const record of stored) {
    const verified = verifyNext(session, record, next);
    if (damage === null && 'events' in verified) {
      events.restore(session, record, verified.events.at(-1)?.at ?? 0, traitsOfStored(verified.events));
      next = record.lastSeq + 1;
      continue;
    }
    damage ??= { session, fromSeq: next, reason: 'damage' in verified ? verified.damage : '' };
    quarantine.run(session, record.firstSeq, record.lastSeq, record.checksum, record.body, damage.reason, Date.now());
  }
  return damage;
}

/** Events of a newer release are kept as they are, though nothing can be said of them. */
function traitsOfStored(events: readonly DurableEvent[]): Traits {
  try {
    return traitsOf(events.map(upgradeEvent));
  } catch (error) {
    if (isPawlError(error, 'log_too_new')) return { change: null, isSaid: true };
    throw error;
  }
}

/** Copies the damaged file and its write-ahead log to a name that is free, and makes the copy durable. */
function setAside(path: string): string {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  let aside = `${path}.damaged-${stamp}`;
  for (let count = 2; existsSync(aside); count++) aside = `${path}.damaged-${stamp}-${count}`;
  for (const suffix of ['', '-wal']) {
    if (!existsSync(path + suffix)) continue;
    copyFileSync(path + suffix, aside + suffix, constants.COPYFILE_FICLONE);
    flush(aside + suffix);
  }
  return aside;
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
