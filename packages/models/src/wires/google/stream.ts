import type { ModelEvent } from '@pawl/engine';
import type { PawlError, StopReason, Usage } from '@pawl/protocol';
import { modelError } from '../../errors.ts';
import { describeFailure, providerError } from '../../http/failure.ts';
import { type CallBlock, createAnswer, type TextBlock, type ThinkingBlock } from '../answer.ts';
import { type Fields, fields, list, number, string } from '../fields.ts';
import { type Decoder, parseEvent } from '../reader.ts';
import { spentOf } from '../spent.ts';
import { type Arguments, createArguments } from './arguments.ts';

/**
 * Reads the answers of `generateContent`, whole or streamed; each event of the stream has the same form as the whole.
 * Parts of kinds that Pawl does not ask for (code that the provider runs, images) are passed over.
 * Source: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse.
 */
export function createDecoder(emit: (event: ModelEvent) => void, costOf: (usage: Usage) => number | null): Decoder {
  const answer = createAnswer(emit);
  /** What the next text adds to, if it is of the same kind. */
  let current: TextBlock | ThinkingBlock | null = null;
  /** The call whose input still comes in pieces. */
  let growing: { block: CallBlock; input: Arguments } | null = null;
  let finishReason: string | null = null;
  let finishMessage = '';
  let blockReason: string | null = null;
  const usage: Fields = {};

  function addText(text: string, signature: string): void {
    // Parts with a signature and parts without are not to be put together.
    if (current?.type !== 'text' || current.signature !== '' || signature !== '') current = answer.openText();
    answer.addText(current, text);
    current.signature = signature;
  }

  function addThinking(text: string, signature: string): void {
    if (current?.type !== 'thinking' || current.signature !== '') current = answer.openThinking();
    answer.addThinking(current, text);
    current.signature = signature;
  }

  /** Signs an empty part of its own, which goes back as it came: in a stream, the signature of a text comes after it. */
  function addSignature(signature: string): void {
    answer.openThinking().signature = signature;
    current = null;
  }

  function endCall(): void {
    if (growing === null) return;
    const { block, input } = growing;
    growing = null;
    const { rest, whole } = input.finish();
    answer.addInput(block, rest);
    block.text = whole;
    answer.closeCall(block);
  }

  /**
   * A call is whole (`name`, `args`), or begins (`name`, `willContinue`), goes on (`partialArgs`) and ends (nothing).
   * Without arguments it has no `args`.
   */
  function readCall(called: Fields, signature: string): void {
    const tool = string(called.name);
    if (tool !== '') {
      endCall();
      current = null;
      const block = answer.openCall(tool);
      block.signature = signature;
      if (called.willContinue !== true && called.partialArgs === undefined) {
        const { args } = called;
        answer.addInput(block, typeof args === 'string' ? args : JSON.stringify(args ?? {}));
        answer.closeCall(block);
        return;
      }
      growing = { block, input: createArguments() };
    }
    if (growing === null) return;
    const pieces = list(called.partialArgs).map(fields);
    answer.addInput(growing.block, growing.input.add(pieces));
    if (called.willContinue !== true && !pieces.some(({ willContinue }) => willContinue === true)) endCall();
  }

  function readPart(part: Fields): void {
    const signature = string(part.thoughtSignature);
    if (typeof part.functionCall === 'object' && part.functionCall !== null) {
      readCall(fields(part.functionCall), signature);
      return;
    }
    const text = string(part.text);
    if (text === '') {
      if (signature === '') return;
      if (part.thought === true && current?.type === 'thinking' && current.signature === '') {
        current.signature = signature;
      } else addSignature(signature);
    } else if (part.thought === true) addThinking(text, signature);
    else addText(text, signature);
  }

  function readChunk(chunk: Fields): void {
    if (chunk.error !== undefined && chunk.error !== null) throw failure(chunk);
    const candidate = fields(list(chunk.candidates)[0]);
    for (const part of list(fields(candidate.content).parts)) readPart(fields(part));
    if (typeof candidate.finishReason === 'string' && candidate.finishReason !== '') {
      finishReason = candidate.finishReason;
      finishMessage = string(candidate.finishMessage);
    }
    const reason = string(fields(chunk.promptFeedback).blockReason);
    if (reason !== '' && !reason.endsWith('UNSPECIFIED')) blockReason = reason;
    // Totals so far; the first chunks may lack some.
    const counted = Object.entries(fields(chunk.usageMetadata)).filter(([, value]) => value !== null);
    Object.assign(usage, Object.fromEntries(counted));
    if (counted.length > 0) emit({ type: 'usage', ...spentOf(usage, usageOf, costOf) });
  }

  /** The reason as a text, because there is mostly no other. */
  function refusal(): string {
    const reason = [blockReason ?? finishReason, finishMessage]
      .filter((word) => word !== null && word !== '')
      .join(': ');
    return `[The provider refused ${blockReason === null ? 'to go on' : 'the request'}: ${reason}]`;
  }

  /** The provider could not read the call that the model wrote, and says only roughly what it was. */
  function addMalformedCall(): void {
    const tool = toolIn(finishMessage);
    // Then nobody can be told what was wrong, and the same request mostly goes well the next time.
    if (tool === null) {
      throw modelError('bad_stream', 'The model wrote a call that its provider could not read. Try again.');
    }
    answer.openCall(tool).text = finishMessage;
  }

  return {
    read(data) {
      if (data.trim() === '[DONE]') return finishReason !== null;
      readChunk(parseEvent(data));
      return false;
    },
    readWhole(body) {
      // Without `alt=sse` the same chunks come as a list.
      const chunks: unknown = body.trimStart().startsWith('[') ? parseEvent(`{"chunks":${body}}`).chunks : null;
      for (const chunk of chunks === null ? [parseEvent(body)] : list(chunks).map(fields)) readChunk(chunk);
    },
    isThinking: answer.isThinking,
    isWhole: () => finishReason !== null || blockReason !== null,
    finish() {
      const stop = blockReason === null ? stopOf(finishReason) : 'refusal';
      // Where the output limit cut the call short, what is missing must stay missing.
      if (stop !== 'output_limit') endCall();
      if (stop === 'malformed') addMalformedCall();
      if (stop === 'refusal') answer.addText(answer.openText(), refusal());
      const { usage: total, costUsd } = spentOf(usage, usageOf, costOf);
      return answer.finish(stop === 'malformed' ? 'tool_calls' : stop, total, costUsd);
    },
  };
}

/** What went wrong in mid-stream: an HTTP status, or the name of a status of gRPC. */
function failure(chunk: Fields): PawlError {
  const error = fields(chunk.error);
  const kind = string(error.status);
  const code = number(error.code);
  const status = code >= 300 && code < 600 ? code : (statuses[kind] ?? 0);
  const { message } = describeFailure(chunk);
  return providerError({ status, kind, message });
}

/** Source: https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto. */
const statuses: { readonly [name: string]: number } = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNKNOWN: 500,
  DATA_LOSS: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** The tool of a call in `Malformed function call: print(default_api.read(path="a"…` or `…: call:read{path:…`. */
function toolIn(message: string): string | null {
  return /default_api[.:]([\w-]+)\s*[({]/.exec(message)?.[1] ?? /call:([\w-]+)\s*\{/.exec(message)?.[1] ?? null;
}

/** Source: https://ai.google.dev/api/generate-content#FinishReason. Stop sequences end with `STOP` as well. */
function stopOf(reason: string | null): StopReason | 'malformed' {
  switch (reason) {
    case 'MAX_TOKENS':
    // More output than one request may have: to be continued, as with the limit.
    case 'CONTINUATION':
      return 'output_limit';
    case 'SAFETY':
    case 'RECITATION':
    case 'LANGUAGE':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
    case 'IMAGE_SAFETY':
    case 'IMAGE_PROHIBITED_CONTENT':
    case 'IMAGE_RECITATION':
      return 'refusal';
    case 'MALFORMED_FUNCTION_CALL':
    case 'MALFORMED_RESPONSE':
    case 'UNEXPECTED_TOOL_CALL':
      return 'malformed';
    default:
      return 'end';
  }
}

/** The prompt's count includes what was cached; thoughts are counted beside the answer. */
function usageOf(raw: Fields): Usage {
  const input = number(raw.promptTokenCount) + number(raw.toolUsePromptTokenCount);
  const cacheReadTokens = Math.min(input, number(raw.cachedContentTokenCount));
  const reasoningTokens = number(raw.thoughtsTokenCount);
  return {
    inputTokens: input - cacheReadTokens,
    outputTokens: number(raw.candidatesTokenCount) + reasoningTokens,
    cacheReadTokens,
    cacheWriteTokens: 0,
    cacheWriteHourTokens: 0,
    reasoningTokens,
  };
}
