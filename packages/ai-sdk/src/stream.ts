import type { ModelEvent, ModelMessage } from '@pawl/engine';
import {
  type Block,
  type CallBlock,
  createAnswer,
  type Fields,
  fields,
  list,
  modelError,
  number,
  providerError,
  string,
  type TextBlock,
  type ThinkingBlock,
} from '@pawl/models/wiring';
import type { StopReason, Usage } from '@pawl/protocol';
import { readError } from './errors.ts';

/** Reads the parts of one answer of an AI SDK model. */
export type PartReader = {
  /** @throws what the model reports as an error. */
  read(part: unknown): void;
  /** The content of an answer that was not streamed. */
  readWhole(result: unknown): void;
  /** @throws `stream_cut` if no end came. */
  finish(): ModelMessage;
};

/**
 * What a provider says of a part (its signature, say) goes into `signature` as JSON, to be told again.
 * Source: https://github.com/vercel/ai/blob/main/packages/provider/src/language-model/v4/language-model-v4-stream-part.ts.
 */
export function createPartReader(
  emit: (event: ModelEvent) => void,
  costOf: (usage: Usage) => number | null,
  model: { specificationVersion: string; provider: string },
): PartReader {
  const answer = createAnswer(emit);
  const open = new Map<string, Block>();
  /** Calls that the provider runs itself, and text that is no JSON. */
  const passedOver = new Set<string>();
  let end: Fields | null = null;

  function textBlock(id: string): TextBlock {
    const block = open.get(`text ${id}`);
    return block?.type === 'text' ? block : opened(`text ${id}`, answer.openText());
  }
  function thinkingBlock(id: string): ThinkingBlock {
    const block = open.get(`reasoning ${id}`);
    return block?.type === 'thinking' ? block : opened(`reasoning ${id}`, answer.openThinking());
  }
  function opened<Kind extends Block>(key: string, block: Kind): Kind {
    open.set(key, block);
    return block;
  }
  function knownCall(id: string): CallBlock | null {
    const block = open.get(`call ${id}`);
    return block?.type === 'call' ? block : null;
  }

  function startCall(part: Fields): void {
    const id = string(part.id);
    if (part.providerExecuted === true || part.inputEncoding === 'text') passedOver.add(id);
    if (part.providerExecuted === true || knownCall(id) !== null) return;
    sign(opened(`call ${id}`, answer.openCall(string(part.toolName))), part);
  }

  /** The whole call; it may come without any delta before. */
  function readCall(part: Fields): void {
    if (part.providerExecuted === true) return;
    const id = string(part.toolCallId);
    const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {});
    const block = knownCall(id) ?? opened(`call ${id}`, answer.openCall(string(part.toolName)));
    sign(block, part);
    if (block.text === '') answer.addInput(block, input);
    else if (block.text !== input) {
      block.text = input;
      block.input = null;
    }
    answer.closeCall(block);
  }

  function read(value: unknown): void {
    const part = fields(value);
    const id = string(part.id);
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end': {
        const block = textBlock(id);
        answer.addText(block, string(part.delta));
        sign(block, part);
        if (part.type === 'text-end') open.delete(`text ${id}`);
        return;
      }
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end': {
        const block = thinkingBlock(id);
        answer.addThinking(block, string(part.delta));
        sign(block, part);
        if (part.type === 'reasoning-end') open.delete(`reasoning ${id}`);
        return;
      }
      case 'tool-input-start':
        startCall(part);
        return;
      case 'tool-input-delta': {
        const block = knownCall(id);
        if (block !== null && !passedOver.has(id)) answer.addInput(block, string(part.delta));
        return;
      }
      case 'tool-input-end': {
        const block = knownCall(id);
        if (block !== null) answer.closeCall(block);
        return;
      }
      case 'tool-call':
        readCall(part);
        return;
      case 'finish':
        end = part;
        return;
      case 'error':
        throw readError(part.error, model.provider, Date.now());
    }
  }

  return {
    read,
    readWhole(result) {
      const whole = fields(result);
      for (const [index, part] of list(whole.content).map(fields).entries()) {
        if (part.type !== 'text' && part.type !== 'reasoning') read(part);
        else read({ ...part, type: `${part.type}-end`, id: String(index), delta: part.text });
      }
      end = whole;
    },
    finish() {
      if (end === null || isCut(end.finishReason, model.specificationVersion)) {
        throw modelError('stream_cut', 'The answer stopped before its end. Try again.');
      }
      const reason = reasonOf(end.finishReason);
      if (reason === 'error') {
        throw providerError({ status: 0, kind: 'error', message: 'The model stopped because of an error.' });
      }
      const raw = fields(end.usage);
      const usage = usageOf(raw);
      // Nothing said is not nothing used.
      const isCounted = Object.values(raw).some((count) => typeof (fields(count).total ?? count) === 'number');
      return answer.finish(stopReasonOf(reason), usage, isCounted ? costOf(usage) : null);
    },
  };
}

/** Later words of a provider on the same part add to earlier ones. */
function sign(block: Block, part: Fields): void {
  const said = Object.entries(fields(part.providerMetadata));
  if (said.length === 0) return;
  const before = block.signature === '' ? {} : fields(JSON.parse(block.signature));
  for (const [provider, words] of said) before[provider] = { ...fields(before[provider]), ...fields(words) };
  block.signature = JSON.stringify(before);
}

/** A word in V2; since V3 an object with the provider's own word. */
function reasonOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : string(fields(reason).unified);
}

/** Whether no end was transmitted. Each version says so in its own way. */
function isCut(reason: unknown, version: string): boolean {
  const word = reasonOf(reason);
  if (version === 'v2') return word === 'unknown';
  return word === 'interrupted' || (version === 'v3' && word === 'other' && fields(reason).raw === undefined);
}

function stopReasonOf(reason: string): StopReason {
  switch (reason) {
    case 'length':
      return 'output_limit';
    case 'content-filter':
      return 'refusal';
    case 'tool-calls':
      return 'tool_calls';
    default:
      return 'end';
  }
}

/** Since V3 counts are told apart. In V2 some providers count what was cached in `inputTokens`, others beside it. */
function usageOf(usage: Fields): Usage {
  const input = fields(usage.inputTokens);
  const output = fields(usage.outputTokens);
  const total = number(input.total) || number(usage.inputTokens);
  const cacheReadTokens = number(input.cacheRead) || number(usage.cachedInputTokens);
  const cacheWriteTokens = number(input.cacheWrite);
  const cached = cacheReadTokens + cacheWriteTokens;
  const outside = cached <= total ? total - cached : total;
  const outputTokens = number(output.total) || number(usage.outputTokens);
  return {
    inputTokens: typeof input.noCache === 'number' ? number(input.noCache) : outside,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: 0,
    reasoningTokens: Math.min(outputTokens, number(output.reasoning) || number(usage.reasoningTokens)),
  };
}
