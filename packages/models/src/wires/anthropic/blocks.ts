import type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  Message,
  ToolMessage,
  ToolResult,
  UserMessage,
} from '@pawl/protocol';
import { resultText } from '@pawl/protocol';
import { type BytesOf, isTextType, showFile, type Takes, textOfFile } from '../files.ts';
import { toJson } from '../json.ts';
import { toolName } from '../tool-name.ts';

/** What writing a message depends on beside it. */
export type Writing = {
  /** Whether the model that is called wrote it, and the API still takes its signatures. */
  isOwn: boolean;
  bytesOf: BytesOf;
  takes: Takes;
};

/** Of a tool's name. */
const maxNameCharacters = 128;

const megabyte = 1024 * 1024;
/** Source: https://platform.claude.com/docs/en/build-with-claude/vision; the base64 text counts. */
const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const maxImageBytes = 5 * megabyte;
/** A whole request may have 32 MB. Source: https://platform.claude.com/docs/en/build-with-claude/pdf-support. */
const maxDocumentBytes = 24 * megabyte;

/** The content blocks of a message, each as JSON. */
export function blocksOf(message: Message, writing: Writing): string[] {
  switch (message.role) {
    case 'user':
      return userBlocks(message, writing);
    case 'tool':
      return resultBlocks(message, writing);
    case 'assistant':
      return assistantBlocks(message, writing);
    default:
      return message satisfies never;
  }
}

/** An empty text is refused. */
export function textBlock(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}

function userBlocks(message: UserMessage, writing: Writing): string[] {
  return message.content.flatMap((part) => {
    if (part.type === 'file') return [toJson(fileBlock(part, writing))];
    return part.text.trim() === '' ? [] : [toJson(textBlock(part.text))];
  });
}

function resultBlocks(message: ToolMessage, writing: Writing): string[] {
  return message.results.map((result: ToolResult) =>
    toJson({ type: 'tool_result', tool_use_id: result.call, ...contentOf(result, writing) }),
  );
}

function contentOf(result: ToolResult, writing: Writing): object {
  const { files = [], status } = result;
  const content = resultText(result);
  const error = status === 'ok' ? {} : { is_error: true };
  if (files.length === 0) return content === '' ? error : { content, ...error };
  const text = content.trim() === '' ? [] : [textBlock(content)];
  const blocks = files.map((file) => fileBlock(file, writing));
  // An error that holds anything but text is refused, and every request after it; the text says that it is one.
  const isText = blocks.every(({ type }) => type === 'text');
  return { content: [...text, ...blocks], ...(isText ? error : {}) };
}

function fileBlock(file: FilePart, { bytesOf, takes }: Writing): { type: string; [field: string]: unknown } {
  const shown = showFile(file, bytesOf, takes, maxBytes);
  if (typeof shown === 'string') return textBlock(shown);
  const { name, mediaType, base64 } = shown;
  if (imageTypes.has(mediaType)) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } };
  }
  if (mediaType === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: mediaType, data: base64 }, title: name };
  }
  const text = textOfFile(shown);
  // An empty document is refused.
  if (text.trim() === '') return textBlock(`[file ${name}: empty]`);
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, title: name };
}

function maxBytes(mediaType: string): number {
  if (imageTypes.has(mediaType)) return maxImageBytes;
  return mediaType === 'application/pdf' || isTextType(mediaType) ? maxDocumentBytes : 0;
}

function assistantBlocks(message: AssistantMessage, { isOwn }: Writing): string[] {
  return message.content
    .map((part) => assistantBlock(part, isOwn))
    .filter((block) => block !== null)
    .map(toJson);
}

function assistantBlock(part: AssistantPart, isOwn: boolean): object | null {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : textBlock(part.text);
    case 'thinking':
      return isOwn ? thinkingBlock(part.text, part.signature, part.opaque) : null;
    case 'tool_call':
      return { type: 'tool_use', id: part.id, name: toolName(part.tool, maxNameCharacters), input: part.input };
    default:
      return part satisfies never;
  }
}

/** Exactly as it came, or not at all: only the model that signed a thought is shown it again, and only whole. */
function thinkingBlock(text: string, signature: string | undefined, opaque: string | undefined): object | null {
  if (opaque !== undefined) return { type: 'redacted_thinking', data: opaque };
  return signature === undefined ? null : { type: 'thinking', thinking: text, signature };
}
