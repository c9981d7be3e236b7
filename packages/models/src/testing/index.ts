/** For tests of programs that use a model: a scripted model, and a server that speaks the real wires. */

export { type CacheUse, type PromptCache, promptCache } from './prompt-cache.ts';
export type { ScriptedAnswer, ScriptedCall } from './script.ts';
export { type Expectation, type ScriptedModel, type ScriptStep, scriptedModel } from './scripted.ts';
export type { ServedWire, WireMessage, WireRequest } from './wire-request.ts';
export { type WireAnswer, type WireServer, wireServer } from './wire-server.ts';
