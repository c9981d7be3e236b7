/** What the events of its own work change in a session that is somebody's task. */
import type { Allotment, Assignment, DurableEvent, EventData, Usage } from '@pawl/protocol';
import type { State } from '../state.ts';
import { noUsage } from '../state.ts';

/** The work that a session was given by its owner. */
export type Assigned = Assignment & {
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

type AssignmentEvent = Extract<DurableEvent, { type: 'task.assigned' | 'task.nudged' | 'task.finished' }>;

/** The id of the effect that rings when the time of the whole task is up. */
export const assignmentTimer = ({ instance }: Pick<Assigned, 'instance'>) => `timer:assignment:${instance}`;
/** The id of the effect that rings when the task has rested for too long. */
export const idleTimer = ({ instance }: Pick<Assigned, 'instance'>, turns: number) => `timer:idle:${instance}:${turns}`;

export function assignedTo(assignment: Assignment): Assigned {
  return {
    ...structuredClone(assignment),
    instance: 0,
    allotment: null,
    isBackground: false,
    idleMs: 1,
    startedAt: 0,
    restedAt: 0,
    steps: 0,
    before: { seq: 0, usage: noUsage, costUsd: 0, turns: 0 },
    isNudged: false,
    isIdleOver: false,
    isOverTime: false,
    unattendedDenials: 0,
    finished: null,
  };
}

export function evolveAssignment(state: State, event: AssignmentEvent): void {
  const { assignment } = state;
  if (assignment === null) return;
  switch (event.type) {
    case 'task.assigned': {
      begin(state, assignment, event);
      Object.assign(assignment, event.data);
      break;
    }
    case 'task.nudged':
      assignment.isNudged = true;
      break;
    case 'task.finished': {
      const { instance, ...finished } = event.data;
      if (instance > assignment.instance) begin(state, assignment, event);
      assignment.instance = Math.max(assignment.instance, instance);
      if (instance === assignment.instance) assignment.finished ??= finished;
      break;
    }
    default:
      event satisfies never;
  }
}

function begin({ usage, costUsd, turns }: State, assignment: Assigned, { seq, at }: DurableEvent): void {
  const before = { seq, usage, costUsd, turns };
  const rest = { isNudged: false, isIdleOver: false, isOverTime: false, finished: null };
  Object.assign(assignment, { startedAt: at, restedAt: at, steps: 0, unattendedDenials: 0, before, ...rest });
}

export function fireAssignmentTimer({ assignment, turn, turns }: State, timer: string): void {
  if (assignment === null) return;
  if (timer === assignmentTimer(assignment)) {
    assignment.isOverTime = true;
    if (turn !== null) turn.isOverTime = true;
  }
  if (timer === idleTimer(assignment, turns)) assignment.isIdleOver = true;
}
