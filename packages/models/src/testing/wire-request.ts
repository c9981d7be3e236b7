import { fields, list, string } from '../wires/fields.ts';

/** One message of a request, whatever the wire. */
export type WireMessage = {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  calls: { id: string; tool: string; input: unknown }[];
  results: { call: string; content: string; isError: boolean }[];
};

/** A request as a server of either wire sees it. */
export type WireRequest = {
  wire: 'anthropic' | 'openai-chat';
  /** Counts the requests to this server, from 1. */
  number: number;
  model: string;
  system: string;
  tools: string[];
  messages: WireMessage[];
  headers: { readonly [name: string]: string | string[] | undefined };
  /** The body as it came. */
  raw: string;
  body: { [key: string]: unknown };
};

type Parsed = Pick<WireRequest, 'model' | 'system' | 'tools' | 'messages'>;

/** Reads the body of a Messages request. */
export function readAnthropic(body: { [key: string]: unknown }): Parsed {
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

/** Reads the body of a Chat Completions request; neighbouring results become one message. */
export function readOpenaiChat(body: { [key: string]: unknown }): Parsed {
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

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map(fields)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => string(text))
    .join('\n');
}
