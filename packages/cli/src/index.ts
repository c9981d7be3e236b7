/** Pawl as a library: what a program needs to run durable agents, in one import. */

export * from '@pawl/engine';
export { anthropic, demo, openaiChat, record, replay } from '@pawl/models';
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
export { defineTool } from './define-tool.ts';
