/** Models: wires to providers, the demo, recordings, and what a call costs. */

export { demo } from './demo/index.ts';
export { type FailureDetails, failureDetails, isTransientFailure } from './errors.ts';
export { defaultTimeouts, type Timeouts } from './http/timeouts.ts';
export { createPricing, type Pricing } from './prices/pricing.ts';
export type { Comparison } from './record/comparable.ts';
export { record } from './record/record.ts';
export { type ReplayOptions, replay } from './record/replay.ts';
export { modelFor, modelNames } from './select.ts';
export { type AnthropicOptions, anthropic } from './wires/anthropic.ts';
export { type OpenaiChatOptions, openaiChat } from './wires/openai-chat.ts';
export type { WireOptions } from './wires/options.ts';
