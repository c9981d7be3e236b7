import { type Fields, fields, list, string } from '../fields.ts';

/**
 * Models sometimes write their parallel calls as one call of a tool that exists only in their training.
 * Source: https://github.com/vercel/ai/pull/19098.
 */
const wrappers: ReadonlySet<string> = new Set(['parallel', 'multi_tool_use.parallel', 'multi_tool_use_parallel']);

/** Whether a call of `tool` is no call but a wrapper of calls: nobody offered a tool of that name. */
export function isWrapper(tool: string, offered: ReadonlySet<string>): boolean {
  return wrappers.has(tool) && !offered.has(tool);
}

/** The calls in a wrapper's arguments, in order, or null if there are none that can be read. */
export function unwrap(text: string): { tool: string; input: Fields }[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const calls = list(fields(value).tool_uses)
    .map(fields)
    .map(({ recipient_name, parameters }) => ({
      tool: string(recipient_name).replace(/^functions\./, ''),
      input: fields(parameters),
    }));
  return calls.length > 0 && calls.every(({ tool }) => tool !== '') ? calls : null;
}
