/** Where tasks stand, in few words: the one place from which others tell who is still at work. */
import type { TaskStatus } from './types.ts';

/** Exhaustive by its type, so that no status is forgotten. */
const phases = {
  queued: 'waiting',
  running: 'working',
  waiting_on_owner: 'resting',
  waiting_on_task: 'working',
  idle: 'working',
  completed: 'ended',
  failed: 'ended',
  cancelled: 'ended',
  out_of_time: 'ended',
} as const satisfies { [Status in TaskStatus]: string };

/** It has given what it has to give. */
export const isTaskEnded = (status: TaskStatus): boolean => phases[status] === 'ended';

/** It has ended, or goes on only when its owner has answered it. */
export const isTaskAtRest = (status: TaskStatus): boolean => isTaskEnded(status) || phases[status] === 'resting';
