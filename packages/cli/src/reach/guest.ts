/** A session that another process drives, followed from here to the end of its driving. */
import { createHost, type Storage } from '@pawl/engine';
import type { Client, Cursor, PawlEvent, SessionClient } from '@pawl/protocol';
import { noModel } from '../sessions/no-model.ts';
import { isGone } from './owner.ts';

/** What is in the log, for whom it does not matter who drives. */
export const readerOf = (log: Storage) => createHost({ log, model: noModel });

/**
 * The session as its driver shows it; when that is gone, the rest of what it wrote, and the session as it is in the log.
 * The events end then.
 */
export function asGuest(remote: SessionClient, log: Storage): SessionClient {
  return {
    ...remote,
    events: (from, signal) => untilGone(remote.events(from, signal), log, { session: remote.id, from, signal }),
    view: () => remote.view().catch(() => readerOf(log).view(remote.id)),
  };
}

async function* untilGone(
  events: AsyncIterable<PawlEvent>,
  log: Storage,
  { session, from, signal }: { session: string; from: Cursor | undefined; signal: AbortSignal | undefined },
): AsyncGenerator<PawlEvent, undefined> {
  let seq = from?.seq ?? 0;
  try {
    for await (const event of events) {
      if ('seq' in event) seq = event.seq;
      yield event;
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  if (signal?.aborted !== true) yield* await log.read(session, seq);
}

/** The tasks of a guest's session, from the log; answers go to who drives them. */
export function guestClient(remote: Client, log: Storage): Client {
  const reader = readerOf(log);
  return {
    ...remote,
    open: (session) => remote.open(session),
    view: (session) => reader.view(session),
    read: (session, afterSeq) => reader.read(session, afterSeq),
    watch: (session, afterSeq, signal) => reader.watch(session, afterSeq, signal),
  };
}
