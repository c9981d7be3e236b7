/** Logs that behave as logs across a network do, for testing what stands on them. */
import type { Storage } from '@pawl/engine';
import { type DurableEvent, PawlError } from '@pawl/protocol';

/** A log on which everything takes a while, before it happens and after. */
export function slowLog(log: Storage, delay: () => Promise<void>): Storage {
  const slowly = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await delay();
    try {
      return await work();
    } finally {
      await delay();
    }
  };
  return {
    append: (session, expectedSeq, events) => slowly(() => log.append(session, expectedSeq, events)),
    read: (session, afterSeq) => slowly(() => log.read(session, afterSeq)),
    list: (query) => slowly(() => log.list(query)),
    delete: (session) => slowly(() => log.delete(session)),
    async *watch(session, afterSeq, signal) {
      for await (const events of log.watch(session, afterSeq, signal)) {
        await delay();
        if (signal.aborted) return;
        yield events;
      }
    },
    claim: (session) =>
      slowly(async () => {
        const claim = await log.claim(session);
        return { release: () => slowly(() => claim.release()) };
      }),
    damage: () => log.damage(),
    close: () => slowly(() => log.close()),
    put: (bytes) => slowly(() => log.put(bytes)),
    get: (digest) => slowly(() => log.get(digest)),
  };
}

export type FlakyOperation = 'append' | 'read' | 'list' | 'delete' | 'claim' | 'put' | 'get';

/**
 * Decides the fate of the operation number `count` (from 1, over all kinds): `before` fails with nothing done,
 * `after` does it and then loses the answer, null lets it be.
 */
export type FlakyPlan = (operation: FlakyOperation, count: number) => 'before' | 'after' | null;

/** A log that fails now and then with `log_unavailable`, as one does when a network breaks. */
export function flakyLog(log: Storage, plan: FlakyPlan): Storage {
  let count = 0;
  const perhaps = async <Result>(operation: FlakyOperation, work: () => Promise<Result>): Promise<Result> => {
    count++;
    const number = count;
    const fate = plan(operation, number);
    if (fate === 'before') throw lost(operation, number);
    const result = await work();
    if (fate === 'after') throw lost(operation, number);
    return result;
  };
  return {
    append: (session, expectedSeq, events) => perhaps('append', () => log.append(session, expectedSeq, events)),
    read: (session, afterSeq) => perhaps('read', () => log.read(session, afterSeq)),
    list: (query) => perhaps('list', () => log.list(query)),
    delete: (session) => perhaps('delete', () => log.delete(session)),
    watch: (session, afterSeq, signal) => log.watch(session, afterSeq, signal),
    claim: (session) => perhaps('claim', () => log.claim(session)),
    damage: () => log.damage(),
    close: () => log.close(),
    put: (bytes) => perhaps('put', () => log.put(bytes)),
    get: (digest) => perhaps('get', () => log.get(digest)),
  };
}

const lost = (operation: FlakyOperation, count: number): PawlError =>
  new PawlError('log_unavailable', `The log did not answer (operation ${count}, ${operation}). Try again.`);

/**
 * A log to which another driver also writes: where `wins` says so, it opens the session just before an append,
 * which then meets a conflict.
 */
export function rivalLog(log: Storage, wins: (session: string, expectedSeq: number) => boolean): Storage {
  return {
    ...log,
    async append(session, expectedSeq, events) {
      if (wins(session, expectedSeq))
        await log.append(session, expectedSeq, [rivalOpens(session, expectedSeq, events)]);
      await log.append(session, expectedSeq, events);
    },
  };
}

function rivalOpens(session: string, expectedSeq: number, events: readonly DurableEvent[]): DurableEvent {
  return {
    seq: expectedSeq + 1,
    at: events[0]?.at ?? 0,
    session,
    type: 'session.opened',
    data: { driver: 'rival' },
    by: { kind: 'engine', id: 'rival' },
  };
}
