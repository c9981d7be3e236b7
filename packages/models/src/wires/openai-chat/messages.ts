import { createHash } from 'node:crypto';
import type { AssistantMessage, FilePart, Message, ToolMessage, UserMessage } from '@pawl/protocol';
import { resultText } from '@pawl/protocol';
import { type BytesOf, isTextType, showFile, type Takes, textOfFile } from '../files.ts';
import { toolName } from '../tool-name.ts';
import type { Dialect } from './dialects.ts';
import { contentField, detailsField, reasoningFields } from './reasoning.ts';

/** What writing a message depends on beside it. */
export type Writing = { isOwn: boolean; dialect: Dialect; bytesOf: BytesOf; takes: Takes };

/** Of a tool's name. */
const maxNameCharacters = 64;

const megabyte = 1024 * 1024;
/** Source: https://platform.openai.com/docs/guides/images-vision and …/pdf-files. Others allow less or do not say. */
const maxImageBytes = 20 * megabyte;
const maxDocumentBytes = 32 * megabyte;

/** What is said in the model's place, where a server lets nobody else speak after a result. */
const answerToResults = { role: 'assistant', content: 'I have the results.' };

/** Messages of the API for one of ours; `follows` is the role just before. */
export function wireMessages(message: Message, follows: string | null, writing: Writing): object[] {
  switch (message.role) {
    case 'user':
      return userMessages(message, follows, writing);
    case 'tool':
      return resultMessages(message, writing);
    case 'assistant':
      return assistantMessages(message, writing);
    default:
      return message satisfies never;
  }
}

/** A message of the user after `follows`. */
export function userAfter(follows: string | null, content: string | object[], dialect: Dialect): object[] {
  const message = { role: 'user', content };
  return follows === 'tool' && dialect.needsAnswerToResults ? [answerToResults, message] : [message];
}

function userMessages(message: UserMessage, follows: string | null, writing: Writing): object[] {
  const files = message.content.filter((part) => part.type === 'file').map((file) => filePart(file, writing));
  const text = joined(message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  if (files.length === 0) return text === '' ? [] : userAfter(follows, text, writing.dialect);
  const parts = text === '' ? files : [{ type: 'text', text }, ...files];
  return userAfter(follows, parts, writing.dialect);
}

/** Files cannot stand in results: they follow, with the name of the call that brought them. */
function resultMessages(message: ToolMessage, writing: Writing): object[] {
  const { dialect } = writing;
  const messages: object[] = message.results.map((result) => ({
    role: 'tool',
    tool_call_id: callId(result.call, dialect),
    // Some servers want the tool's name as well; none refuses it.
    name: toolName(result.tool, maxNameCharacters),
    content:
      result.content === '' && (result.files ?? []).length > 0 ? 'See the files that follow.' : resultText(result),
  }));
  const parts = message.results.flatMap(({ tool, files = [] }) =>
    files.length === 0
      ? []
      : [{ type: 'text', text: `Files of the result of ${tool}:` }, ...files.map((file) => filePart(file, writing))],
  );
  return parts.length === 0 ? messages : [...messages, ...userAfter('tool', parts, dialect)];
}

function filePart(file: FilePart, { bytesOf, takes, dialect }: Writing): object {
  const shown = showFile(file, bytesOf, takes, (mediaType) => maxBytes(mediaType, dialect));
  if (typeof shown === 'string') return { type: 'text', text: shown };
  const { name, mediaType, base64 } = shown;
  if (isTextType(mediaType)) return { type: 'text', text: `[file ${name}]\n${textOfFile(shown)}` };
  const url = `data:${mediaType};base64,${base64}`;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { filename: name, file_data: url } };
}

function maxBytes(mediaType: string, { takesImages, takesDocuments }: Dialect): number {
  if (isTextType(mediaType)) return maxDocumentBytes;
  if (/^image\/(png|jpeg|gif|webp)$/.test(mediaType)) return takesImages ? maxImageBytes : 0;
  return mediaType === 'application/pdf' && takesDocuments ? maxDocumentBytes : 0;
}

function assistantMessages(message: AssistantMessage, { isOwn, dialect }: Writing): object[] {
  const texts: string[] = [];
  const calls: object[] = [];
  const thoughts: { [field: string]: string } = {};
  let details: unknown;
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
        texts.push(part.text);
        break;
      case 'tool_call':
        calls.push({
          id: callId(part.id, dialect),
          type: 'function',
          function: { name: toolName(part.tool, maxNameCharacters), arguments: JSON.stringify(part.input) },
        });
        break;
      case 'thinking':
        // Back to the model that thought it, in the field it came in: some refuse to go on without, others refuse
        // a field they did not use.
        if (!isOwn || part.signature === undefined) break;
        if (part.signature === detailsField) details ??= parsed(part.opaque);
        else if (part.signature === contentField || reasoningFields.has(part.signature)) {
          thoughts[part.signature] = (thoughts[part.signature] ?? '') + part.text;
        }
        break;
      default:
        part satisfies never;
    }
  }
  const { [contentField]: thinking, ...fields } = thoughts;
  const text = joined(texts);
  if (text === '' && calls.length === 0) return [];
  if (calls.length > 0 && dialect.needsReasoningOfCalls) fields.reasoning_content ??= '';
  return [
    {
      role: 'assistant',
      content: thinking === undefined ? (text === '' ? null : text) : listOf(thinking, text),
      ...fields,
      ...(details === undefined ? {} : { [detailsField]: details }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** Content as a list of thoughts and text, which is how it came. */
function listOf(thinking: string, text: string): object[] {
  const thought = { type: 'thinking', thinking: [{ type: 'text', text: thinking }] };
  return text === '' ? [thought] : [thought, { type: 'text', text }];
}

function parsed(opaque: string | undefined): unknown {
  try {
    return opaque === undefined ? undefined : JSON.parse(opaque);
  } catch {
    // Written by something else than this wire.
    return undefined;
  }
}

/** Ours, or nine letters and digits that follow from it. */
function callId(id: string, { hasShortCallIds }: Dialect): string {
  return hasShortCallIds ? createHash('sha256').update(id).digest('hex').slice(0, 9) : id;
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
