import type { StopReason, Usage } from '@pawl/protocol';
import { fields, list, string } from '../wires/fields.ts';
import { deltasOf, type ScriptedAnswer, stopReasonOf } from './script.ts';
import { type ParsedRequest, textOf, type WireForm } from './wire-request.ts';

/** The Messages API as a server speaks it. */
export const anthropicForm: WireForm = {
  wire: 'anthropic',
  isAt: (path) => path.endsWith('/v1/messages'),
  read: readBody,
  stream: anthropicStream,
};

/** Reads the body of a Messages request. */
function readBody(body: { [key: string]: unknown }): ParsedRequest {
  return {
    model: string(body.model),
    system: textOf(body.system),
    tools: list(body.tools).map((tool) => string(fields(tool).name)),
    messages: list(body.messages)
      .map(fields)
      .map((message) => {
        const blocks = typeof message.content === 'string' ? [] : list(message.content).map(fields);
        const results = blocks
          .filter(({ type }) => type === 'tool_result')
          .map((block) => ({
            call: string(block.tool_use_id),
            content: textOf(block.content),
            isError: block.is_error === true,
          }));
        return {
          role: message.role === 'assistant' ? 'assistant' : results.length > 0 ? 'tool' : 'user',
          text: textOf(message.content),
          calls: blocks
            .filter(({ type }) => type === 'tool_use')
            .map((block) => ({ id: string(block.id), tool: string(block.name), input: block.input })),
          results,
        };
      }),
  };
}

/** A scripted answer as the Messages API streams it. */
export function anthropicStream(answer: ScriptedAnswer, model: string): string {
  const usage = answer.usage ?? {};
  const events: { type: string; [key: string]: unknown }[] = [
    {
      type: 'message_start',
      message: {
        id: 'msg_test',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...anthropicUsage(usage), output_tokens: 1 },
      },
    },
    { type: 'ping' },
  ];
  let index = 0;
  function block(start: object, deltas: object[]): void {
    events.push({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
    index++;
  }
  if (answer.thinking) {
    block({ type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: answer.thinking },
      { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
    ]);
  }
  const texts = deltasOf(answer);
  if (texts.length > 0)
    block(
      { type: 'text', text: '' },
      texts.map((text) => ({ type: 'text_delta', text })),
    );
  for (const [call, { tool, input = {}, malformed }] of (answer.calls ?? []).entries()) {
    const json = malformed ?? JSON.stringify(input);
    const half = Math.ceil(json.length / 2);
    block(
      { type: 'tool_use', id: `toolu_${call}`, name: tool, input: {} },
      [json.slice(0, half), json.slice(half)].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    );
  }
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason: anthropicStop(stopReasonOf(answer)), stop_sequence: null },
      usage: { output_tokens: usage.outputTokens ?? 0 },
    },
    { type: 'message_stop' },
  );
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function anthropicUsage(usage: Partial<Usage>): object {
  const hour = usage.cacheWriteHourTokens ?? 0;
  const short = usage.cacheWriteTokens ?? 0;
  return {
    input_tokens: usage.inputTokens ?? 0,
    cache_read_input_tokens: usage.cacheReadTokens ?? 0,
    cache_creation_input_tokens: short + hour,
    cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: hour },
  };
}

function anthropicStop(reason: StopReason): string {
  const words = {
    end: 'end_turn',
    tool_calls: 'tool_use',
    output_limit: 'max_tokens',
    stop_sequence: 'stop_sequence',
    refusal: 'refusal',
    pause: 'pause_turn',
  } satisfies Record<StopReason, string>;
  return words[reason];
}
