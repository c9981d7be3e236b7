import type { ModelRequest } from '@pawl/engine';
import type { JsonObject, ToolStatus } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';

/** A call that the demo asked for in this turn, and its result. */
export type Done = { tool: string; input: JsonObject; status: ToolStatus; content: string };

/** What was last asked, and the results that came since, in the order of their calls. */
export function readConversation({ messages }: ModelRequest): { asked: string; done: Done[] } {
  const start = messages.findLastIndex((message) => message.role === 'user' && message.source === 'input');
  const input = messages[start];
  const asked = input?.role === 'user' ? textOf(input.content) : '';
  const calls = new Map<string, { tool: string; input: JsonObject }>();
  const done: Done[] = [];
  for (const message of messages.slice(start + 1)) {
    if (message.role === 'assistant') {
      for (const part of message.content) if (part.type === 'tool_call') calls.set(part.id, part);
    } else if (message.role === 'tool') {
      for (const { call, tool, status, content } of message.results) {
        done.push({ tool, input: calls.get(call)?.input ?? {}, status, content });
      }
    }
  }
  return { asked, done };
}
