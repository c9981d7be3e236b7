/** Where servers of this API differ. What the table does not name is as at most servers. */
export type Dialect = Spoken & {
  /** Of these models it passes on that their prompt is to be kept. */
  cachesOnRequest: RegExp | null;
  /** Models that refuse sampling parameters and stop sequences. */
  refusesSampling: RegExp | null;
  /** Models that take tools only while they do not think. */
  refusesToolsWithThinking: RegExp | null;
};

/** What of a dialect can be settled by who runs a server. */
type Spoken = {
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
};

/** A dialect in settings: that of a known server, what is otherwise, or both. */
export type DialectSettings = Partial<Spoken> & { like?: DialectName };
export type DialectName = keyof typeof named;

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
  refusesToolsWithThinking: null,
};

const openai: Partial<Dialect> = {
  outputLimitField: 'max_completion_tokens',
  takesDocuments: true,
  hasCacheKey: true,
  refusesSampling: /^(o\d|gpt-[5-9](?!.*chat))/,
  // https://developers.openai.com/api/docs/models/gpt-6-sol, https://github.com/openai/openai-openapi/issues/541.
  refusesToolsWithThinking: /^gpt-(5\.[4-9]|5\.\d\d|[6-9]|\d\d)(?!.*chat)/,
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
const named = {
  openai,
  openrouter: { thinking: 'reasoning', takesDocuments: true, cachesOnRequest: /^anthropic\// },
  deepseek: { ...switched, takesImages: false },
  moonshotai: switched,
  zai: { ...switched, needsReasoningOfCalls: false },
  mistral: { hasStreamOptions: false, hasShortCallIds: true, needsAnswerToResults: true },
  qwen: { thinking: 'enable_thinking' },
} as const satisfies { readonly [name: string]: Partial<Dialect> };

const hosts: readonly (readonly [host: RegExp, name: DialectName])[] = [
  [/(^|\.)api\.openai\.com$|\.openai\.azure\.com$/, 'openai'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshotai'],
  [/(^|\.)(z\.ai|bigmodel\.cn)$/, 'zai'],
  [/(^|\.)mistral\.ai$/, 'mistral'],
  [/(^|\.)dashscope[\w-]*\.aliyuncs\.com$/, 'qwen'],
];

/** Mistral's models, whose own servers refuse a longer id of a call; a gateway passes on what it is given. */
const wantsShortCallIds = /(^|[/.])(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)/i;

/** Others that understand the calls of all their models. */
const understanding =
  /(^|\.)(groq\.com|x\.ai|cerebras\.ai|perplexity\.ai|cohere\.ai|cohere\.com|ai-gateway\.vercel\.sh|googleapis\.com)$/;

/** How the server at `host` speaks to the model, with what the user knows better. */
export function dialectOf(host: string, model: string, known: Partial<Dialect> & { like?: DialectName } = {}): Dialect {
  const { like, ...own } = known;
  const name = like ?? hosts.find(([pattern]) => pattern.test(host))?.[1];
  const found: Partial<Dialect> = name === undefined ? {} : named[name];
  const leavesCallsInText = name === undefined && !understanding.test(host);
  const hasShortCallIds = wantsShortCallIds.test(model);
  return { ...usual, leavesCallsInText, hasShortCallIds, ...found, ...own };
}
