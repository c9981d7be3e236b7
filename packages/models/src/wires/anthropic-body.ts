import type { ModelRequest, ToolSpec } from '@pawl/engine';
import type { AssistantMessage, AssistantPart, Message, ToolMessage, ToolResult, UserMessage } from '@pawl/protocol';
import { memo, memoLast, toJson } from './json.ts';
import { type Appended, createTranscripts } from './transcript.ts';

/** What of a request does not follow from the conversation. */
export type BodySettings = { model: string; id: string; thinkingBudgetTokens: number; isStreaming: boolean };

type Role = 'user' | 'assistant';
/** The role whose message stands open at the end, and whether a cache mark may stand on its last block. */
type End = { role: Role | null; canMark: boolean };

/** Marks the end of what the provider should keep in its prompt cache. */
const mark = ',"cache_control":{"type":"ephemeral"}';

/**
 * Makes request bodies of the Messages API, as pieces to be sent one after the other. Neighbours of one role become
 * one message, as the API wants it. Cache marks stand on the last tool, the system prompt and the last block of the
 * conversation: they are no part of what the provider compares, so the prefix stays the same while the last moves.
 * Source: https://docs.anthropic.com/en/api/messages and …/docs/build-with-claude/prompt-caching.
 */
export function createBodyMaker(settings: BodySettings): (request: ModelRequest) => Buffer[] {
  const start: End = { role: null, canMark: false };
  const transcriptOf = createTranscripts(start, (message, end) => append(message, end, settings.id));
  const toolsOf = memo(toolsJson);
  const systemOf = memoLast(systemJson);

  return (request) => {
    const head =
      `{"model":${JSON.stringify(settings.model)},"max_tokens":${request.maxOutputTokens},` +
      `"stream":${settings.isStreaming}${thinkingJson(settings.thinkingBudgetTokens, request.maxOutputTokens)}` +
      `${toolsOf(request.tools)}${systemOf(request.system)},"messages":[`;
    const { bytes, state } = transcriptOf(request.messages);
    // The mark goes inside the last block, before its closing brace.
    const conversation = state.canMark ? bytes.subarray(0, -1) : bytes;
    let rest = state.canMark ? `${mark}}` : '';
    let { role } = state;
    if (request.tail?.trim()) {
      rest += opening(role, 'user') + textJson(request.tail);
      role = 'user';
    }
    rest += role === null ? ']}' : ']}]}';
    return [Buffer.from(head), conversation, Buffer.from(rest)];
  };
}

/** What stands between the content so far and the next block. */
function opening(before: Role | null, role: Role): string {
  if (before === role) return ',';
  return `${before === null ? '' : ']},'}{"role":"${role}","content":[`;
}

function append(message: Message, end: End, id: string): Appended<End> {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const blocks = blocksOf(message, id);
  if (blocks.length === 0) return { text: '', state: end };
  return { text: opening(end.role, role) + blocks.join(','), state: { role, canMark: role === 'user' } };
}

function thinkingJson(budgetTokens: number, maxOutputTokens: number): string {
  // The budget counts as output, and the API wants at least 1024 and some room beside it.
  const budget = Math.min(budgetTokens, maxOutputTokens - 1024);
  return budget < 1024 ? '' : `,"thinking":{"type":"enabled","budget_tokens":${budget}}`;
}

function toolsJson(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  const list = tools.map(({ name, description, inputSchema }) =>
    toJson({ name, description, input_schema: inputSchema }),
  );
  return `,"tools":[${list.join(',').slice(0, -1)}${mark}}]`;
}

function systemJson(system: string): string {
  return system.trim() === '' ? '' : `,"system":[${textJson(system).slice(0, -1)}${mark}}]`;
}

function textJson(text: string): string {
  return toJson({ type: 'text', text });
}

function blocksOf(message: Message, id: string): string[] {
  switch (message.role) {
    case 'user':
      return userBlocks(message);
    case 'tool':
      return resultBlocks(message);
    case 'assistant':
      return assistantBlocks(message, id);
    default:
      return message satisfies never;
  }
}

function userBlocks(message: UserMessage): string[] {
  return message.content.filter(({ text }) => text.trim() !== '').map(({ text }) => textJson(text));
}

function resultBlocks(message: ToolMessage): string[] {
  return message.results.map((result: ToolResult) =>
    toJson({
      type: 'tool_result',
      tool_use_id: result.call,
      ...(result.content === '' ? {} : { content: result.content }),
      ...(result.status === 'ok' ? {} : { is_error: true }),
    }),
  );
}

function assistantBlocks(message: AssistantMessage, id: string): string[] {
  return message.content
    .map((part) => assistantBlock(part, message.model === id))
    .filter((block) => block !== null)
    .map(toJson);
}

/** Only the model that signed a thought is shown it again: others refuse the signature. */
function assistantBlock(part: AssistantPart, isOwn: boolean): object | null {
  switch (part.type) {
    case 'text':
      // An empty text is refused.
      return part.text.trim() === '' ? null : { type: 'text', text: part.text };
    case 'thinking':
      if (!isOwn) return null;
      if (part.opaque !== undefined) return { type: 'redacted_thinking', data: part.opaque };
      return part.signature === undefined ? null : { type: 'thinking', thinking: part.text, signature: part.signature };
    case 'tool_call':
      return { type: 'tool_use', id: part.id, name: part.tool, input: part.input };
    default:
      return part satisfies never;
  }
}
