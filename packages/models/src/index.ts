/** Models: wires to providers, the demo, recordings, and what a call costs. */

export { createPricing, type Pricing } from './catalogue/pricing.ts';
export { demo } from './demo/index.ts';
export { type FailureDetails, failureDetails, isTransientFailure } from './errors.ts';
export { defaultTimeouts, type Timeouts } from './http/timeouts.ts';
export { createHealth, type Health, type HealthReport } from './pool/health.ts';
export { fileHealthStore, type HealthStore } from './pool/health-store.ts';
export { pool } from './pool/of-models.ts';
export { defaultPolicy, type Policy } from './pool/policy.ts';
export { type PoolOptions, poolModel } from './pool/pool.ts';
export type { Bucket, Snapshot } from './pool/rate-limits.ts';
export type { KeyReport, ProviderReport } from './pool/report.ts';
export type { Candidate, Key, Provider } from './pool/types.ts';
export { type RecordWireOptions, recordWire } from './record/wire-record.ts';
export { type ReplayWireOptions, replayWire } from './record/wire-replay.ts';
export { modelNames } from './select/forms.ts';
export { modelFor } from './select.ts';
export { type AnthropicOptions, anthropic } from './wires/anthropic/index.ts';
export { type GoogleOptions, google } from './wires/google/index.ts';
export type { Dialect as OpenaiChatDialect } from './wires/openai-chat/dialects.ts';
export { type OpenaiChatOptions, openaiChat } from './wires/openai-chat/index.ts';
export { type OpenaiOptions, openai } from './wires/openai-responses/index.ts';
export type { CacheTime, WireOptions } from './wires/options.ts';
