import type { StopReason, Usage } from '@pawl/protocol';
import { deltasOf, type ScriptedAnswer, stopReasonOf } from './script.ts';

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

/** A scripted answer as the Chat Completions API streams it. */
export function openaiChatStream(answer: ScriptedAnswer, model: string): string {
  const usage = answer.usage ?? {};
  const chunk = (choices: object[], more: object = {}) => ({
    id: 'chatcmpl-test',
    object: 'chat.completion.chunk',
    created: 0,
    model,
    choices,
    ...more,
  });
  const delta = (value: object) => chunk([{ index: 0, delta: value, finish_reason: null }]);
  const chunks: object[] = [delta({ role: 'assistant', content: '' })];
  if (answer.thinking) chunks.push(delta({ reasoning_content: answer.thinking }));
  for (const text of deltasOf(answer)) chunks.push(delta({ content: text }));
  for (const [index, { tool, input = {}, malformed }] of (answer.calls ?? []).entries()) {
    const json = malformed ?? JSON.stringify(input);
    const half = Math.ceil(json.length / 2);
    chunks.push(
      delta({
        tool_calls: [
          { index, id: `call_${index}`, type: 'function', function: { name: tool, arguments: json.slice(0, half) } },
        ],
      }),
      delta({ tool_calls: [{ index, function: { arguments: json.slice(half) } }] }),
    );
  }
  chunks.push(
    chunk([{ index: 0, delta: {}, finish_reason: openaiStop(stopReasonOf(answer)) }]),
    chunk([], { usage: openaiUsage(usage) }),
  );
  return `${chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')}data: [DONE]\n\n`;
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

function openaiUsage(usage: Partial<Usage>): object {
  const cached = usage.cacheReadTokens ?? 0;
  const prompt = (usage.inputTokens ?? 0) + cached;
  const completion = usage.outputTokens ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
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

function openaiStop(reason: StopReason): string {
  const words = {
    end: 'stop',
    tool_calls: 'tool_calls',
    output_limit: 'length',
    stop_sequence: 'stop',
    refusal: 'content_filter',
    pause: 'stop',
  } satisfies Record<StopReason, string>;
  return words[reason];
}
