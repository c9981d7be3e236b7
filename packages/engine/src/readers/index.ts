/** Readers of the log: folds that show a session to people and programs. Pure; none changes anything. */

export { mainArgument } from './argument.ts';
export {
  type BlindCall,
  type FileChange,
  type FileChanges,
  fileChangesOf,
  type UndoStack,
  undoStackOf,
} from './changes.ts';
export { type TaskLogs, tasksIn } from './family.ts';
export { exportHtml } from './html.ts';
export { blobsIn, type ExportedSession, exportJson, renamed } from './json.ts';
export { exportMarkdown } from './markdown.ts';
export { stateOf } from './state.ts';
export { type Transcript, type TranscriptCall, type TranscriptEntry, transcribe } from './transcript.ts';
export { sumUsage, sumUsageBy, type UsageEntry, type UsageSum, usageOf } from './usage.ts';
export { escapeOf, exact, oneLine, visible } from './visible.ts';
export { answerText, costText, countText, durationText, modelText, statusText, timeText } from './words.ts';
