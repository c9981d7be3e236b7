/** Follows the tasks of a run, and theirs, as events of their own: before the event that tells of a task's end, all of its own have been given. */
import type { Client, DurableEvent, SessionView } from '@pawl/protocol';

/** Whose event it is: `builder-1`, `builder-1.tester-2`. */
export type OfTask = (event: DurableEvent, name: string) => void | Promise<void>;

export type Tree = {
  /** Told every event of the run's own session before anybody else is. */
  event(event: DurableEvent): Promise<void>;
  close(): void;
};

type Branch = { session: string; seq: number; watching: AbortController; told: Promise<void> };

/**
 * `view` is the session as the run begins: what its tasks did before was shown when it happened, and what they ask
 * still is told by `found`.
 */
export async function followTree(
  client: Pick<Client, 'watch' | 'read' | 'view'>,
  view: SessionView,
  { tell, found }: { tell: OfTask; found(view: SessionView, name: string): Promise<void> },
): Promise<Tree> {
  const branches = new Map<string, Branch>();
  const root = view.session;

  const give = async (branch: Branch, event: DurableEvent) => {
    if (event.seq <= branch.seq) return;
    branch.seq = event.seq;
    await follow(event, branch.session);
    await tell(event, branch.session.slice(root.length + 1));
  };

  const begin = (session: string, afterSeq: number): Branch => {
    const known = branches.get(session);
    if (known !== undefined && !known.watching.signal.aborted) return known;
    const branch: Branch = {
      session,
      seq: known?.seq ?? afterSeq,
      watching: new AbortController(),
      told: Promise.resolve(),
    };
    branches.set(session, branch);
    branch.told = (async () => {
      for await (const event of client.watch(session, branch.seq, branch.watching.signal)) await give(branch, event);
    })();
    // A log that cannot be watched is read when the task has ended.
    branch.told.catch(() => undefined);
    return branch;
  };

  const end = async (session: string) => {
    const branch = begin(session, 0);
    branch.watching.abort();
    await branch.told.catch(() => undefined);
    for (const event of await client.read(session, branch.seq)) await give(branch, event);
  };

  const follow = async ({ type, data }: DurableEvent, owner: string): Promise<void> => {
    // The first that is heard of a task comes when its session is there.
    if (type === 'task.changed') begin(`${owner}.${data.task}`, 0);
    if (type === 'task.ended') await end(`${owner}.${data.task}`);
  };

  const resume = async (from: SessionView): Promise<void> => {
    for (const { session, status } of from.tasks) {
      if (isOver(status)) continue;
      const below = await client.view(session).catch(() => null);
      if (below === null) continue;
      begin(session, below.seq);
      await found(below, session.slice(root.length + 1));
      await resume(below);
    }
  };
  await resume(view);

  return {
    event: (event) => follow(event, root),
    close() {
      for (const { watching } of branches.values()) watching.abort();
    },
  };
}

const over = new Set(['completed', 'failed', 'cancelled', 'waiting_on_owner']);
const isOver = (status: SessionView['tasks'][number]['status']) => over.has(status);

/** Whether some task of a session is not done. */
export const hasOpenTasks = ({ tasks }: Pick<SessionView, 'tasks'>): boolean =>
  tasks.some(({ status }) => !isOver(status));
