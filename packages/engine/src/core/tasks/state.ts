import type { Actor, Allotment, EventData, TaskEnvelope, TaskOutcome, TaskStatus, Usage } from '@pawl/protocol';

/** What goes to a task's session: a command of its own, accepted once by its id, and until it is delivered owed. */
export type ChildCommand = {
  id: string;
  by: Pick<Actor, 'kind' | 'id'>;
  body:
    | { type: 'input.send'; data: { text: string; delivery: 'queue' | 'steer' | 'interrupt' } }
    | { type: 'rule.add' | 'rule.remove'; data: EventData['rule.added'] }
    | { type: 'session.configure'; data: Pick<EventData['session.configured'], 'mode' | 'isAttended'> };
};

export type Task = Omit<EventData['task.requested'], 'task' | 'call'> & {
  id: string;
  /** The calls that wait for it, or asked for it in the background. */
  calls: string[];
  /** The turn in which it was asked for; 0 between turns. */
  turn: number;
  /** `queued` waits for its turn, `live` may spend its allotment. */
  phase: 'queued' | 'live' | 'ended';
  status: TaskStatus;
  instance: number;
  /** What this instance is to do. */
  order: string;
  allotment: Allotment | null;
  startedAt: number;
  isStalled: boolean;
  /** Its session has taken up this instance. */
  isBegun: boolean;
  /** Its session is known to be there. */
  hasSession: boolean;
  isOverdue: boolean;
  /** The driver that saw to it is gone. */
  isInterrupted: boolean;
  cancel: { reason: string } | null;
  /** What has not been delivered. */
  pendingCommands: ChildCommand[];
  /** Messages that it did not get before it ended. */
  unread: string[];
  /** Whether the model has been told of the end. */
  isReported: boolean;
  /** It is of the session that this one was forked from. */
  isForeign: boolean;
  outcome: TaskOutcome | null;
  message: string | null;
  envelope: TaskEnvelope | null;
  /** Of all instances. */
  usage: Usage;
  costUsd: number | null;
  filesChanged: readonly string[];
  /** How each instance came to be and ended. */
  history: { instance: number; reason: string; outcome: TaskOutcome | null; message: string | null }[];
};

/** Work that was delegated, in the order in which it was asked for. */
export type TasksState = { tasks: Task[] };

export const initialTasks = (): TasksState => ({ tasks: [] });
