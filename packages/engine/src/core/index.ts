/** The engine: four pure functions over a log. No I/O, no clock, no randomness; imports nothing of node. */

export { isWidening, mayCall, modeWith } from './agents/profile.ts';
export { callId } from './answer/decide.ts';
export { isTooLong } from './answer/failure.ts';
export type { AssignedWork } from './assignment/state.ts';
export { findCall } from './calls/evolve.ts';
export { isRepetition, lastSameCall, repetitionRule } from './calls/repeats.ts';
export { canonicalJson } from './canonical-json.ts';
export { removableIn } from './compaction/remove.ts';
export { isAwaitingCompaction } from './compaction/settle.ts';
export { sliceToBudget } from './compaction/slice.ts';
export { isFull, tokensOfMessage, tokensOfMessages, tokensOfText, usableTokens } from './compaction/window.ts';
export { decide } from './decide.ts';
export type { Decision, FingerprintedCommand } from './decision.ts';
export { due } from './due.ts';
export type { Effect } from './effect.ts';
export { evolve } from './evolve.ts';
export { flowProblem } from './flows/settle.ts';
export { charactersPerToken, windowTokens } from './history/window.ts';
export { schemaFault } from './json-schema.ts';
export type { OutgoingMail } from './mail/decide.ts';
export { mailProblem } from './mail/decide.ts';
export type { Mailbox } from './mail/state.ts';
export type { Outcome, ResultCheck, ToolDeclarations } from './outcome.ts';
export { pinsWithinLimit, shortenMiddle } from './pins/pins.ts';
export { answerProblem } from './questions/decide.ts';
export type { Demand } from './result/demand.ts';
export { demandOf, noResult } from './result/demand.ts';
export { isSameJson } from './same-json.ts';
export { limitsRefusal } from './session/limits.ts';
export { originOf } from './session/origin.ts';
export { defaultCompaction, defaultLimits } from './session/state.ts';
export { settle } from './settle.ts';
export { budgetReached } from './spending/limits.ts';
export { addCost, addUsage, noUsage, totalInputTokens, totalTokens } from './spending/usage.ts';
export type { Call, HistoryMessage, QueuedInput, Settings, State, Turn } from './state.ts';
export { initialState } from './state.ts';
export { isFullGathering } from './surroundings/settle.ts';
export { ownerId } from './tasks/evolve.ts';
export type { ChildCommand, Task } from './tasks/state.ts';
export {
  findTask,
  maxAnswerTokens,
  openTasks,
  spentOnTask,
  stoppedOutcome,
  taskReport,
  taskSettingsOf,
  taskView,
} from './tasks/tasks.ts';
export { isOutOfTime } from './turn/ending.ts';
