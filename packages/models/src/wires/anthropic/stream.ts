import type { ModelEvent } from '@pawl/engine';
import type { StopReason, Usage } from '@pawl/protocol';
import { describeFailure, providerError } from '../../http/failure.ts';
import { type Block, createAnswer, type TextBlock } from '../answer.ts';
import { type Fields, fields, list, number, string } from '../fields.ts';
import { type Decoder, parseEvent } from '../reader.ts';
import { spentOf } from '../spent.ts';
import { readPlainDelta } from './delta.ts';

/**
 * Reads the events of the Messages API. Blocks of kinds that Pawl does not ask for (server tools) and unknown events
 * are passed over, as the API's versioning policy wants: https://docs.anthropic.com/en/api/versioning.
 */
export function createDecoder(emit: (event: ModelEvent) => void, costOf: (usage: Usage) => number | null): Decoder {
  const answer = createAnswer(emit);
  /** Blocks under way, by the provider's index. */
  let open = new Map<number, Block>();
  /** The text block just before, if nothing else came after it. */
  let lastText: TextBlock | null = null;
  /** Ids of the calls that came with the start: a gateway may tell them once more. */
  let given = new Set<string>();
  let usage: Fields = {};
  let stopReason: string | null = null;
  /** Why the model refused, where the API says so. */
  let refusal = '';
  let hasStarted = false;

  function startMessage(message: Fields): void {
    // A proxy that lost its upstream may begin again in the same stream.
    if (hasStarted) answer.restart();
    hasStarted = true;
    open = new Map();
    lastText = null;
    given = new Set();
    usage = fields(message.usage);
    // What was ready before the stream began comes with its start: a call of code that runs at the provider, say.
    const blocks = list(message.content).map(fields);
    for (const [index, block] of blocks.entries()) {
      startBlock(index, block);
      stopBlock(index);
      if (block.type === 'tool_use') given.add(string(block.id));
    }
    if (blocks.length > 0) readEnd(message);
    tellUsage();
  }

  /** Before the end, which a call that is cancelled never sees. */
  function tellUsage(): void {
    if (Object.keys(usage).length > 0) emit({ type: 'usage', ...spentOf(usage, usageOf, costOf) });
  }

  function readEnd({ stop_reason, stop_details }: Fields): void {
    if (typeof stop_reason === 'string') stopReason = stop_reason;
    refusal = string(fields(stop_details).explanation) || refusal;
  }

  function startBlock(index: number, block: Fields): void {
    const before = open.get(index);
    if (before !== undefined) {
      if (isSameKind(before, block)) return;
      stopBlock(index);
    }
    const previous = lastText;
    lastText = null;
    switch (block.type) {
      case 'text': {
        // Citations split one text into many blocks; with nothing between them they are one part.
        const opened = previous ?? answer.openText();
        lastText = opened;
        open.set(index, opened);
        answer.addText(opened, string(block.text));
        return;
      }
      case 'thinking': {
        const opened = answer.openThinking();
        open.set(index, opened);
        answer.addThinking(opened, string(block.thinking));
        opened.signature = string(block.signature);
        return;
      }
      case 'redacted_thinking': {
        const opened = answer.openThinking();
        opened.opaque = string(block.data);
        open.set(index, opened);
        return;
      }
      case 'tool_use': {
        if (given.has(string(block.id))) return;
        const opened = answer.openCall(string(block.name));
        open.set(index, opened);
        // Whole from the start, where the server does not stream it.
        if (Object.keys(fields(block.input)).length > 0) answer.addInput(opened, JSON.stringify(block.input));
        return;
      }
    }
  }

  function addDelta(index: number, delta: Fields): void {
    const block = open.get(index);
    if (block === undefined) return;
    if (block.type === 'text') {
      if (delta.type === 'text_delta') answer.addText(block, string(delta.text));
    } else if (block.type === 'call') {
      if (delta.type === 'input_json_delta') answer.addInput(block, string(delta.partial_json));
    } else if (delta.type === 'thinking_delta') answer.addThinking(block, string(delta.thinking));
    else if (delta.type === 'signature_delta') block.signature += string(delta.signature);
  }

  function stopBlock(index: number): void {
    const block = open.get(index);
    open.delete(index);
    if (block?.type === 'call') answer.closeCall(block);
  }

  function readMessageDelta(event: Fields): void {
    readEnd(fields(event.delta));
    // Totals so far; what is not named here stands as the start said.
    for (const [key, value] of Object.entries(fields(event.usage))) if (value !== null) usage[key] = value;
    tellUsage();
  }

  return {
    read(data) {
      if (data === '[DONE]') return stopReason !== null;
      const plain = readPlainDelta(data);
      if (plain !== null) {
        addDelta(plain.index, plain.delta);
        return false;
      }
      const event = parseEvent(data);
      switch (event.type) {
        case 'content_block_delta':
          addDelta(number(event.index), fields(event.delta));
          return false;
        case 'content_block_start':
          startBlock(number(event.index), fields(event.content_block));
          return false;
        case 'content_block_stop':
          stopBlock(number(event.index));
          return false;
        case 'message_start':
          startMessage(fields(event.message));
          return false;
        case 'message_delta':
          readMessageDelta(event);
          return false;
        case 'message_stop':
          return hasStarted;
        case 'error':
          throw providerError({ status: 0, ...describeFailure(event) });
        default:
          // A failure in the shape of a compatible server.
          if (event.type === undefined && event.error !== undefined) {
            throw providerError({ status: 0, ...describeFailure(event) });
          }
          return false;
      }
    },
    readWhole(body) {
      const message = parseEvent(body);
      if (message.type === 'error' || message.error !== undefined) {
        throw providerError({ status: 0, ...describeFailure(message) });
      }
      startMessage(message);
      readEnd(message);
    },
    isThinking: answer.isThinking,
    isWhole: () => stopReason !== null && open.size === 0,
    finish() {
      for (const index of [...open.keys()]) stopBlock(index);
      if (stopReason === 'refusal') answer.addText(answer.openText(), refusal);
      const { usage: total, costUsd } = spentOf(usage, usageOf, costOf);
      return answer.finish(stopReasonOf(stopReason), total, costUsd);
    },
  };
}

function isSameKind(before: Block, next: Fields): boolean {
  const kind = before.type === 'call' ? 'tool_use' : before.type;
  return kind === (next.type === 'redacted_thinking' ? 'thinking' : next.type) && before.text === '';
}

function stopReasonOf(reason: string | null): StopReason {
  switch (reason) {
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'output_limit';
    case 'stop_sequence':
      return 'stop_sequence';
    case 'refusal':
      return 'refusal';
    case 'pause_turn':
      return 'pause';
    default:
      return 'end';
  }
}

/** `input_tokens` is outside the cache already; writes are told apart by lifetime where the provider does. */
function usageOf(raw: Fields): Usage {
  const hour = number(fields(raw.cache_creation).ephemeral_1h_input_tokens);
  return {
    inputTokens: number(raw.input_tokens),
    outputTokens: number(raw.output_tokens),
    cacheReadTokens: number(raw.cache_read_input_tokens),
    cacheWriteTokens: Math.max(0, number(raw.cache_creation_input_tokens) - hour),
    cacheWriteHourTokens: hour,
    reasoningTokens: Math.min(number(raw.output_tokens), number(fields(raw.output_tokens_details).thinking_tokens)),
  };
}
