import type { AssistantMessage, FilePart, Message, ToolResult, UserMessage } from '@pawl/protocol';
import { resultText } from '@pawl/protocol';
import { type BytesOf, isTextType, showFile, type Takes, textOfFile } from '../files.ts';
import { toolName } from '../tool-name.ts';
import { readSignature, separator } from './reasoning.ts';

/** What writing a message depends on beside it. */
export type Writing = {
  /** Whether the model that is called wrote it. */
  isOwn: boolean;
  /** Whether its reasoning may go back. */
  isSigned: boolean;
  /** Whether to mark its end as the end of what the provider should keep in its prompt cache. */
  isMarked: boolean;
  takes: Takes;
  bytesOf: BytesOf;
};

type Thinking = Extract<AssistantMessage['content'][number], { type: 'thinking' }>;

/** Of a tool's name. */
const maxNameCharacters = 64;
const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
/** Of one file; all of a request may have as much. Source: https://developers.openai.com/api/docs/guides/file-inputs. */
const maxFileBytes = 50 * 1024 * 1024;
const maxTextBytes = 4 * 1024 * 1024;

/** A message as input items of the Responses API. */
export function itemsOf(message: Message, writing: Writing): object[] {
  switch (message.role) {
    case 'user':
      return userItems(message, writing);
    case 'tool':
      return message.results.map((result, index) =>
        resultItem(result, { ...writing, isMarked: writing.isMarked && index === message.results.length - 1 }),
      );
    case 'assistant':
      return assistantItems(message, writing);
    default:
      return message satisfies never;
  }
}

/** Text from outside the model. */
export function textContent(text: string): object {
  return { type: 'input_text', text };
}

/** The same content with a cache mark on its last block. */
export function withMark(content: readonly object[]): object[] {
  const last = content.at(-1);
  return last === undefined ? [] : [...content.slice(0, -1), { ...last, ...mark }];
}

function userItems(message: UserMessage, writing: Writing): object[] {
  const content = message.content.flatMap((part) => {
    if (part.type === 'file') return [fileContent(part, writing)];
    return part.text.trim() === '' ? [] : [textContent(part.text)];
  });
  if (content.length === 0) return [];
  return [{ role: 'user', content: writing.isMarked ? withMark(content) : content }];
}

/** A plain text where it will do: not every server takes a list. */
function resultItem(result: ToolResult, writing: Writing): object {
  const { call, files = [] } = result;
  const content = resultText(result);
  const said = content.trim() === '' ? [] : [textContent(content)];
  const list = [...said, ...files.map((file) => fileContent(file, writing))];
  const isPlain = files.length === 0 && (!writing.isMarked || said.length === 0);
  const output = isPlain ? content : writing.isMarked ? withMark(list) : list;
  return { type: 'function_call_output', call_id: call, output };
}

function fileContent(file: FilePart, { takes, bytesOf }: Writing): object {
  const shown = showFile(file, bytesOf, takes, (mediaType) =>
    isTextType(mediaType) ? maxTextBytes : takes(mediaType) === true ? maxFileBytes : 0,
  );
  if (typeof shown === 'string') return textContent(shown);
  const { name, mediaType, base64 } = shown;
  if (isTextType(mediaType)) return textContent(`[file ${name}]\n${textOfFile(shown)}`);
  const data = `data:${mediaType};base64,${base64}`;
  return mediaType.startsWith('image/')
    ? { type: 'input_image', detail: 'auto', image_url: data }
    : { type: 'input_file', filename: name, file_data: data };
}

/** Reasoning is refused without the item that it led to, which a cancel or the output limit may have taken away. */
function assistantItems(message: AssistantMessage, { isOwn, isSigned }: Writing): object[] {
  const items: object[] = [];
  let thoughts: Thinking[] = [];
  function put(item: object): void {
    items.push(...reasoningItems(thoughts), item);
    thoughts = [];
  }
  for (const part of message.content) {
    switch (part.type) {
      case 'thinking':
        if (isOwn && isSigned) thoughts.push(part);
        break;
      case 'text':
        // Which answers were only on the way the model needs to know, however old they are.
        if (part.text.trim() !== '') {
          const phase = isOwn && part.signature !== undefined ? { phase: part.signature } : {};
          put({ role: 'assistant', content: part.text, ...phase });
        }
        break;
      case 'tool_call':
        put({
          type: 'function_call',
          call_id: part.id,
          name: toolName(part.tool, maxNameCharacters),
          arguments: JSON.stringify(part.input),
        });
        break;
      default:
        part satisfies never;
    }
  }
  return items;
}

/** Reasoning items exactly as they came, from thoughts that are theirs; without its seal a summary is refused. */
function reasoningItems(thoughts: readonly Thinking[]): object[] {
  const items: { id: string | undefined; parts: Thinking[] }[] = [];
  for (const part of thoughts) {
    const id = part.signature === undefined ? undefined : readSignature(part.signature).id;
    const last = items.at(-1);
    if (last !== undefined && id !== undefined && last.id === id) last.parts.push(part);
    else items.push({ id, parts: [part] });
  }
  return items.flatMap(({ id, parts }) => {
    const opaque = parts.at(-1)?.opaque;
    const summary: object[] = [];
    const content: object[] = [];
    for (const [index, { text, signature }] of parts.entries()) {
      if (parts.length === 1 && text === '') continue;
      const plain = index === 0 || !text.startsWith(separator) ? text : text.slice(separator.length);
      if (readSignature(signature ?? '').list === 'content') content.push({ type: 'reasoning_text', text: plain });
      else summary.push({ type: 'summary_text', text: plain });
    }
    if (opaque === undefined && content.length === 0) return [];
    return [
      {
        type: 'reasoning',
        ...(id === undefined ? {} : { id }),
        summary,
        ...(content.length === 0 ? {} : { content }),
        ...(opaque === undefined ? {} : { encrypted_content: opaque }),
      },
    ];
  });
}
