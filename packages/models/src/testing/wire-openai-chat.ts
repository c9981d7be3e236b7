import type { StopReason, Usage } from '@pawl/protocol';
import { fields, list, string } from '../wires/fields.ts';
import { deltasOf, type ScriptedAnswer, stopReasonOf } from './script.ts';
import { type ParsedRequest, textOf, type WireForm, type WireMessage } from './wire-request.ts';

/** The Chat Completions API as a server speaks it. */
export const openaiChatForm: WireForm = {
  wire: 'openai-chat',
  isAt: (path) => path.endsWith('/chat/completions'),
  read: readBody,
  stream: openaiChatStream,
};

/** Reads the body of a Chat Completions request; neighbouring results become one message. */
function readBody(body: { [key: string]: unknown }): ParsedRequest {
  const all = list(body.messages).map(fields);
  const messages: WireMessage[] = [];
  for (const message of all) {
    if (message.role === 'system') continue;
    if (message.role === 'tool') {
      const result = { call: string(message.tool_call_id), content: textOf(message.content), isError: false };
      const last = messages.at(-1);
      if (last?.role === 'tool') last.results.push(result);
      else messages.push({ role: 'tool', text: '', calls: [], results: [result] });
      continue;
    }
    messages.push({
      role: message.role === 'assistant' ? 'assistant' : 'user',
      text: textOf(message.content),
      calls: list(message.tool_calls)
        .map(fields)
        .map((call) => ({
          id: string(call.id),
          tool: string(fields(call.function).name),
          input: JSON.parse(string(fields(call.function).arguments) || '{}') as unknown,
        })),
      results: [],
    });
  }
  return {
    model: string(body.model),
    system: all
      .filter(({ role }) => role === 'system')
      .map(({ content }) => textOf(content))
      .join('\n'),
    tools: list(body.tools).map((tool) => string(fields(fields(tool).function).name)),
    messages,
  };
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
