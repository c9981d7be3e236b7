import type { ModelRequest } from '@pawl/engine';
import type { Message } from '@pawl/protocol';

/**
 * What of a message is compared between a recording and its replay: roles, texts, tool names, inputs, and results.
 * Not ids, usage, cost and thinking, nor the system prompt and descriptions of tools, which hold dates and folders.
 */
export type Comparable =
  | { role: 'user' | 'assistant'; text: string; calls?: { tool: string; input: unknown }[] }
  | { role: 'tool'; results: { tool: string; status: string; content: string }[] };

/** `all`, or `calls`: what tools answered may differ, what was asked of them may not. */
export type Comparison = 'all' | 'calls';

export function comparable(message: Message): Comparable {
  if (message.role === 'tool') {
    return { role: 'tool', results: message.results.map(({ tool, status, content }) => ({ tool, status, content })) };
  }
  let text = '';
  const calls: { tool: string; input: unknown }[] = [];
  for (const part of message.content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'tool_call') calls.push({ tool: part.tool, input: part.input });
  }
  return { role: message.role, text, ...(calls.length === 0 ? {} : { calls }) };
}

/** The first difference between two histories as a sentence, or null. */
export function difference(recorded: readonly Comparable[], now: readonly Comparable[], by: Comparison): string | null {
  for (let index = 0; index < Math.max(recorded.length, now.length); index++) {
    const [before, after] = [recorded[index], now[index]];
    const [a, b] = [canonical(before, by), canonical(after, by)];
    if (a === b) continue;
    const place = `message ${index + 1}`;
    if (before === undefined) return `${place} (${after?.role}) was not there: ${excerpt(b, 0)}`;
    if (after === undefined) return `${place} (${before.role}) is missing: ${excerpt(a, 0)}`;
    let at = 0;
    while (a[at] === b[at]) at++;
    return `${place} (${before.role}) was ${excerpt(a, at)} and is ${excerpt(b, at)}`;
  }
  return null;
}

export function toolNames(request: ModelRequest): string[] {
  return request.tools.map(({ name }) => name).sort();
}

function canonical(message: Comparable | undefined, by: Comparison): string {
  if (message === undefined) return '';
  const shown =
    by === 'calls' && message.role === 'tool'
      ? { role: 'tool', results: message.results.map(({ tool }) => tool) }
      : message;
  return JSON.stringify(shown, (_key, value: unknown) => (isObject(value) ? sorted(value) : value));
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The order of an object's keys means nothing. */
function sorted(value: { [key: string]: unknown }): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function excerpt(json: string, at: number): string {
  const start = Math.max(0, at - 30);
  return `“${start > 0 ? '…' : ''}${json.slice(start, at + 90)}${at + 90 < json.length ? '…' : ''}”`;
}
