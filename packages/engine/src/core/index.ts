/** The engine: four pure functions over a log. No I/O, no clock, no randomness; imports nothing of node. */

export { isWidening, mayCall, modeWith, stricterMode } from './agents/profile.ts';
export type { Assigned } from './assignment/evolve.ts';
export { canonicalJson, isLooping } from './calls/conflicts.ts';
export { findCall } from './calls/evolve.ts';
export {
  defaultCompaction,
  tokensOfMessage,
  tokensOfMessages,
  tokensOfText,
  usableTokens,
} from './compaction/window.ts';
export type { Decision, Fingerprinted } from './decide.ts';
export { decide, limitsRefusal } from './decide.ts';
export type { Effect } from './due.ts';
export { due } from './due.ts';
export { evolve } from './evolve.ts';
export { flowProblem } from './flows/settle.ts';
export type { Outgoing } from './mail/decide.ts';
export { letterProblem } from './mail/decide.ts';
export type { Checked, Declared, Outcome } from './outcomes.ts';
export { callId } from './outcomes.ts';
export { shortened } from './pins/pins.ts';
export { answerProblem } from './questions/decide.ts';
export { originOf } from './session/origin.ts';
export { settle } from './settle.ts';
export { budgetReached } from './spending/limits.ts';
export {
  addCost,
  addUsage,
  charactersPerToken,
  totalInputTokens,
  totalTokens,
  windowTokens,
} from './spending/usage.ts';
export type { Call, HistoryMessage, Mailbox, QueuedInput, Settings, State, Turn } from './state.ts';
export { defaultLimits, initialState, noUsage } from './state.ts';
export { isFullGathering } from './surroundings/settle.ts';
export { ownerId } from './tasks/evolve.ts';
export type { Letter, Task } from './tasks/tasks.ts';
export { answerRoom, findTask, openTasks, spentOnTask, taskReport, taskSettingsOf, taskView } from './tasks/tasks.ts';
