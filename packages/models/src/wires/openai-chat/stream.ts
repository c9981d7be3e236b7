import type { ModelEvent } from '@pawl/engine';
import type { StopReason, Usage } from '@pawl/protocol';
import { describeFailure, providerError } from '../../http/failure.ts';
import { type CallBlock, createAnswer, type TextBlock, type ThinkingBlock } from '../answer.ts';
import { type Fields, fields, list, number, string } from '../fields.ts';
import { type Decoder, parseEvent } from '../reader.ts';
import { spentOf } from '../spent.ts';
import { contentField, createDetails, detailsField, reasoningFields, textOfDetails } from './reasoning.ts';
import { writtenCalls } from './written-calls.ts';

/** A call under way, by what the server calls it. */
type OpenCall = { block: CallBlock; index: unknown; id: string };

/**
 * Reads the chunks of the Chat Completions API in all its dialects.
 * @param offered Names of the tools whose calls may stand in the text.
 */
export function createDecoder(
  emit: (event: ModelEvent) => void,
  costOf: (usage: Usage) => number | null,
  offered: ReadonlySet<string> = new Set(),
): Decoder {
  const answer = createAnswer(emit);
  /** What the last delta added to; a change of kind begins a new part. */
  let current: TextBlock | ThinkingBlock | null = null;
  const calls: OpenCall[] = [];
  const said: (TextBlock | ThinkingBlock)[] = [];
  const details = createDetails();
  let finishReason: string | null = null;
  let hasRefused = false;
  let usage: Fields = {};

  function addText(text: string): void {
    if (text === '') return;
    if (current?.type !== 'text') {
      current = answer.openText();
      said.push(current);
    }
    answer.addText(current, text);
  }

  function openThinking(field: string): ThinkingBlock {
    if (current?.type === 'thinking') return current;
    const opened = answer.openThinking();
    opened.signature = field;
    said.push(opened);
    current = opened;
    return opened;
  }
  function addThinking(text: string, field: string): void {
    if (text !== '') answer.addThinking(openThinking(field), text);
  }

  /** Content is a text, or a list of texts and thoughts. */
  function addContent(content: unknown): void {
    if (typeof content === 'string') addText(content);
    for (const part of list(content).map(fields)) {
      if (part.type === 'thinking') {
        for (const thought of list(part.thinking).map(fields)) addThinking(string(thought.text), contentField);
      } else addText(string(part.text));
    }
  }

  /** The call that a delta belongs to. Servers name it by index, by id, by both, or not at all. */
  function callFor(delta: Fields, name: string): OpenCall | null {
    const { index } = delta;
    const id = string(delta.id);
    const known =
      index === undefined || index === null
        ? id === ''
          ? name === ''
            ? calls.at(-1)
            : undefined
          : calls.find((call) => call.id === id)
        : calls.findLast((call) => call.index === index);
    // The same index with another id and a name is another call: some servers number all of them 0.
    const isOther = known !== undefined && id !== '' && known.id !== '' && known.id !== id && name !== '';
    if (known !== undefined && !isOther) {
      if (known.id === '') known.id = id;
      return known;
    }
    if (name === '') return null;
    for (const { block } of calls) answer.closeCall(block);
    current = null;
    const opened = { block: answer.openCall(name), index: index ?? undefined, id };
    calls.push(opened);
    return opened;
  }

  function addCall(delta: Fields): void {
    const called = fields(delta.function);
    const call = callFor(delta, string(called.name));
    if (call === null) return;
    const input = called.arguments;
    answer.addInput(call.block, typeof input === 'object' && input !== null ? JSON.stringify(input) : string(input));
  }

  /** Servers that send several fields send the same thought in them. */
  function addReasoning(delta: Fields): void {
    const pieces = delta[detailsField];
    const field = [...reasoningFields].find((name) => string(delta[name]) !== '');
    const text = field === undefined ? textOfDetails(pieces) : string(delta[field]);
    if (list(pieces).length === 0) addThinking(text, field ?? '');
    else {
      details.add(pieces);
      answer.addThinking(openThinking(detailsField), text);
    }
  }

  function readDelta(delta: Fields): void {
    addReasoning(delta);
    addContent(delta.content);
    const refusal = string(delta.refusal);
    if (refusal !== '') {
      hasRefused = true;
      addText(refusal);
    }
    for (const call of list(delta.tool_calls)) addCall(fields(call));
  }

  function readChunk(chunk: Fields, deltaKey: 'delta' | 'message'): void {
    if (chunk.error !== undefined && chunk.error !== null) throw failure(chunk);
    const choice = fields(list(chunk.choices)[0]);
    readDelta(fields(choice[deltaKey]));
    const raw = chunk.usage ?? choice.usage ?? fields(chunk.x_groq).usage;
    if (typeof raw === 'object' && raw !== null) {
      usage = raw as Fields;
      emit({ type: 'usage', ...spentOf(usage, usageOf, costOf) });
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      finishReason = choice.finish_reason;
      if (finishReason === 'error') throw failure(choice.error === undefined ? chunk : choice);
      if (finishReason === 'insufficient_system_resource') {
        throw providerError({ status: 503, kind: finishReason, message: 'The server ran out of resources.' });
      }
      for (const { block } of calls) answer.closeCall(block);
    }
  }

  /** Some servers do not understand the calls that their model writes. */
  function recognise(): void {
    if (calls.length > 0 || hasRefused) return;
    const lastText = said.findLastIndex(({ type, text }) => type === 'text' && text.trim() !== '');
    for (const [index, block] of said.entries()) {
      // What was pondered before an answer was not done.
      if (block.type === 'thinking' && index < lastText) continue;
      const isCut = index === said.length - 1 && stopReasonOf(finishReason) === 'output_limit';
      const { calls: written, rest, cutTool } = writtenCalls(block.text, offered, isCut);
      if (written.length === 0 && cutTool === null) continue;
      const markup = block.text;
      block.text = rest;
      for (const { tool, input } of written) {
        const opened = answer.openCall(tool);
        answer.addInput(opened, JSON.stringify(input));
        answer.closeCall(opened);
      }
      if (cutTool !== null) answer.openCall(cutTool).text = markup;
    }
  }

  return {
    read(data) {
      if (data.trim() === '[DONE]') return finishReason !== null;
      readChunk(parseEvent(data), 'delta');
      return false;
    },
    readWhole: (body) => readChunk(parseEvent(body), 'message'),
    isThinking: answer.isThinking,
    isWhole: () => finishReason !== null,
    finish() {
      recognise();
      const detailed = said.find((block) => block.type === 'thinking' && block.signature === detailsField);
      if (detailed?.type === 'thinking') detailed.opaque = JSON.stringify(details.all());
      const { usage: total, costUsd } = spentOf(usage, usageOf, costOf);
      return answer.finish(hasRefused ? 'refusal' : stopReasonOf(finishReason), total, costUsd);
    },
  };
}

function failure(chunk: Fields) {
  const status = number(fields(chunk.error).code);
  return providerError({ status: status >= 300 && status < 600 ? status : 0, ...describeFailure(chunk) });
}

function stopReasonOf(reason: string | null): StopReason {
  switch (reason) {
    case 'length':
    case 'model_length':
      return 'output_limit';
    case 'tool_calls':
    case 'function_call':
      return 'tool_calls';
    case 'content_filter':
      return 'refusal';
    default:
      return 'end';
  }
}

/** `prompt_tokens` counts cached ones too. Reasoning is a part of `completion_tokens`, but beside it at some servers. */
function usageOf(raw: Fields): Usage {
  const details = fields(raw.prompt_tokens_details);
  const prompt = number(raw.prompt_tokens);
  const cacheReadTokens = Math.min(
    prompt,
    number(details.cached_tokens) || number(raw.cached_tokens) || number(raw.prompt_cache_hit_tokens),
  );
  const cacheWriteTokens = Math.min(prompt - cacheReadTokens, number(details.cache_write_tokens));
  const completion = number(raw.completion_tokens);
  const reasoningTokens = number(fields(raw.completion_tokens_details).reasoning_tokens);
  const isBeside = reasoningTokens > 0 && number(raw.total_tokens) === prompt + completion + reasoningTokens;
  const outputTokens = isBeside ? completion + reasoningTokens : completion;
  return {
    inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: 0,
    reasoningTokens: Math.min(reasoningTokens, outputTokens),
  };
}
