/** Pawl as a library: what a program needs to run durable agents, in one import. */

export * from '@pawl/engine';
export type { Policy } from '@pawl/models';
export {
  anthropic,
  demo,
  fromAiSdk,
  google,
  modelFor,
  openai,
  openaiChat,
  pool,
  poolModel,
  record,
  recordWire,
  replay,
  replayWire,
} from '@pawl/models';
export type {
  Client,
  DurableEvent,
  Identity,
  PawlEvent,
  SessionClient,
  SessionView,
  TransientEvent,
  TurnResult,
} from '@pawl/protocol';
export { isPawlError, PawlError } from '@pawl/protocol';
export { memoryLog, sqliteLog, sqliteMemory } from '@pawl/storage';
export { builtinTools, mailTools } from '@pawl/tools';
export { memoryTools } from '@pawl/tools/memory';
export { surroundings } from '@pawl/tools/surroundings';
export { createHost, type HostOptions } from './create-host.ts';
export { defineTool } from './define-tool.ts';
