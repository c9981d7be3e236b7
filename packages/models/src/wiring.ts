/** What a model of another package is built from, so that its calls fail, wait and cost like those of the wires here. */

export { createPricing } from './catalogue/pricing.ts';
export { modelError } from './errors.ts';
export { describeFailure, networkError, providerError, responseError } from './http/failure.ts';
export { secretsIn, withoutSecrets } from './http/headers.ts';
export { defaultTimeouts, type SilenceLimit, silenceLimit, type Timeouts } from './http/timeouts.ts';
export { isWebPage, notAModel, unusableAddress } from './http/unusable.ts';
export type { Parameters } from './parameters.ts';
export { withoutVariant } from './select/names.ts';
export { type Block, type CallBlock, createAnswer, type TextBlock, type ThinkingBlock } from './wires/answer.ts';
export { type Fields, fields, list, number, string } from './wires/fields.ts';
