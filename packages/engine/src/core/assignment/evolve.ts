/** The session's own assignment, in a session that is a task of another one. */
import type { Assignment, DurableEvent } from '@pawl/protocol';
import { noUsage } from '../spending/usage.ts';
import type { State } from '../state.ts';
import type { AssignedWork } from './state.ts';

/** The id of the timer that fires when the time of the whole task is up. */
export const assignmentTimer = ({ instance }: Pick<AssignedWork, 'instance'>) => `timer:assignment:${instance}`;
/** The id of the timer that fires when the task has been idle for too long. */
export const idleTimer = ({ instance }: Pick<AssignedWork, 'instance'>, turns: number) =>
  `timer:idle:${instance}:${turns}`;

export function evolveAssignment(state: State, event: DurableEvent): void {
  if (event.type === 'session.created') {
    const { assignment } = event.data;
    state.assignment = assignment === undefined ? null : newAssignment(assignment);
  }
  if (event.type === 'session.forked') state.assignment = null;
  const { assignment } = state;
  if (assignment === null) return;
  switch (event.type) {
    case 'task.assigned':
      beginInstance(state, assignment, event);
      Object.assign(assignment, event.data);
      break;
    case 'task.nudged':
      assignment.isNudged = true;
      break;
    case 'task.finished': {
      const { instance, ...finished } = event.data;
      if (instance > assignment.instance) beginInstance(state, assignment, event);
      assignment.instance = Math.max(assignment.instance, instance);
      if (instance === assignment.instance) assignment.finished ??= finished;
      break;
    }
    case 'input.queued':
      // New input, so the task may be nudged again.
      assignment.isNudged = false;
      assignment.isIdleOver = false;
      break;
    case 'step.started':
      assignment.steps += 1;
      break;
    case 'timer.fired':
      if (event.data.timer === assignmentTimer(assignment)) assignment.isOverTime = true;
      if (event.data.timer === idleTimer(assignment, state.turns)) assignment.isIdleOver = true;
      break;
    case 'turn.ended':
      assignment.restedAt = event.at;
      assignment.unattendedDenials += event.data.unattendedDenials;
      break;
  }
}

function newAssignment(assignment: Assignment): AssignedWork {
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

function beginInstance({ usage, costUsd, turns }: State, assignment: AssignedWork, { seq, at }: DurableEvent): void {
  const before = { seq, usage, costUsd, turns };
  const rest = { isNudged: false, isIdleOver: false, isOverTime: false, finished: null };
  Object.assign(assignment, { startedAt: at, restedAt: at, steps: 0, unattendedDenials: 0, before, ...rest });
}
