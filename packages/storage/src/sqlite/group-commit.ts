/** Appends of different sessions at about the same time share one commit, which is the expensive part. */

/** How long the first append waits for others, ms: little beside a call of a model, and enough for a dozen sessions. */
const gatherMs = 1;

type Waiting<Item> = { item: Item; resolve(): void; reject(error: unknown): void };

export type GroupCommit<Item> = {
  /**
   * Writes `item`: at once as long as only this session writes in a turn of the event loop, so that one alone never
   * waits; else with those of the other sessions, a millisecond later. Settles when it is committed, or could not be.
   */
  write(session: string, item: Item): Promise<void>;
  /** Commits what waits now. */
  flush(): void;
};

/** `commit` writes items in one transaction, and gives for each null or why it alone was refused. */
export function createGroupCommit<Item>(commit: (items: readonly Item[]) => unknown[]): GroupCommit<Item> {
  /** The one session that has written in this turn. */
  let alone: string | null = null;
  let waiting: Waiting<Item>[] = [];

  function commitOne(item: Item): void {
    const [refusal] = commit([item]);
    if (refusal !== null) throw refusal;
  }

  function flush(): void {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    let refusals: unknown[];
    try {
      refusals = commit(batch.map(({ item }) => item));
    } catch {
      // Nothing of it is written. Each for itself, so that a full disk fails only whom it must.
      refusals = batch.map(({ item }) => attempt(() => commitOne(item)));
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      if (refusals[index] === null) resolve();
      else reject(refusals[index]);
    }
  }

  return {
    async write(session, item) {
      if (waiting.length > 0 || (alone !== null && alone !== session)) {
        if (waiting.length === 0) setTimeout(flush, gatherMs);
        await new Promise<void>((resolve, reject) => waiting.push({ item, resolve, reject }));
        return;
      }
      if (alone === null) {
        setImmediate(() => {
          alone = null;
        });
      }
      alone = session;
      commitOne(item);
    },
    flush,
  };
}

/** Null, or what `work` threw. */
export function attempt(work: () => void): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}
