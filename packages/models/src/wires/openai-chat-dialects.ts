/** Where servers of this API differ. What the table does not name is as at most servers. */
export type Dialect = {
  /** What the server calls the limit of an answer. */
  outputLimitField: 'max_completion_tokens' | 'max_tokens';
  /** Whether it must be asked for the usage of a stream, and may be. */
  hasStreamOptions: boolean;
  /** Where it wants to be told how to think: in a word; in an object with effort or tokens; or by a switch. */
  thinking: 'reasoning_effort' | 'reasoning' | 'thinking' | 'enable_thinking';
  /** A call must come back with the reasoning that led to it, be it empty. */
  needsReasoningOfCalls: boolean;
  /** Ids of calls have just nine letters and digits. */
  hasShortCallIds: boolean;
  /** Nobody but the model may speak after a result. */
  needsAnswerToResults: boolean;
  /** Whether it may leave a call in the text, as markup of its model, because it does not understand it. */
  leavesCallsInText: boolean;
  /** Whether it can be made to call a tool. */
  canBeForced: boolean;
  schemas: 'json_schema' | 'json_object';
  takesImages: boolean;
  takesDocuments: boolean;
  /** Finds the server that has the conversation in its cache. */
  hasCacheKey: boolean;
  /** Of these models it passes on that their prompt is to be kept. */
  cachesOnRequest: RegExp | null;
  /** Models that refuse sampling parameters and stop sequences. */
  refusesSampling: RegExp | null;
};

const usual: Dialect = {
  outputLimitField: 'max_tokens',
  hasStreamOptions: true,
  thinking: 'reasoning_effort',
  needsReasoningOfCalls: false,
  hasShortCallIds: false,
  needsAnswerToResults: false,
  leavesCallsInText: true,
  canBeForced: true,
  schemas: 'json_schema',
  takesImages: true,
  takesDocuments: false,
  hasCacheKey: false,
  cachesOnRequest: null,
  refusesSampling: null,
};

const openai: Partial<Dialect> = {
  outputLimitField: 'max_completion_tokens',
  takesDocuments: true,
  hasCacheKey: true,
  refusesSampling: /^(o\d|gpt-[5-9](?!.*chat))/,
};
/** Its thinking models refuse a forced call. */
const switched: Partial<Dialect> = {
  thinking: 'thinking',
  needsReasoningOfCalls: true,
  canBeForced: false,
  schemas: 'json_object',
};

/**
 * By host. Sources, of 2026-11: https://platform.openai.com/docs/api-reference/chat,
 * https://openrouter.ai/docs/use-cases/reasoning-tokens, https://api-docs.deepseek.com/guides/thinking_mode,
 * https://platform.moonshot.ai/docs, https://docs.z.ai, https://docs.mistral.ai/api (its refusals of longer ids and of
 * a user after a result are not documented: codes 3280 and 3230), https://help.aliyun.com/zh/model-studio.
 */
const hosts: readonly (readonly [host: RegExp, dialect: Partial<Dialect>])[] = [
  [/(^|\.)api\.openai\.com$|\.openai\.azure\.com$/, openai],
  [/(^|\.)openrouter\.ai$/, { thinking: 'reasoning', takesDocuments: true, cachesOnRequest: /^anthropic\// }],
  [/(^|\.)deepseek\.com$/, { ...switched, takesImages: false }],
  [/(^|\.)moonshot\.(ai|cn)$/, switched],
  [/(^|\.)(z\.ai|bigmodel\.cn)$/, { ...switched, needsReasoningOfCalls: false }],
  [/(^|\.)mistral\.ai$/, { hasStreamOptions: false, hasShortCallIds: true, needsAnswerToResults: true }],
  [/(^|\.)dashscope[\w-]*\.aliyuncs\.com$/, { thinking: 'enable_thinking' }],
];

/** Others that understand the calls of all their models. */
const understanding =
  /(^|\.)(groq\.com|x\.ai|cerebras\.ai|perplexity\.ai|cohere\.ai|cohere\.com|ai-gateway\.vercel\.sh|googleapis\.com)$/;

/** How the server at `host` speaks, with what the user knows better. */
export function dialectOf(host: string, known: Partial<Dialect> = {}): Dialect {
  const [name, found = {}] = hosts.find(([pattern]) => pattern.test(host)) ?? [];
  const leavesCallsInText = name === undefined && !understanding.test(host);
  return { ...usual, leavesCallsInText, ...found, ...known };
}
