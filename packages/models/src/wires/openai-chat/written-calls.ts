import type { JsonObject } from '@pawl/protocol';
import { begunCall } from './begun-call.ts';

/** A call that a model wrote as text, because its server did not understand it as one. */
type WrittenCall = { tool: string; input: JsonObject };
/** The calls of a text, what the text says without them, and the tool of a call that the output limit cut. */
export type Written = { calls: WrittenCall[]; rest: string; cutTool: string | null };
/** A call, or neighbours in one frame, where they stand in the text. */
type Found = { start: number; end: number; calls: WrittenCall[] };

/** One way of writing calls: where one stands, and what it says; null if it is none. */
type Form = { pattern: RegExp; read: (match: RegExpExecArray) => WrittenCall[] | null };

/** The forms of the chat templates of open models. */
const forms: readonly Form[] = [
  // Hermes, Qwen: <tool_call>{"name": …, "arguments": {…}}</tool_call>; Qwen Coder and GLM with tags inside.
  {
    pattern: /<(?:[\w-]+:)?tool_calls?>\s*([\s\S]*?)\s*(?:<\/(?:[\w-]+:)?tool_calls?>|$)/g,
    read: ([, inner = '']) => readAny(inner),
  },
  // Llama, Qwen Coder: <function=name>{…}</function>, or with <parameter=…>.
  { pattern: /<function=[\w.:-]+>[\s\S]*?(?:<\/function>|$)/g, read: ([all]) => readFunctions(all) },
  // Claude's of old, MiniMax, DeepSeek: <invoke name="…"><parameter name="…">…</parameter></invoke>.
  {
    pattern:
      /(?:<[｜|\w:-]*function_calls>\s*)?<(?:｜DSML｜)?invoke name="[^"]+">[\s\S]*?<\/(?:｜DSML｜)?invoke>(?:\s*<\/[｜|\w:-]*function_calls>)?/g,
    read: ([all]) => readInvokes(all),
  },
  // DeepSeek: name, then JSON, which older ones put in a fence after the word "function".
  {
    pattern: new RegExp(
      String.raw`(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.:-]+)(?:<｜tool▁sep｜>|\s)\s*(?:${'```'}json)?\s*(\{[\s\S]*?\})\s*(?:${'```'})?\s*(?:<｜tool▁call▁end｜>|$)(?:\s*<｜tool▁calls▁end｜>)?`,
      'g',
    ),
    read: ([, tool = '', json = '']) => readNamed(tool, json),
  },
  // Kimi: functions.name:0, then JSON.
  {
    pattern:
      /(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(\{[\s\S]*?\})\s*(?:<\|tool_call_end\|>|$)(?:\s*<\|tool_calls_section_end\|>)?/g,
    read: ([, tool = '', json = '']) => readNamed(tool, json),
  },
  // Mistral: [TOOL_CALLS]name[ARGS]{…}, or a list of objects.
  {
    pattern: /\[TOOL_CALLS\]\s*([\w.-]+)\s*\[ARGS\]\s*(\{[\s\S]*?\})\s*(?=\[TOOL_CALLS\]|$)/g,
    read: ([, tool = '', json = '']) => readNamed(tool, json),
  },
  {
    pattern: /\[TOOL_CALLS\]\s*(\[[\s\S]*\])\s*$/g,
    read: ([, json = '']) => readList(json),
  },
];

/** Frames that may stand open before a call or closed after it, without a partner. */
const strayEnds =
  /^(?:\s|<\/(?:[\w-]+:)?tool_calls?>|<\/[｜|\w:-]*function_calls>|<｜tool▁calls▁end｜>|<\|tool_calls_section_end\|>)*$/;
const strayStart = /\s*<(?:[\w-]+:)?tool_calls?>\s*$/;
/** Stands for what a cut text lacks, so that nothing counts as its end. */
const missing = '\u0000';

/**
 * The calls that `text` ends with as markup, of tools that were offered, in their order. What stands elsewhere, inside
 * a fence of code or between backticks is quoted, and no call.
 * @param isCut Whether the output limit cut the text: then only a call with its closing tag is one.
 */
export function writtenCalls(text: string, offered: ReadonlySet<string>, isCut = false): Written {
  // Nearly every answer is done here.
  if (offered.size === 0 || !/<[^\s>]*(tool|function|invoke)|\[TOOL_CALLS\]/.test(text))
    return { calls: [], rest: text, cutTool: null };
  const found = isCut ? callsIn(text + missing, offered).filter((one) => isClosed(text, one)) : callsIn(text, offered);
  const isKnown = (position: number) =>
    isQuoted(text, position) || found.some(({ start, end }) => position >= start && position < end);
  const cut = isCut ? begunCall(text, offered, isKnown) : null;
  let begin = cut?.start ?? text.length;
  const calls: WrittenCall[] = [];
  for (const { start, end, calls: next } of found.toReversed()) {
    if (start >= begin) continue;
    if (!strayEnds.test(text.slice(end, begin))) break;
    calls.unshift(...next);
    begin = start;
  }
  if (calls.length === 0 && cut === null) return { calls, rest: text, cutTool: null };
  return { calls, rest: text.slice(0, begin).replace(strayStart, '').trim(), cutTool: cut?.tool ?? null };
}

/** Whether a call in a text that was cut has its own end, and not that of a call that one of its values quotes. */
function isClosed(text: string, { start, end }: Found): boolean {
  const call = text.slice(start, end);
  return end <= text.length && call.split('<function=').length === call.split('</function>').length;
}

/** All calls in a text, wherever they stand, in their order. */
function callsIn(text: string, offered: ReadonlySet<string>): Found[] {
  const found: Found[] = [];
  for (const { pattern, read } of forms) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (isQuoted(text, start) || found.some((other) => start < other.end && end > other.start)) continue;
      const calls = read(match);
      if (calls !== null && calls.length > 0 && calls.every(({ tool }) => offered.has(tool))) {
        found.push({ start, end, calls });
      }
    }
  }
  return found.sort((left, right) => left.start - right.start);
}

/** Inside a fence, or between backticks of one line. */
function isQuoted(text: string, position: number): boolean {
  const before = text.slice(0, position);
  const fences = before.match(/^\s*```/gm)?.length ?? 0;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return fences % 2 === 1 || (line.split('`').length - 1) % 2 === 1;
}

/** What stands between the tags of a call: JSON, or tags of another form. */
function readAny(inner: string): WrittenCall[] | null {
  if (inner.startsWith('{')) return readObject(inner) ?? readLines(inner);
  if (inner.startsWith('[')) return readList(inner);
  if (inner.startsWith('<function=')) return readFunctions(inner);
  if (/^<[^\s>]*invoke name=/.test(inner)) return readInvokes(inner);
  return readKeys(inner);
}

function readNamed(tool: string, json: string): WrittenCall[] | null {
  const input = objectOf(json);
  return input === null ? null : [{ tool, input }];
}

/** `{"name": …, "arguments": {…}}`, in the words of several templates. */
function readObject(json: string): WrittenCall[] | null {
  const call = callOf(objectOf(json));
  return call === null ? null : [call];
}

/** Several such objects, one a line. */
function readLines(text: string): WrittenCall[] | null {
  const calls = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [callOf(objectOf(line))]));
  return calls.every((call) => call !== null) ? calls : null;
}

function readList(json: string): WrittenCall[] | null {
  const value = jsonOf(json);
  if (!Array.isArray(value)) return null;
  const calls = value.map((entry: unknown) => callOf(isObject(entry) ? entry : null));
  return calls.every((call) => call !== null) ? calls : null;
}

function callOf(object: JsonObject | null): WrittenCall | null {
  const called = isObject(object?.function) ? object.function : object;
  if (called === null || typeof called.name !== 'string') return null;
  const given = called.arguments ?? called.parameters ?? called.input ?? {};
  const input = typeof given === 'string' ? objectOf(given) : isObject(given) ? given : null;
  return input === null ? null : { tool: called.name, input };
}

function readFunctions(text: string): WrittenCall[] | null {
  const calls: WrittenCall[] = [];
  for (const [, tool = '', inner = ''] of text.matchAll(/<function=([\w.:-]+)>([\s\S]*?)(?:<\/function>|$)/g)) {
    const body = inner.trim();
    const input = body.startsWith('{')
      ? objectOf(body)
      : parametersOf(body, /<parameter=([^>]+)>\n?([\s\S]*?)\n?(?:<\/parameter>|(?=<parameter=))/g);
    if (input === null) return null;
    calls.push({ tool, input });
  }
  return calls;
}

function readInvokes(text: string): WrittenCall[] | null {
  const calls: WrittenCall[] = [];
  for (const [, tool = '', inner = ''] of text.matchAll(/invoke name="([^"]+)">([\s\S]*?)<\/(?:｜DSML｜)?invoke>/g)) {
    const parameters = /<(?:｜DSML｜)?parameter name="([^"]+)"[^>]*>([\s\S]*?)<\/(?:｜DSML｜)?parameter>/g;
    const input = parametersOf(inner, parameters);
    if (input === null) return null;
    calls.push({ tool, input });
  }
  return calls;
}

/** GLM: the name, then pairs of key and value. */
function readKeys(text: string): WrittenCall[] | null {
  const tool = /^[\w.:-]+/.exec(text)?.[0];
  if (tool === undefined) return null;
  const pairs = /<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g;
  const input = parametersOf(text.slice(tool.length), pairs);
  return input === null ? null : [{ tool, input }];
}

/** Values are JSON where they can be, else text. Null if there is anything but parameters. */
function parametersOf(text: string, pattern: RegExp): JsonObject | null {
  const input: JsonObject = {};
  const others = text.replace(pattern, (match: string, name: string, value: string) => {
    const json = match.includes('string="true"') ? undefined : jsonOf(value);
    input[name.trim()] = json === undefined ? value : (json as JsonObject[string]);
    return '';
  });
  return others.trim() === '' ? input : null;
}

function objectOf(json: string): JsonObject | null {
  const value = jsonOf(json);
  return isObject(value) ? value : null;
}

function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
