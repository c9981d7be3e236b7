/** Pawl as a library: what a program needs to run durable agents, in one import. */

import './supported-node.ts';

export { type AiSdkModel, type AiSdkSettings, fromAiSdk } from '@pawl/ai-sdk';
export * from '@pawl/engine';
export type { Health, Policy, PoolOptions, Pricing, Timeouts } from '@pawl/models';
export {
  anthropic,
  createHealth,
  createPricing,
  demo,
  google,
  isTransientFailure,
  modelFor,
  openai,
  openaiChat,
  pool,
  poolModel,
  recordWire,
  replayWire,
} from '@pawl/models';
export type {
  Client,
  DurableEvent,
  Identity,
  Json,
  JsonObject,
  OutputSchema,
  PawlEvent,
  ResultOf,
  SendOptions,
  SessionClient,
  SessionView,
  TransientEvent,
  TurnResult,
} from '@pawl/protocol';
export { isPawlError, PawlError } from '@pawl/protocol';
export { memoryLog, sqliteLog, sqliteMemory } from '@pawl/storage';
export { builtinTools, createRedactor, mailTools, taskTools } from '@pawl/tools';
export { memoryTools } from '@pawl/tools/memory';
export { surroundings } from '@pawl/tools/surroundings';
export { createHost, type HostOptions } from './create-host.ts';
export { type DetailsOf, defineTool } from './define-tool.ts';
