import type { StopReason, Usage } from '@pawl/protocol';
import { fields, list, string } from '../wires/fields.ts';
import { deltasOf, type ScriptedAnswer, stopReasonOf } from './script.ts';
import { type ParsedRequest, textOf, type WireForm, type WireMessage } from './wire-request.ts';

/** The Responses API as a server speaks it. */
export const openaiResponsesForm: WireForm = {
  wire: 'openai-responses',
  isAt: (path) => path.endsWith('/responses'),
  read: readBody,
  stream: openaiResponsesStream,
};

const textTypes = ['input_text', 'output_text'];

/** Reads the body of a Responses request; items of one answer become one message, and so do neighbouring results. */
function readBody(body: { [key: string]: unknown }): ParsedRequest {
  const messages: WireMessage[] = [];
  const system = [string(body.instructions)];
  function last(role: WireMessage['role']): WireMessage {
    const before = messages.at(-1);
    if (before?.role === role && role !== 'user') return before;
    const message: WireMessage = { role, text: '', calls: [], results: [] };
    messages.push(message);
    return message;
  }
  for (const item of list(body.input).map(fields)) {
    if (item.type === 'function_call') {
      const input = JSON.parse(string(item.arguments) || '{}') as unknown;
      last('assistant').calls.push({ id: string(item.call_id), tool: string(item.name), input });
    } else if (item.type === 'function_call_output') {
      const content = textOf(item.output, textTypes);
      last('tool').results.push({ call: string(item.call_id), content, isError: false });
    } else if (item.role === 'system' || item.role === 'developer') system.push(textOf(item.content, textTypes));
    else if (item.role === 'assistant' || item.role === 'user') {
      const message = last(item.role);
      message.text = [message.text, textOf(item.content, textTypes)].filter((text) => text !== '').join('\n');
    }
  }
  return {
    model: string(body.model),
    system: system.filter((text) => text !== '').join('\n'),
    tools: list(body.tools).map((tool) => string(fields(tool).name)),
    messages,
  };
}

/** A scripted answer as the Responses API streams it. */
export function openaiResponsesStream(answer: ScriptedAnswer, model: string): string {
  const events: { type: string; [key: string]: unknown }[] = [];
  const output: object[] = [];
  const response = (status: string, more: object = {}) => ({
    response: { id: 'resp_test', object: 'response', created_at: 0, status, model, error: null, ...more },
  });
  function item(id: string, type: string, start: object, deltas: object[], whole: object): void {
    const output_index = output.length;
    events.push({ type: 'response.output_item.added', output_index, item: { id, type, ...start } });
    for (const delta of deltas) events.push({ type: '', item_id: id, output_index, ...delta });
    const done = { id, type, ...start, ...whole };
    output.push(done);
    events.push({ type: 'response.output_item.done', output_index, item: done });
  }

  events.push({ type: 'response.created', ...response('in_progress', { output: [], usage: null }) });
  if (answer.thinking) {
    item(
      'rs_test',
      'reasoning',
      { summary: [] },
      [{ type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: answer.thinking }],
      { summary: [{ type: 'summary_text', text: answer.thinking }], encrypted_content: 'c2VhbGVk' },
    );
  }
  const texts = deltasOf(answer);
  if (texts.length > 0) {
    item(
      'msg_test',
      'message',
      { role: 'assistant', content: [] },
      texts.map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta })),
      { content: [{ type: 'output_text', text: texts.join(''), annotations: [] }] },
    );
  }
  for (const [call, { tool, input = {}, malformed }] of (answer.calls ?? []).entries()) {
    const json = malformed ?? JSON.stringify(input);
    const half = Math.ceil(json.length / 2);
    item(
      `fc_${call}`,
      'function_call',
      { call_id: `call_${call}`, name: tool, arguments: '' },
      [json.slice(0, half), json.slice(half)].map((delta) => ({
        type: 'response.function_call_arguments.delta',
        delta,
      })),
      { arguments: json },
    );
  }
  const reason = incompleteReason(stopReasonOf(answer));
  const status = reason === null ? 'completed' : 'incomplete';
  events.push({
    type: `response.${status}`,
    ...response(status, {
      output,
      incomplete_details: reason === null ? null : { reason },
      usage: responsesUsage(answer.usage ?? {}),
    }),
  });
  return events
    .map((event, sequence_number) => ({ ...event, sequence_number }))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function responsesUsage(usage: Partial<Usage>): object {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const long = usage.cacheWriteHourTokens ?? 0;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens + long;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens + long,
      cache_write_tokens_details: { ttl_30m_tokens: cacheWriteTokens, ttl_12h_tokens: long },
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + outputTokens,
  };
}

function incompleteReason(reason: StopReason): string | null {
  const words = {
    end: null,
    tool_calls: null,
    output_limit: 'max_output_tokens',
    stop_sequence: null,
    refusal: 'content_filter',
    pause: null,
  } satisfies Record<StopReason, string | null>;
  return words[reason];
}
