/** Follows the tasks of a run, and their tasks. All events of a task are given before the event that says it has ended. */
import type { Client, DurableEvent, SessionView } from '@pawl/protocol';
import { isTaskAtRest } from '@pawl/protocol';

/** An event of a task, and the task's name: `builder-1`, `builder-1.tester-2`. */
type TaskEventHandler = (event: DurableEvent, name: string) => void | Promise<void>;

export type TaskTree = {
  /** To be called with every event of the run's own session, before it is shown. */
  event(event: DurableEvent): Promise<void>;
  close(): void;
};

type TreeOptions = {
  onEvent: TaskEventHandler;
  /** Called with each task that is open as the run begins: what it did before was shown when it happened. */
  onOpenTask(view: SessionView, name: string): Promise<void>;
};

type Tree = TreeOptions & {
  client: Pick<Client, 'watch' | 'read' | 'view'>;
  root: string;
  tasks: Map<string, FollowedTask>;
};

/** `seq` is the last event that was given; `watched` resolves when watching has ended. */
type FollowedTask = { session: string; seq: number; watching: AbortController; watched: Promise<void> };

/** `view` is the session as the run begins. */
export async function followTree(client: Tree['client'], view: SessionView, options: TreeOptions): Promise<TaskTree> {
  const tree: Tree = { ...options, client, root: view.session, tasks: new Map() };
  await followOpenTasks(tree, view);
  return {
    event: (event) => followTasksIn(tree, event, tree.root),
    close() {
      for (const { watching } of tree.tasks.values()) watching.abort();
    },
  };
}

const nameOf = ({ root }: Tree, session: string) => session.slice(root.length + 1);

async function followOpenTasks(tree: Tree, owner: SessionView): Promise<void> {
  for (const { session, status } of owner.tasks) {
    if (isTaskAtRest(status)) continue;
    const view = await tree.client.view(session).catch(() => null);
    if (view === null) continue;
    follow(tree, session, view.seq);
    await tree.onOpenTask(view, nameOf(tree, session));
    await followOpenTasks(tree, view);
  }
}

/** Begins or ends to follow a task that an event of its owner speaks of. */
async function followTasksIn(tree: Tree, { type, data }: DurableEvent, owner: string): Promise<void> {
  // The first `task.changed` of a task comes when its session exists.
  if (type === 'task.changed') follow(tree, `${owner}.${data.task}`, 0);
  if (type === 'task.ended') await finish(tree, `${owner}.${data.task}`);
}

function follow(tree: Tree, session: string, afterSeq: number): FollowedTask {
  const before = tree.tasks.get(session);
  if (before !== undefined && !before.watching.signal.aborted) return before;
  const task: FollowedTask = {
    session,
    seq: before?.seq ?? afterSeq,
    watching: new AbortController(),
    watched: Promise.resolve(),
  };
  tree.tasks.set(session, task);
  task.watched = watch(tree, task);
  // A log that cannot be watched is read when the task has ended.
  task.watched.catch(() => undefined);
  return task;
}

async function watch(tree: Tree, task: FollowedTask): Promise<void> {
  const events = tree.client.watch(task.session, task.seq, task.watching.signal);
  for await (const event of events) await give(tree, task, event);
}

/** Stops watching, and gives what was not seen yet. */
async function finish(tree: Tree, session: string): Promise<void> {
  const task = follow(tree, session, 0);
  task.watching.abort();
  await task.watched.catch(() => undefined);
  for (const event of await tree.client.read(session, task.seq)) await give(tree, task, event);
}

async function give(tree: Tree, task: FollowedTask, event: DurableEvent): Promise<void> {
  if (event.seq <= task.seq) return;
  task.seq = event.seq;
  await followTasksIn(tree, event, task.session);
  await tree.onEvent(event, nameOf(tree, task.session));
}

/** Whether some task of a session is not done. */
export const hasOpenTasks = ({ tasks }: Pick<SessionView, 'tasks'>): boolean =>
  tasks.some(({ status }) => !isTaskAtRest(status));
