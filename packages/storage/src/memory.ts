import type { Damage, SessionOwner, SessionQuery, SessionSummary, Storage } from '@pawl/engine';
import type { DurableEvent } from '@pawl/protocol';
import { digestOf, digestsIn } from './digest.ts';
import { createChanges, follow } from './follow.ts';
import { conflict, decodeWhole, encodeRecord, logClosed, type StoredRecord, sessionLocked } from './record.ts';
import { saidIn, traitsOf } from './traits.ts';
import { wordsOf } from './words.ts';

type Held = {
  records: StoredRecord[];
  summary: Omit<SessionSummary, 'isLocked'>;
  /** Order of creation, for sessions of the same millisecond. */
  number: number;
  digests: Set<string>;
};

/**
 * A log and its blobs in this process's memory, by the same rules as `sqliteLog` and gone with the process.
 * Records are kept as JSON, so that nothing handed in or out is shared.
 * @example
 * const host = createHost({ log: memoryLog(), model });
 */
export function memoryLog(): Storage {
  const sessions = new Map<string, Held>();
  const claims = new Map<string, SessionOwner>();
  const blobs = new Map<string, Uint8Array>();
  /** Blobs put since a session last named them: somebody is about to. */
  const pending = new Set<string>();
  const changes = createChanges();
  let count = 0;

  const mustBeOpen = (): void => {
    if (changes.isClosed()) throw logClosed();
  };

  const refuseOwned = (session: string): void => {
    const owner = claims.get(session);
    if (owner !== undefined) throw sessionLocked(session, owner);
  };

  async function read(session: string, afterSeq = 0): Promise<DurableEvent[]> {
    mustBeOpen();
    const records = sessions.get(session)?.records.filter((record) => record.lastSeq > afterSeq) ?? [];
    const { events } = decodeWhole(session, records, afterSeq + 1);
    return events.filter((event) => event.seq > afterSeq);
  }

  return {
    async append(session, expectedSeq, events) {
      mustBeOpen();
      const held = sessions.get(session);
      const headSeq = held?.summary.seq ?? 0;
      const record = encodeRecord(session, expectedSeq, events);
      if (headSeq !== expectedSeq) throw conflict(session, expectedSeq, headSeq);
      const last = events.at(-1);
      if (last === undefined) return;
      const digests = digestsIn(record.body);
      const entry = held ?? { records: [], summary: emptySummary(session), number: ++count, digests: new Set() };
      const { change } = traitsOf(events);
      const firstMessage = entry.summary.firstMessage || (change?.firstMessage ?? '');
      entry.records.push(record);
      entry.summary = { ...entry.summary, ...change, firstMessage, seq: record.lastSeq, updatedAt: last.at };
      for (const digest of digests) {
        entry.digests.add(digest);
        pending.delete(digest);
      }
      sessions.set(session, entry);
      changes.notify(session);
    },
    read,
    async list(query = {}) {
      mustBeOpen();
      const found = [...sessions.values()].filter((held) => isWanted(held, query));
      found.sort((a, b) => b.summary.updatedAt - a.summary.updatedAt || b.number - a.number);
      return found
        .slice(0, query.limit ?? 50)
        .map(({ summary }) => ({ ...structuredClone(summary), isLocked: claims.has(summary.session) }));
    },
    async delete(session) {
      mustBeOpen();
      refuseOwned(session);
      const held = sessions.get(session);
      sessions.delete(session);
      for (const digest of held?.digests ?? []) {
        const isNamedElsewhere = [...sessions.values()].some((other) => other.digests.has(digest));
        if (!isNamedElsewhere && !pending.has(digest)) blobs.delete(digest);
      }
    },
    watch: (session, afterSeq, signal) => follow(read, changes, session, afterSeq, signal),
    async claim(session) {
      mustBeOpen();
      refuseOwned(session);
      claims.set(session, { name: `memory-${process.pid}`, pid: process.pid, since: Date.now() });
      let isReleased = false;
      return {
        async release() {
          if (isReleased) return;
          isReleased = true;
          claims.delete(session);
        },
      };
    },
    owner: async (session) => claims.get(session) ?? null,
    damage: (): Damage[] => [],
    async close() {
      changes.close();
    },
    async put(bytes) {
      mustBeOpen();
      const digest = digestOf(bytes);
      if (!blobs.has(digest)) blobs.set(digest, Uint8Array.from(bytes));
      pending.add(digest);
      return digest;
    },
    async get(digest) {
      mustBeOpen();
      const bytes = blobs.get(digest);
      return bytes === undefined ? null : Uint8Array.from(bytes);
    },
  };
}

function emptySummary(session: string): Held['summary'] {
  const times = { createdAt: 0, updatedAt: 0 };
  return {
    session,
    seq: 0,
    ...times,
    cwd: '',
    model: '',
    firstMessage: '',
    forkedFrom: null,
    title: null,
    isArchived: false,
    origin: {},
    metadata: {},
  };
}

function isWanted({ records, summary }: Held, { cwd, search = '', isMain = false, isArchived }: SessionQuery): boolean {
  if (isMain && summary.session.includes('.')) return false;
  if (cwd !== undefined && cwd !== summary.cwd) return false;
  if (isArchived !== undefined && isArchived !== summary.isArchived) return false;
  if (search.trim() === '') return true;
  const wanted = wordsOf(search);
  const { events } = decodeWhole(summary.session, records, 1);
  const said = new Set(events.flatMap((event) => wordsOf(saidIn(event))));
  return wanted.length > 0 && wanted.every((word) => [...said].some((other) => other.startsWith(word)));
}
