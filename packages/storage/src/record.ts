/** One append as it is stored: the JSON of its events in one string, with a checksum. */
import { crc32 } from 'node:zlib';
import type { SessionOwner } from '@pawl/engine';
import { type DurableEvent, PawlError, upgradeEvent } from '@pawl/protocol';

/** `body` is a JSON array of the events `firstSeq` to `lastSeq`, `checksum` its CRC-32. */
export type StoredRecord = { firstSeq: number; lastSeq: number; checksum: number; body: string };

/** The events of a record, or why it cannot be trusted. */
export type Decoded = { events: DurableEvent[] } | { damage: string };

/**
 * The record of an append. Events are serialised once, here, so that nothing shared with the caller is kept.
 * @throws `invalid_append` when the events are not numbered on from `expectedSeq` or are another session's.
 */
export function encodeRecord(session: string, expectedSeq: number, events: readonly DurableEvent[]): StoredRecord {
  let seq = expectedSeq;
  for (const event of events) {
    seq++;
    if (event.seq === seq && event.session === session) continue;
    throw new PawlError(
      'invalid_append',
      `Event ${event.seq} of session ${event.session} cannot stand at ${seq} of session ${session}. Number events on from the expected sequence number.`,
    );
  }
  const body = toJson(events);
  return { firstSeq: expectedSeq + 1, lastSeq: seq, checksum: crc32(body), body };
}

function toJson(events: readonly DurableEvent[]): string {
  try {
    return JSON.stringify(events);
  } catch (cause) {
    throw new PawlError('invalid_append', 'The events hold something that JSON cannot; nothing was written.', {
      cause,
    });
  }
}

/** The events of a record as they were stored, in any version, fully verified. */
function verifyRecord(session: string, { firstSeq, lastSeq, checksum, body }: StoredRecord): Decoded {
  if (crc32(body) !== checksum) return { damage: `the checksum of the record at ${firstSeq} does not match` };
  const events = parseEvents(body);
  if (events === null) return { damage: `the record at ${firstSeq} is not a list of events` };
  let seq = firstSeq;
  for (const event of events) {
    if (event.seq !== seq || event.session !== session) return { damage: `event ${seq} is missing` };
    seq++;
  }
  return seq === lastSeq + 1 ? { events } : { damage: `the record at ${firstSeq} does not end at ${lastSeq}` };
}

/** A body's events as they were stored, or null when it is not a list of events. */
export function parseEvents(body: string): DurableEvent[] | null {
  try {
    const events: unknown = JSON.parse(body);
    if (!Array.isArray(events)) return null;
    for (const event of events) if (!isEvent(event)) return null;
    return events;
  } catch {
    return null;
  }
}

const isEvent = (value: unknown): value is DurableEvent =>
  typeof value === 'object' &&
  value !== null &&
  'seq' in value &&
  typeof value.seq === 'number' &&
  'session' in value &&
  typeof value.session === 'string' &&
  'type' in value &&
  typeof value.type === 'string' &&
  'data' in value;

/** The undamaged events of a session, in order, and where and why they end. */
export type Whole = { events: DurableEvent[]; damage: { fromSeq: number; reason: string } | null };

/**
 * The events of records up to the first that is damaged or missing, in today's shapes; `latestSeq` is where the
 * first must begin at the latest. @throws `log_too_new`.
 */
export function decodeWhole(session: string, records: Iterable<StoredRecord>, latestSeq: number): Whole {
  const events: DurableEvent[] = [];
  let expected = 0;
  for (const record of records) {
    if (expected === 0) expected = Math.min(record.firstSeq, latestSeq);
    const verified = verifyNext(session, record, expected);
    if ('damage' in verified) return { events, damage: { fromSeq: expected, reason: verified.damage } };
    for (const event of verified.events) events.push(upgradeEvent(event));
    expected = record.lastSeq + 1;
  }
  return { events, damage: null };
}

/** As `verifyRecord`, of the record that must begin at `expected`. */
export function verifyNext(session: string, record: StoredRecord, expected: number): Decoded {
  return record.firstSeq === expected ? verifyRecord(session, record) : { damage: `event ${expected} is missing` };
}

/** The error of an append that expected another sequence number. */
export function conflict(session: string, expectedSeq: number, headSeq: number): PawlError {
  return new PawlError(
    'conflict',
    `Session ${session} stands at event ${headSeq}, not ${expectedSeq}: somebody else wrote to it. Read it again before you write.`,
  );
}

/** The error of a claim while another process owns the session. */
export function sessionLocked(session: string, { pid, since }: Pick<SessionOwner, 'pid' | 'since'>): PawlError {
  const when = new Date(since).toISOString().replace(/\.\d+Z$/, 'Z');
  return new PawlError(
    'session_locked',
    `Session ${session} is driven by process ${pid}${pid === process.pid ? ' (this one)' : ''}, since ${when}. Watch it with: pawl watch ${session}`,
  );
}

export function logClosed(): PawlError {
  return new PawlError('log_unavailable', 'The log was closed. Open it again to use it.');
}
