/** What follows for the tasks of a session: which are cancelled, which start, and which ends are reported to the model. */
import type { EventBody, TaskOutcome } from '@pawl/protocol';
import { settleFlows } from '../flows/settle.ts';
import { noUsage } from '../spending/usage.ts';
import type { State, Turn } from '../state.ts';
import { isOutOfTime, isStopping, stopEnding } from '../turn/ending.ts';
import type { Task } from './state.ts';
import {
  allotmentFor,
  joinedTasks,
  openTasks,
  stoppedOutcome,
  taskReport,
  taskSettingsOf,
  tasksOfTurn,
} from './tasks.ts';

/** In a turn and between turns alike. */
export function settleTasks(state: State): EventBody[] {
  const following = settleFlows(state);
  if (following.length > 0 || state.tasks.length === 0) return following;
  const cancelled = openTasks(state).flatMap((task) => cancelTask(state, task));
  return cancelled.length > 0 ? cancelled : startNextTask(state);
}

function cancelTask(state: State, task: Task): EventBody[] {
  const { turn, assignment } = state;
  if (task.cancel !== null) return [];
  const cancelled = (reason: string): EventBody[] => [{ type: 'task.cancelled', data: { task: task.id, reason } }];
  const outOfTime = (reason: string): EventBody[] => [
    { type: 'task.cancelled', data: { task: task.id, reason, isOutOfTime: true } },
  ];
  if (task.isOverdue) return outOfTime('It did not end in its time.');
  if (task.isInterrupted && taskSettingsOf(state.settings).resume === 'cancel') {
    return cancelled('The process that saw to it was gone, and by the settings it does not go on after that.');
  }
  if (turn !== null && isStopping(turn) && tasksOfTurn(state, turn).includes(task)) {
    if (isOutOfTime(turn)) return outOfTime(`Turn ${turn.number}, which it worked for, ran out of time.`);
    return cancelled(`Turn ${turn.number} was stopped. ${stopEnding(turn).message}`);
  }
  if (assignment !== null && assignment.finished !== null) {
    const reason = `The task that it is part of has ended. ${assignment.finished.message}`;
    return assignment.finished.outcome === 'out_of_time' ? outOfTime(reason) : cancelled(reason);
  }
  return [];
}

/** Starts the first task that may start, one at a time, because its allotment is not available to the next. */
function startNextTask(state: State): EventBody[] {
  const working = state.tasks.filter(({ phase }) => phase === 'live').length;
  for (const task of state.tasks) {
    if (task.phase !== 'queued') continue;
    if (task.cancel !== null) return [endWithoutStart(task, stoppedOutcome(task.cancel), task.cancel.reason)];
    if (working >= taskSettingsOf(state.settings).live) return [];
    const allotment = allotmentFor(state, task);
    if (allotment !== null) {
      return [{ type: 'task.started', data: { task: task.id, instance: task.instance, allotment } }];
    }
    // Running tasks may give back what they do not use.
    if (working > 0) return [];
    return [endWithoutStart(task, 'failed', 'Nothing is left of the budget that it could have spent.')];
  }
  return [];
}

function endWithoutStart({ id, instance }: Task, outcome: TaskOutcome, message: string): EventBody {
  const nothing = { envelope: null, steps: 0, usage: noUsage, costUsd: 0, filesChanged: [], unattendedDenials: 0 };
  return { type: 'task.ended', data: { task: id, instance, outcome, message, ...nothing } };
}

/** Messages that tell the model about tasks that have ended. */
export function reportEndedTasks(state: State, source: 'engine' | 'context'): EventBody[] {
  return state.tasks
    .filter(({ phase, isReported }) => phase === 'ended' && !isReported)
    .map((task) => ({
      type: 'message.added',
      data: { message: { role: 'user', content: [{ type: 'text', text: taskReport(task) }], source, task: task.id } },
    }));
}

/** Whether a turn that is about to end has to wait for its tasks. */
export function isAwaitingTasks(state: State, turn: Turn): boolean {
  return (isStopping(turn) ? tasksOfTurn(state, turn) : joinedTasks(state)).length > 0;
}
