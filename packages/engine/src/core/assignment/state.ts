import type { Allotment, Assignment, EventData, Usage } from '@pawl/protocol';

/** The work that a session was given by its owner. */
export type AssignedWork = Assignment & {
  /** 0 before there is any. */
  instance: number;
  allotment: Allotment | null;
  /** Its owner goes on meanwhile. */
  isBackground: boolean;
  idleMs: number;
  startedAt: number;
  /** When its last turn ended. */
  restedAt: number;
  /** Model calls of this instance. */
  steps: number;
  /** What there was before this instance began. */
  before: { seq: number; usage: Usage; costUsd: number | null; turns: number };
  isNudged: boolean;
  isIdleOver: boolean;
  isOverTime: boolean;
  unattendedDenials: number;
  finished: Omit<EventData['task.finished'], 'instance'> | null;
};

/** Whose task this session is; null for a main session. */
export type AssignmentState = { assignment: AssignedWork | null };

export const initialAssignment = (): AssignmentState => ({ assignment: null });
