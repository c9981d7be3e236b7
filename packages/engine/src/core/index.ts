/** The engine: four pure functions over a log. No I/O, no clock, no randomness; imports nothing of node. */

export { answerProblem } from './answers.ts';
export { canonicalJson, loopCheck } from './calls.ts';
export { shortened } from './compaction/pins.ts';
export { removableIn } from './compaction/remove.ts';
export { sliceToBudget } from './compaction/slice.ts';
export {
  defaultCompaction,
  isFull,
  tokensOfMessage,
  tokensOfMessages,
  tokensOfText,
  usableTokens,
} from './compaction/window.ts';
export type { Decision, Fingerprinted } from './decide.ts';
export { decide, limitsRefusal } from './decide.ts';
export type { Demand } from './demand.ts';
export { demandOf, noResult } from './demand.ts';
export type { Effect } from './due.ts';
export { due } from './due.ts';
export { evolve } from './evolve.ts';
export type { Assigned } from './fold/assignment.ts';
export { findCall } from './fold/call.ts';
export { ownerId } from './fold/task.ts';
export { schemaFault } from './json-schema.ts';
export type { Outgoing } from './mail.ts';
export { letterProblem } from './mail.ts';
export { originOf } from './origin.ts';
export type { Checked, Declared, Outcome } from './outcomes.ts';
export { callId } from './outcomes.ts';
export { isWidening, mayCall, modeWith } from './profile.ts';
export { isRepetition, lastSameCall } from './repeats.ts';
export { isAwaitingCompaction } from './settle/compaction.ts';
export { flowProblem } from './settle/flows.ts';
export { isFullGathering } from './settle/gather.ts';
export { settle } from './settle/index.ts';
export { budgetReached } from './settle/limits.ts';
export type { Call, HistoryMessage, Mailbox, QueuedInput, Settings, State, Turn } from './state.ts';
export { defaultLimits, initialState, noUsage } from './state.ts';
export type { Letter, Task } from './tasks/tasks.ts';
export { answerRoom, findTask, openTasks, spentOnTask, taskReport, taskSettingsOf, taskView } from './tasks/tasks.ts';
export { addCost, addUsage, charactersPerToken, totalInputTokens, totalTokens, windowTokens } from './usage.ts';
