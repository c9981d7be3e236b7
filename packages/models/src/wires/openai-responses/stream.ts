import type { ModelEvent } from '@pawl/engine';
import type { PawlError, StopReason, Usage } from '@pawl/protocol';
import { describeFailure, providerError } from '../../http/failure.ts';
import { createAnswer } from '../answer.ts';
import { type Fields, fields, list, number, string } from '../fields.ts';
import { type Decoder, parseEvent } from '../reader.ts';
import { spentOf } from '../spent.ts';
import { argumentsOf, createItems, type ItemKey } from './items.ts';

/** How the provider says that a response ended. */
type Ended = 'completed' | 'incomplete';

/**
 * Reads the events of the Responses API in all its dialects. Items of kinds that Pawl does not ask for (hosted tools)
 * and unknown events are passed over.
 * Source: https://developers.openai.com/api/reference/resources/responses/streaming-events.
 * @param offered Names of the tools that the model may call.
 */
export function createDecoder(
  emit: (event: ModelEvent) => void,
  costOf: (usage: Usage) => number | null,
  offered: ReadonlySet<string> = new Set(),
): Decoder {
  const answer = createAnswer(emit);
  let items = createItems(answer, offered);
  let ended: Ended | null = null;
  let incompleteReason = '';
  let hasRefused = false;
  let usage: Fields = {};

  /** A proxy that lost its upstream may begin again in the same stream. */
  function startResponse(): void {
    if (items.count() === 0) return;
    answer.restart();
    items = createItems(answer, offered);
    hasRefused = false;
  }

  function doneItem(key: ItemKey, item: Fields): void {
    items.done(key, item);
    if (list(item.content).some((part) => fields(part).type === 'refusal')) hasRefused = true;
  }

  function endResponse(response: Fields, how: Ended): void {
    // Some servers send only the end.
    if (items.count() === 0) {
      for (const [index, item] of list(response.output).entries()) doneItem(index, fields(item));
    }
    items.finish();
    usage = fields(response.usage);
    incompleteReason = string(fields(response.incomplete_details).reason);
    ended = how;
  }

  return {
    read(data) {
      if (data.trim() === '[DONE]') return ended !== null;
      const event = parseTolerantly(data);
      const key = keyOf(event);
      switch (event.type) {
        case 'response.output_text.delta':
          items.addText(key, string(event.delta));
          return false;
        case 'response.function_call_arguments.delta':
          items.addInput(key, string(event.delta));
          return false;
        case 'response.reasoning_summary_text.delta':
          items.addThinking(key, 'summary', number(event.summary_index), string(event.delta));
          return false;
        case 'response.reasoning_text.delta':
          items.addThinking(key, 'content', number(event.content_index), string(event.delta));
          return false;
        case 'response.refusal.delta':
          hasRefused = true;
          items.addText(key, string(event.delta));
          return false;
        case 'response.function_call_arguments.done':
          items.closeInput(key, argumentsOf(event.arguments));
          return false;
        case 'response.output_item.added':
          items.start(key, fields(event.item));
          return false;
        case 'response.output_item.done':
          doneItem(key, fields(event.item));
          return false;
        case 'response.created':
          startResponse();
          return false;
        case 'response.completed':
          endResponse(fields(event.response), 'completed');
          return true;
        case 'response.incomplete':
          endResponse(fields(event.response), 'incomplete');
          return true;
        case 'response.failed':
          throw failure(fields(event.response));
        case 'error':
          throw failure(event);
        default:
          // A failure in the shape of a compatible server.
          if (event.type === undefined && isGiven(event.error)) throw failure(event);
          return false;
      }
    },
    readWhole(body) {
      const response = parseEvent(body);
      const { status } = response;
      if (isGiven(response.error) || status === 'failed' || status === 'cancelled') throw failure(response);
      if (status === 'incomplete') endResponse(response, status);
      else if (status === 'completed' || status === undefined) endResponse(response, 'completed');
    },
    isThinking: answer.isThinking,
    isWhole: () => ended !== null,
    finish() {
      const { usage: total, costUsd } = spentOf(usage, usageOf, costOf);
      return answer.finish(hasRefused ? 'refusal' : stopReasonOf(ended, incompleteReason), total, costUsd);
    },
  };
}

/** Some gateways send events that lack their last brace. */
function parseTolerantly(data: string): Fields {
  try {
    return parseEvent(data);
  } catch (error) {
    if (!data.trimEnd().endsWith('}')) throw error;
    try {
      return parseEvent(`${data}}`);
    } catch {
      throw error;
    }
  }
}

function keyOf(event: Fields): ItemKey {
  const { output_index, item_id, item } = event;
  return typeof output_index === 'number' ? output_index : string(item_id) || string(fields(item).id);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Codes of failures that the same request meets again. */
const lasting = /^invalid_(?!api_key|request)|_policy|image|^unsupported_|data_residency/;

/** What `error` events, failed responses and compatible servers report. */
function failure(said: Fields): PawlError {
  const { kind, message } = describeFailure(isGiven(said.error) ? { error: said.error } : said);
  const isReasoned = isGiven(said.error) || typeof said.message === 'string';
  const [, wait, unit] = /try again in (\d+(?:\.\d+)?) ?(ms|s)/i.exec(message) ?? [];
  const retryAfterMs = Math.ceil(Number(wait) * (unit?.toLowerCase() === 's' ? 1000 : 1));
  return providerError(
    {
      status: 0,
      kind: kind.split(' ').some((word) => lasting.test(word)) ? 'invalid_request' : kind,
      message: isReasoned ? message : 'The response failed.',
    },
    wait === undefined ? {} : { retryAfterMs },
  );
}

function stopReasonOf(ended: Ended | null, incompleteReason: string): StopReason {
  if (ended !== 'incomplete') return 'end';
  return incompleteReason === 'content_filter' ? 'refusal' : 'output_limit';
}

/** `input_tokens` counts what was read from and written to the cache too. The longer lifetime here is 12 hours. */
function usageOf(raw: Fields): Usage {
  const details = fields(raw.input_tokens_details);
  const input = number(raw.input_tokens);
  const cacheReadTokens = Math.min(input, number(details.cached_tokens));
  const written = Math.min(input - cacheReadTokens, number(details.cache_write_tokens));
  const long = Math.min(written, number(fields(details.cache_write_tokens_details).ttl_12h_tokens));
  const outputTokens = number(raw.output_tokens);
  return {
    inputTokens: input - cacheReadTokens - written,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: written - long,
    cacheWriteHourTokens: long,
    reasoningTokens: Math.min(outputTokens, number(fields(raw.output_tokens_details).reasoning_tokens)),
  };
}
