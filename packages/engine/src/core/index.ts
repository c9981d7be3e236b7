/** The engine: four pure functions over a log. No I/O, no clock, no randomness; imports nothing of node. */

export { answerProblem } from './answers.ts';
export { canonicalJson, isLooping } from './calls.ts';
export type { Decision, Fingerprinted } from './decide.ts';
export { decide, limitsRefusal } from './decide.ts';
export type { Effect } from './due.ts';
export { due } from './due.ts';
export { evolve } from './evolve.ts';
export type { Assigned } from './fold/assignment.ts';
export { findCall } from './fold/call.ts';
export { ownerId } from './fold/task.ts';
export type { Declared, Outcome } from './outcomes.ts';
export { callId } from './outcomes.ts';
export { flowProblem } from './settle/flows.ts';
export { settle } from './settle/index.ts';
export type { Call, HistoryMessage, QueuedInput, Settings, State, Turn } from './state.ts';
export { defaultLimits, initialState, noUsage } from './state.ts';
export type { Letter, Task } from './tasks.ts';
export { answerRoom, findTask, openTasks, spentOnTask, taskReport, taskSettingsOf, taskView } from './tasks.ts';
export { addCost, addUsage, totalInputTokens, totalTokens, windowTokens } from './usage.ts';
