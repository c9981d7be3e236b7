import { z } from 'zod';

/** Plain text. */
export const textPart = z.object({ type: z.literal('text'), text: z.string() });

/** An image or a document. Its bytes are the blob of that digest. */
export const filePart = z.object({
  type: z.literal('file'),
  /** Such as `image/png` or `application/pdf`. */
  mediaType: z.string(),
  digest: z.string(),
  sizeBytes: z.number().int().min(0),
  name: z.string().optional(),
});

/** What a person, or whoever speaks for one, gives to the model. */
export const userPart = z.discriminatedUnion('type', [textPart, filePart]);

/**
 * The model's reasoning. `signature` and `opaque` are the provider's own and go back to it unchanged;
 * `opaque` holds what the provider encrypted instead of showing.
 */
export const thinkingPart = z.object({
  type: z.literal('thinking'),
  text: z.string(),
  signature: z.string().optional(),
  opaque: z.string().optional(),
});

/**
 * A call that the model asks for. `id` is Pawl's own (`t<turn>_s<step>_c<n>`), unique in the session
 * whatever the provider sent. `malformed` holds the raw text when it was not a JSON object; `input` is then `{}`.
 * `signature` is the provider's own, as with thinking.
 */
export const toolCallPart = z.object({
  type: z.literal('tool_call'),
  id: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  malformed: z.string().optional(),
  signature: z.string().optional(),
});

/** Text of the model, with the provider's signature where it gives one. */
export const answerTextPart = textPart.extend({ signature: z.string().optional() });

export const assistantPart = z.discriminatedUnion('type', [answerTextPart, thinkingPart, toolCallPart]);

/**
 * Tokens of one or more model calls. `inputTokens` counts only input outside the cache:
 * the whole input is `inputTokens + cacheReadTokens + cacheWriteTokens + cacheWriteHourTokens`.
 * `reasoningTokens` is a share of `outputTokens`.
 */
export const usage = z.object({
  inputTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
  cacheReadTokens: z.number().int().min(0),
  cacheWriteTokens: z.number().int().min(0),
  cacheWriteHourTokens: z.number().int().min(0),
  reasoningTokens: z.number().int().min(0),
});

/** Why the model stopped: of itself, for calls, at the output limit, at a stop sequence, by refusal, or to be called again. */
export const stopReason = z.enum(['end', 'tool_calls', 'output_limit', 'stop_sequence', 'refusal', 'pause']);

/**
 * `cancelled` is what somebody stopped, `out_of_time` what a limit of time did, begun or not. `unknown` is a deed that was
 * begun and whose end nobody saw: it may have happened.
 */
export const toolStatus = z.enum(['ok', 'error', 'denied', 'cancelled', 'out_of_time', 'unknown']);

/** The one result of one call, as the model sees it. */
export const toolResult = z.object({
  call: z.string(),
  tool: z.string(),
  status: toolStatus,
  content: z.string(),
  /** Images and documents that belong to it. */
  files: z.array(filePart).optional(),
  /** `content` came from outside and is shown between tags that say so. */
  isOutside: z.boolean().optional(),
  /** What the engine says of it, after those tags. */
  remarks: z.string().optional(),
});

/** One try of a model call that did not give the answer: which model and key, why, and what was waited after it. */
export const attempt = z.object({
  model: z.string(),
  /** The key as it may be shown: its name or place and last characters, never the whole. */
  key: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }),
  waitedMs: z.number().min(0),
});

/** Where a user message came from: someone's input, context added without a turn, or the engine itself. */
export const messageSource = z.enum(['input', 'context', 'engine']);

export const userMessage = z.object({
  role: z.literal('user'),
  content: z.array(userPart),
  source: messageSource,
  /** The queued input that became this message. */
  input: z.string().optional(),
  /** The task whose end it tells. */
  task: z.string().optional(),
});

export const assistantMessage = z.object({
  role: z.literal('assistant'),
  content: z.array(assistantPart),
  /** `provider/model` that wrote it. */
  model: z.string(),
  stopReason,
  usage,
  /** US dollars; null where the price is not known. */
  costUsd: z.number().min(0).nullable(),
  /** True for the text so far of a message that a cancel or a failure cut off; the `model.failed` after it says what it cost. */
  isPartial: z.boolean().optional(),
  /** What was tried before this answer came. */
  attempts: z.array(attempt).optional(),
});

/** All results of one step, in the order of its calls. */
export const toolMessage = z.object({ role: z.literal('tool'), results: z.array(toolResult) });
