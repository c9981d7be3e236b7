/** What the owner of a task reads from the state of the task's session. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import type { State, Task } from '../core/index.ts';
import { noUsage, openTasks, spentOnTask } from '../core/index.ts';
import { fileChangesOf } from '../readers/changes.ts';

export type TaskEnding = Omit<EventData['task.ended'], 'task'>;

/** How a task ended, without the changed files, which are read from its log after `afterSeq`. */
export type TaskAccount = Omit<TaskEnding, 'filesChanged'> & { afterSeq: number };

/** Whether the task has ended and nothing of it runs any more. Its mail must be delivered too, because that needs its driver. */
export function isSessionAtRest(state: Readonly<State>, instance: number): boolean {
  const { assignment, turn, mail } = state;
  if (assignment === null || assignment.instance < instance) return false;
  return assignment.finished !== null && turn === null && openTasks(state).length === 0 && mail.outbox.length === 0;
}

export function taskProgress(state: Readonly<State>): {
  status: NonNullable<EventData['task.changed']['status']>;
  /** Whether events are expected, because it waits for nobody. */
  isWorking: boolean;
} {
  const { turn } = state;
  const isDelegating = openTasks(state).length > 0 && turn?.phase !== 'model';
  if (isDelegating) return { status: 'waiting_on_task', isWorking: false };
  if (turn === null) return { status: 'idle', isWorking: false };
  const isAsking = turn.calls.some((call) => call.approval !== null || call.status === 'questioned');
  return { status: 'running', isWorking: !isAsking && turn.phase !== 'review' && !state.isPaused };
}

export function accountOf(state: Readonly<State>): TaskAccount {
  const { assignment } = state;
  const { usage, costUsd } = spentOnTask(state);
  const { outcome, message, envelope } = assignment?.finished ?? notFinished;
  return {
    instance: assignment?.instance ?? 1,
    outcome,
    message,
    envelope,
    steps: assignment?.steps ?? 0,
    usage,
    costUsd,
    unattendedDenials: assignment?.unattendedDenials ?? 0,
    afterSeq: assignment?.before.seq ?? 0,
  };
}

const notFinished = { outcome: 'failed', message: 'It has not ended.', envelope: null } as const;

/** Files that a task changed, itself or by tasks of its own, sorted. */
export function filesChangedIn(events: readonly DurableEvent[], afterSeq: number): string[] {
  const own = fileChangesOf(events, { afterSeq }).changes.map(({ path }) => path);
  const below = events.flatMap(({ seq, type, data }) =>
    type === 'task.ended' && seq > afterSeq ? data.filesChanged : [],
  );
  return [...new Set([...own, ...below])].sort((one, other) => (one < other ? -1 : 1));
}

/** The ending of a task whose session cannot be reached. */
export function unreachableEnding({ instance }: Pick<Task, 'instance'>, message: string): TaskEnding {
  return {
    instance,
    outcome: 'failed',
    message,
    envelope: null,
    steps: 0,
    usage: noUsage,
    costUsd: 0,
    filesChanged: [],
    unattendedDenials: 0,
  };
}
