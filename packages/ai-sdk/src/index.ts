/** Any model of the AI SDK as one of Pawl's. */
export { type AiSdkSettings, fromAiSdk } from './from-ai-sdk.ts';
export type { AiSdkModel } from './types.ts';
