/** Watching a session: one loop for every log. */
import type { DurableEvent } from '@pawl/protocol';

/** Wakes those who watch a session when it may have grown, and all of them when the log closes. */
export type Changes = {
  /** Calls `wake` after every append to the session, and perhaps more often. Returns how to stop. */
  subscribe(session: string, wake: () => void): () => void;
  notify(session: string): void;
  notifyAll(): void;
  isClosed(): boolean;
  /** Ends every watch. */
  close(): void;
};

export function createChanges(): Changes {
  const wakers = new Map<string, Set<() => void>>();
  let isClosed = false;
  const wakeAll = (): void => {
    for (const session of [...wakers.values()]) for (const wake of [...session]) wake();
  };
  return {
    subscribe(session, wake) {
      const own = wakers.get(session) ?? new Set();
      wakers.set(session, own.add(wake));
      return () => {
        own.delete(wake);
        if (own.size === 0 && wakers.get(session) === own) wakers.delete(session);
      };
    },
    notify(session) {
      const own = wakers.get(session);
      if (own !== undefined) for (const wake of [...own]) wake();
    },
    notifyAll: wakeAll,
    isClosed: () => isClosed,
    close() {
      isClosed = true;
      wakeAll();
    },
  };
}

/**
 * Events after `afterSeq` as the session grows, until the signal aborts or the log closes. It holds a position
 * and no queue: a slow consumer costs no memory, reads the log again from where it stands, and misses nothing.
 */
export async function* follow(
  read: (session: string, afterSeq: number) => Promise<DurableEvent[]>,
  changes: Changes,
  session: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<DurableEvent[], void, void> {
  let position = afterSeq;
  let mayHaveGrown = true;
  let resume = (): void => {};
  const wake = (): void => {
    mayHaveGrown = true;
    resume();
  };
  const isOver = (): boolean => signal.aborted || changes.isClosed();
  const unsubscribe = changes.subscribe(session, wake);
  signal.addEventListener('abort', wake);
  try {
    while (!isOver()) {
      if (mayHaveGrown) {
        mayHaveGrown = false;
        const events = await read(session, position);
        const last = events.at(-1);
        if (isOver()) return;
        if (last !== undefined) {
          position = last.seq;
          yield events;
        }
        continue;
      }
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', wake);
  }
}
