import type { Actor, Allotment, EventData, TaskEnvelope, TaskOutcome, TaskStatus, Usage } from '@pawl/protocol';

/** A command for a task's session. It is owed until it is delivered, and accepted once by its id. */
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
  /** The calls that requested it. */
  calls: string[];
  /** The turn in which it was requested; 0 between turns. */
  turn: number;
  /** `queued` waits to start, `live` may spend its allotment. */
  phase: 'queued' | 'live' | 'ended';
  status: TaskStatus;
  instance: number;
  /** What this instance is to do. */
  order: string;
  allotment: Allotment | null;
  startedAt: number;
  isStalled: boolean;
  /** Its session works at this instance. */
  isBegun: boolean;
  /** Its session exists. */
  hasSession: boolean;
  isOverdue: boolean;
  /** The process that drove it is gone. */
  isInterrupted: boolean;
  cancel: { reason: string; isOutOfTime: boolean } | null;
  /** Commands for its session that were not delivered yet. */
  pendingCommands: ChildCommand[];
  /** Messages that it had not received when it ended. */
  unread: string[];
  /** Whether the model was told about the end. */
  isReported: boolean;
  /** It belongs to the session that this one was forked from. */
  isForeign: boolean;
  outcome: TaskOutcome | null;
  message: string | null;
  envelope: TaskEnvelope | null;
  /** Of all instances. */
  usage: Usage;
  costUsd: number | null;
  filesChanged: readonly string[];
  /** Why each instance was started, and how it ended. */
  history: { instance: number; reason: string; outcome: TaskOutcome | null; message: string | null }[];
};

/** Delegated work, in the order of the requests. */
export type TasksState = { tasks: Task[] };

export const initialTasks = (): TasksState => ({ tasks: [] });
