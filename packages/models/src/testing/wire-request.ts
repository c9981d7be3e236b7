import { fields, list, string } from '../wires/fields.ts';
import type { ScriptedAnswer } from './script.ts';

/** The wires that a test server speaks. */
export type ServedWire = 'anthropic' | 'openai-chat' | 'openai-responses' | 'google';

/** One message of a request, whatever the wire. */
export type WireMessage = {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  calls: { id: string; tool: string; input: unknown }[];
  results: { call: string; content: string; isError: boolean }[];
};

/** A request as a server of any wire sees it. */
export type WireRequest = {
  wire: ServedWire;
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

/** What a request says, read from its wire. */
export type ParsedRequest = Pick<WireRequest, 'model' | 'system' | 'tools' | 'messages'>;

/** One wire as a server speaks it. */
export type WireForm = {
  wire: ServedWire;
  /** Whether a path without its query is this wire's. Only its end counts: a proxy may put the whole address there. */
  isAt(path: string): boolean;
  read(body: { [key: string]: unknown }, path: string): ParsedRequest;
  /** A scripted answer as the API streams it. */
  stream(answer: ScriptedAnswer, model: string): string;
};

/** The text of a content that is a text or a list of parts. */
export function textOf(content: unknown, types: readonly string[] = ['text']): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map(fields)
    .filter(({ type }) => types.includes(string(type)))
    .map(({ text }) => string(text))
    .join('\n');
}
