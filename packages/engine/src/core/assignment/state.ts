import type { Allotment, Assignment, EventData, Usage } from '@pawl/protocol';

/** The work that a task's session was given by its owner. */
export type AssignedWork = Assignment & {
  /** Counts the assignments of this session; 0 before the first. */
  instance: number;
  allotment: Allotment | null;
  /** Its owner does not wait for it. */
  isBackground: boolean;
  idleMs: number;
  startedAt: number;
  /** When its last turn ended. */
  restedAt: number;
  /** Model calls of this instance. */
  steps: number;
  /** The totals of the session when this instance began. */
  before: { seq: number; usage: Usage; costUsd: number | null; turns: number };
  isNudged: boolean;
  isIdleOver: boolean;
  isOverTime: boolean;
  unattendedDenials: number;
  finished: Omit<EventData['task.finished'], 'instance'> | null;
};

/** The assignment of a session that is a task; null for a main session. */
export type AssignmentState = { assignment: AssignedWork | null };

export const initialAssignment = (): AssignmentState => ({ assignment: null });
