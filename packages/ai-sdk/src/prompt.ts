import type { ModelRequest } from '@pawl/engine';
import { type Parameters, withoutVariant } from '@pawl/models/wiring';
import type { AssistantMessage, FilePart, Message, ToolChoice, ToolResult } from '@pawl/protocol';
import { resultText } from '@pawl/protocol';
import type { AiSdkFile, AiSdkMessage, AiSdkOptions, AiSdkOutput, AiSdkPart, ProviderOptions } from './types.ts';

/** What of a request does not follow from the conversation. */
export type PromptSettings = {
  /** `v2`, `v3`, `v4`: they differ in how files are given. */
  version: string;
  id: string;
  parameters: Parameters;
  providerOptions: ProviderOptions | undefined;
};

/** Words that the SDK has for effort, from V4 on. */
const efforts: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** The options of the SDK in which `store` stands, by provider; an earlier SDK for Azure reads those of OpenAI. */
const storing: { readonly [provider: string]: readonly string[] } = {
  openai: ['openai'],
  azure: ['azure', 'openai'],
  'azure-openai': ['azure', 'openai'],
};

/**
 * OpenAI keeps each conversation unless it is told not to; the log has all of it, so nothing needs to stay there. What the
 * user says of it holds.
 */
export function unstored(provider: string, own: ProviderOptions | undefined): ProviderOptions | undefined {
  const names = storing[provider];
  if (names === undefined) return own;
  const said = names.find((name) => own?.[name]?.store !== undefined);
  if (said !== undefined) return own;
  return { ...own, ...Object.fromEntries(names.map((name) => [name, { ...own?.[name], store: false }])) };
}

/** A request as the AI SDK's models want it. */
export function createOptions(settings: PromptSettings, request: ModelRequest, signal: AbortSignal): AiSdkOptions {
  const { temperature, topP, stopSequences, effort } = settings.parameters;
  const hasEffort = settings.version === 'v4' && effort !== undefined && efforts.has(effort);
  const tools = request.tools.map((tool) => ({ type: 'function' as const, ...tool }));
  return {
    prompt: promptOf(settings, request),
    maxOutputTokens: request.maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(tools.length === 0 ? {} : { tools, toolChoice: choiceOf(request.toolChoice) }),
    ...(request.outputSchema === undefined
      ? {}
      : { responseFormat: { type: 'json' as const, schema: request.outputSchema } }),
    ...(hasEffort ? { reasoning: effort } : {}),
    ...(settings.providerOptions === undefined ? {} : { providerOptions: settings.providerOptions }),
    abortSignal: signal,
  };
}

function choiceOf(choice: ToolChoice = 'auto'): NonNullable<AiSdkOptions['toolChoice']> {
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.tool } : { type: choice };
}

function promptOf(settings: PromptSettings, request: ModelRequest): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = [];
  if (request.system.trim() !== '') prompt.push({ role: 'system', content: request.system });
  for (const [index, message] of request.messages.entries()) {
    const content = contentOf(message, index, settings, request);
    if (content.length > 0) prompt.push({ role: message.role, content });
  }
  const tail = [request.tail ?? '', schemaText(request)].filter((text) => text.trim() !== '').join('\n\n');
  if (tail.trim() !== '') prompt.push({ role: 'user', content: [{ type: 'text', text: tail }] });
  return prompt;
}

/** Said as well as asked for: what a provider of the SDK makes of a schema, nobody can tell beforehand. */
function schemaText({ outputSchema }: ModelRequest): string {
  if (outputSchema === undefined) return '';
  return `Your final answer must be JSON, and nothing else, that satisfies this JSON Schema: ${JSON.stringify(outputSchema)}`;
}

function contentOf(message: Message, index: number, settings: PromptSettings, request: ModelRequest): AiSdkPart[] {
  switch (message.role) {
    case 'user':
      return message.content.flatMap((part): AiSdkPart[] => {
        if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
        const data = bytesOf(part, request);
        if (data === null) return [{ type: 'text', text: lost(part) }];
        return [file(part, settings.version === 'v4' ? { type: 'data', data } : data)];
      });
    case 'tool':
      return message.results.map((result) => ({
        type: 'tool-result',
        toolCallId: result.call,
        toolName: result.tool,
        output: outputOf(result, settings.version, request),
      }));
    case 'assistant':
      return assistantParts(message, isOwn(message, settings.id) && index >= (request.signedFrom ?? 0));
    default:
      return message satisfies never;
  }
}

function isOwn(message: AssistantMessage, id: string): boolean {
  return withoutVariant(message.model) === withoutVariant(id);
}

/** Only the model that thought is shown its thoughts again, with what its provider said of them. */
function assistantParts(message: AssistantMessage, isSigned: boolean): AiSdkPart[] {
  return message.content.flatMap((part): AiSdkPart[] => {
    const providerOptions = isSigned ? readMetadata(part.signature) : undefined;
    const more = providerOptions === undefined ? {} : { providerOptions };
    switch (part.type) {
      case 'text':
        return part.text.trim() === '' && providerOptions === undefined
          ? []
          : [{ type: 'text', text: part.text, ...more }];
      case 'thinking':
        return isSigned ? [{ type: 'reasoning', text: part.text, ...more }] : [];
      case 'tool_call':
        return [{ type: 'tool-call', toolCallId: part.id, toolName: part.tool, input: part.input, ...more }];
      default:
        return part satisfies never;
    }
  });
}

/** What `signature` holds where the bridge wrote it. */
function readMetadata(signature: string | undefined): ProviderOptions | undefined {
  if (signature === undefined) return undefined;
  try {
    return JSON.parse(signature) as ProviderOptions;
  } catch {
    // Another wire of the same name signed it.
    return undefined;
  }
}

function outputOf(result: ToolResult, version: string, request: ModelRequest): AiSdkOutput {
  const texts = [resultText(result)];
  const files: AiSdkFile[] = [];
  for (const part of result.files ?? []) {
    const data = bytesOf(part, request);
    if (data === null) texts.push(lost(part));
    else files.push(resultFile(part, data, version));
  }
  const text = texts.join('\n');
  if (result.status !== 'ok') return { type: 'error-text', value: text };
  if (files.length === 0) return { type: 'text', value: text };
  return { type: 'content', value: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files] };
}

function resultFile(part: FilePart, data: string, version: string): AiSdkFile {
  if (version === 'v4') return file(part, { type: 'data', data });
  if (version === 'v2') return { type: 'media', mediaType: part.mediaType, data };
  const isImage = part.mediaType.startsWith('image/');
  return { ...file(part, data), type: isImage ? 'image-data' : 'file-data' };
}

function file({ mediaType, name }: FilePart, data: AiSdkFile['data']): AiSdkFile {
  return { type: 'file', mediaType, data, ...(name === undefined ? {} : { filename: name }) };
}

/** Base64, which every version takes everywhere. */
function bytesOf(part: FilePart, request: ModelRequest): string | null {
  const bytes = request.file?.(part.digest) ?? null;
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function lost(part: FilePart): string {
  return `[file ${part.name ?? part.mediaType}: its bytes are lost]`;
}
