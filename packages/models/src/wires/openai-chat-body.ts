import type { ModelRequest, ToolSpec } from '@pawl/engine';
import type { AssistantMessage, Message } from '@pawl/protocol';
import { memo, memoLast, toJson } from './json.ts';
import { reasoningFields } from './openai-chat-stream.ts';
import { createTranscripts } from './transcript.ts';

/** What of a request does not follow from the conversation. */
export type BodySettings = {
  model: string;
  id: string;
  isStreaming: boolean;
  /** What the server calls the limit of an answer. */
  outputLimitField: 'max_completion_tokens' | 'max_tokens';
};

/**
 * Makes request bodies of the Chat Completions API, as pieces to be sent one after the other.
 * Source: https://platform.openai.com/docs/api-reference/chat/create.
 */
export function createBodyMaker(settings: BodySettings): (request: ModelRequest) => Buffer[] {
  /** Each message ends with a comma, which the last piece takes up. */
  const transcriptOf = createTranscripts(null, (message) => {
    const list = wireMessages(message, settings.id);
    return { text: list.map((entry) => `${toJson(entry)},`).join(''), state: null };
  });
  const toolsOf = memo(toolsJson);
  const systemOf = memoLast((system) =>
    system.trim() === '' ? '' : `${toJson({ role: 'system', content: system })},`,
  );

  return (request) => {
    const head =
      `{"model":${JSON.stringify(settings.model)},"${settings.outputLimitField}":${request.maxOutputTokens},` +
      `${settings.isStreaming ? '"stream":true,"stream_options":{"include_usage":true}' : '"stream":false'}` +
      `${toolsOf(request.tools)},"messages":[${systemOf(request.system)}`;
    const { bytes } = transcriptOf(request.messages);
    if (request.tail?.trim()) {
      return [Buffer.from(head), bytes, Buffer.from(`${toJson({ role: 'user', content: request.tail })}]}`)];
    }
    const isEmpty = bytes.length === 0;
    const start = isEmpty ? head.replace(/,$/, '') : head;
    return [Buffer.from(start), isEmpty ? bytes : bytes.subarray(0, -1), Buffer.from(']}')];
  };
}

function toolsJson(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  const list = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  return `,"tools":${toJson(list)}`;
}

function wireMessages(message: Message, id: string): object[] {
  switch (message.role) {
    case 'user': {
      const content = textOf(message.content.map(({ text }) => text));
      return content === '' ? [] : [{ role: 'user', content }];
    }
    case 'tool':
      // Some servers want the tool's name as well; none refuses it.
      return message.results.map(({ call, tool, content }) => ({
        role: 'tool',
        tool_call_id: call,
        name: tool,
        content,
      }));
    case 'assistant':
      return assistantMessage(message, message.model === id);
    default:
      return message satisfies never;
  }
}

function assistantMessage(message: AssistantMessage, isOwn: boolean): object[] {
  const texts: string[] = [];
  const calls: object[] = [];
  const reasoning: { [field: string]: string } = {};
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
        texts.push(part.text);
        break;
      case 'tool_call':
        calls.push({
          id: part.id,
          type: 'function',
          function: { name: part.tool, arguments: JSON.stringify(part.input) },
        });
        break;
      case 'thinking':
        // Back to the model that thought it, in the field it came in: some refuse to go on without, others refuse
        // a field they did not use.
        if (isOwn && part.signature !== undefined && reasoningFields.has(part.signature)) {
          reasoning[part.signature] = (reasoning[part.signature] ?? '') + part.text;
        }
        break;
      default:
        part satisfies never;
    }
  }
  const content = textOf(texts);
  if (content === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: content === '' ? null : content,
      ...reasoning,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function textOf(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
