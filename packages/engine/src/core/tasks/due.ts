/** Effects for the tasks of a session, and timers of the session's own assignment; in a turn and between turns. */

import { assignmentTimer, idleTimer } from '../assignment/evolve.ts';
import type { Effect } from '../effect.ts';
import type { State } from '../state.ts';
import { deadlineTimer } from './evolve.ts';
import type { Task } from './state.ts';
import { openTasks } from './tasks.ts';

/** A task ends itself when its time is up; the owner cancels it only after this much longer, ms. */
const graceMs = 60_000;

export function owedToTasks(state: State): Effect[] {
  const { tasks, assignment } = state;
  if (tasks.length === 0 && assignment === null) return [];
  const effects = tasks.filter(({ phase }) => phase === 'live').flatMap(owedToTask);
  if (assignment === null || assignment.instance === 0 || assignment.finished !== null) return effects;
  const { allotment, startedAt, isOverTime, isBackground, isNudged, isIdleOver, restedAt, idleMs } = assignment;
  if (allotment !== null && allotment.durationMs !== null && !isOverTime) {
    effects.push({ kind: 'timer', id: assignmentTimer(assignment), at: startedAt + allotment.durationMs });
  }
  const isResting = state.turn === null && state.turns > assignment.before.turns && openTasks(state).length === 0;
  if (isResting && isBackground && !isNudged && !isIdleOver) {
    effects.push({ kind: 'timer', id: idleTimer(assignment, state.turns), at: restedAt + idleMs });
  }
  return effects;
}

function owedToTask(task: Task): Effect[] {
  const { id, instance, cancel, pendingCommands, allotment, startedAt, isOverdue, isBegun } = task;
  const mode = cancel === null ? 'run' : 'stop';
  const effects: Effect[] = [{ kind: 'task', id: `task:${id}:${instance}`, task: id, mode }];
  const [command] = pendingCommands;
  if (cancel === null && isBegun && command !== undefined) {
    effects.push({ kind: 'forward', id: `forward:${id}:${command.id}`, task: id, command: command.id });
  }
  if (allotment !== null && allotment.durationMs !== null && !isOverdue) {
    effects.push({ kind: 'timer', id: deadlineTimer(task), at: startedAt + allotment.durationMs + graceMs });
  }
  return effects;
}
