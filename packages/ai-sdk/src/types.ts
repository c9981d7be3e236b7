import type { Json, JsonObject } from '@pawl/protocol';

/**
 * A `LanguageModelV2`, `V3` or `V4` of the AI SDK: what the bridge uses of it, so that it depends on no version. Each
 * version has its own type of options; `never` fits them all, and `AiSdkOptions` is what is given.
 * Source: https://github.com/vercel/ai/tree/main/packages/provider/src/language-model.
 */
export type AiSdkModel = {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(
    options: never,
  ): PromiseLike<{ stream: ReadableStream<unknown>; response?: { headers?: { [name: string]: string } } }>;
  doGenerate(options: never): PromiseLike<object>;
};

/** By provider: what it said of a part, and what it is to be told again. */
export type ProviderOptions = { [provider: string]: JsonObject };

export type AiSdkOptions = {
  prompt: AiSdkMessage[];
  maxOutputTokens: number;
  temperature?: number;
  topP?: number;
  stopSequences?: string[];
  tools?: { type: 'function'; name: string; description: string; inputSchema: JsonObject }[];
  toolChoice?: { type: 'auto' | 'required' | 'none' } | { type: 'tool'; toolName: string };
  responseFormat?: { type: 'json'; schema: JsonObject };
  reasoning?: string;
  providerOptions?: ProviderOptions;
  abortSignal: AbortSignal;
};

export type AiSdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user' | 'assistant' | 'tool'; content: AiSdkPart[] };

type Metadata = { providerOptions?: ProviderOptions };
export type AiSdkPart =
  | ({ type: 'text' | 'reasoning'; text: string } & Metadata)
  | ({ type: 'tool-call'; toolCallId: string; toolName: string; input: Json } & Metadata)
  | { type: 'tool-result'; toolCallId: string; toolName: string; output: AiSdkOutput }
  | AiSdkFile;

/** `data` is base64 up to V3. */
export type AiSdkFile = {
  type: 'file' | 'media' | 'file-data' | 'image-data';
  mediaType: string;
  data: string | { type: 'data'; data: string };
  filename?: string;
};

export type AiSdkOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'content'; value: ({ type: 'text'; text: string } | AiSdkFile)[] };
