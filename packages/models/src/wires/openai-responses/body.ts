import type { ModelRequest, ToolSpec } from '@pawl/engine';
import type { Message } from '@pawl/protocol';
import type { Parameters } from '../../parameters.ts';
import { withoutVariant } from '../../select/names.ts';
import type { BytesOf, Takes } from '../files.ts';
import { memo, memoLast, toJson } from '../json.ts';
import type { CacheTime } from '../options.ts';
import { createTranscripts, type MessagePosition } from '../transcript.ts';
import { itemsOf, textContent, withMark } from './input.ts';
import { isEnforceable, isStrict } from './schema.ts';
import { effortOf, type Traits, takesSampling } from './traits.ts';

/** What of a request does not follow from the conversation. */
export type BodySettings = {
  model: string;
  id: string;
  isStreaming: boolean;
  parameters: Parameters;
  cache: CacheTime;
  traits: Traits;
  /** What nobody knows it to take, it is not sent. */
  takes: Takes;
};

/** The API refuses a lower limit. */
const minOutputTokens = 16;
/** Characters of a cache key. */
const longestKey = 64;

/**
 * Makes request bodies of the Responses API, as pieces to be sent one after the other. The provider keeps no
 * conversation (`store: false`): its reasoning goes back to it encrypted.
 *
 * Older models find the longest prefix that they know by themselves. Models from 5.6 on find one only where a mark
 * stood, and put a mark of their own at the very end, on text that is gone at the next step. So they get marks: on the
 * system prompt, and at the end of every message that is not the model's own, where they stay: a mark that moved would
 * not be found again. Source: https://developers.openai.com/api/docs/guides/prompt-caching.
 */
export function createBodyMaker(settings: BodySettings): (request: ModelRequest, asksSummary?: boolean) => Buffer[] {
  const { parameters, traits } = settings;
  const isMarked = traits.hasMarks && settings.cache !== 'off';
  const ownModel = withoutVariant(settings.id);
  let bytesOf: BytesOf = () => null;
  /** Each item ends with a comma, which the last piece takes up. */
  const transcriptOf = createTranscripts(null, append);
  const toolsOf = memo(toolsJson);
  const systemOf = memoLast((system) => systemJson(system, isMarked));
  const strictnessOf = memo(isStrict);
  // What makes an answer readable, and the conversation, are not for others to set.
  const { input: _input, stream: _stream, ...own } = parameters.body ?? {};

  function append(message: Message, _state: null, { isSigned }: MessagePosition) {
    const isOwn = message.role === 'assistant' && withoutVariant(message.model) === ownModel;
    const items = itemsOf(message, { isOwn, isSigned, isMarked, takes: settings.takes, bytesOf });
    return { text: items.map((item) => `${toJson(item)},`).join(''), state: null };
  }

  return (request, asksSummary = true) => {
    bytesOf = (digest) => request.file?.(digest) ?? null;
    const fields = {
      model: settings.model,
      max_output_tokens: Math.max(request.maxOutputTokens, minOutputTokens),
      stream: settings.isStreaming,
      store: false,
      // Models that do not think refuse to be asked.
      ...(traits.thinks === false ? {} : { include: ['reasoning.encrypted_content'] }),
      ...cacheFields(settings, request.session),
      ...thinkingFields(settings, asksSummary),
      ...textFields(settings, request, strictnessOf),
      ...choiceFields(request),
      ...own,
    };
    const system = systemOf(request.system);
    const head =
      toJson(fields).slice(0, -1) +
      ('instructions' in own ? '' : system.field) +
      ('tools' in own ? '' : toolsOf(request.tools)) +
      `,"input":[${system.item}`;
    const { bytes } = transcriptOf(request.messages, request.signedFrom);
    const rest = [request.tail, schemaText(request)]
      .filter((text) => text !== null && text.trim() !== '')
      .map((text) => `${toJson({ role: 'user', content: [textContent(String(text))] })},`)
      .join('');
    return withoutLastComma(head, bytes, rest);
  };
}

function withoutLastComma(head: string, conversation: Buffer, rest: string): Buffer[] {
  if (rest !== '') return [Buffer.from(head), conversation, Buffer.from(`${rest.slice(0, -1)}]}`)];
  if (conversation.length > 0) return [Buffer.from(head), conversation.subarray(0, -1), Buffer.from(']}')];
  return [Buffer.from(`${head.replace(/,$/, '')}]}`)];
}

function cacheFields({ cache, traits }: BodySettings, session: string): object {
  return {
    ...(cache === 'off' ? {} : { prompt_cache_key: session.slice(-longestKey) }),
    // It keeps prompts for 30 minutes at least, or for 12 hours.
    ...(traits.hasMarks && { prompt_cache_options: { mode: 'explicit', ...(cache === '1h' && { ttl: '12h' }) } }),
  };
}

function thinkingFields({ parameters, traits }: BodySettings, asksSummary: boolean): object {
  const { temperature, topP } = parameters;
  const effort = effortOf(traits, parameters);
  // Without asking, nothing is seen of what the model thinks.
  const isSummarised = asksSummary && traits.isOpenai && traits.thinks === true && effort !== 'none';
  const summary = isSummarised ? { summary: 'auto' } : {};
  const reasoning = { ...(effort === undefined ? {} : { effort }), ...summary };
  const sampling = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
  };
  return {
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(takesSampling(traits, effort) ? sampling : {}),
  };
}

function textFields(
  { parameters: { verbosity }, traits }: BodySettings,
  { outputSchema }: ModelRequest,
  strictnessOf: (schema: object) => boolean,
): object {
  const isEnforced = outputSchema !== undefined && isEnforceable(outputSchema);
  const text = {
    ...(verbosity === undefined || (traits.isOpenai && traits.thinks === false) ? {} : { verbosity }),
    ...(isEnforced && {
      format: { type: 'json_schema', name: 'answer', schema: outputSchema, strict: strictnessOf(outputSchema) },
    }),
  };
  return Object.keys(text).length === 0 ? {} : { text };
}

function choiceFields({ tools, toolChoice = 'auto' }: ModelRequest): object {
  if (tools.length === 0 || toolChoice === 'auto') return {};
  return { tool_choice: typeof toolChoice === 'object' ? { type: 'function', name: toolChoice.tool } : toolChoice };
}

/** For a schema that cannot be enforced. */
function schemaText({ outputSchema }: ModelRequest): string | null {
  if (outputSchema === undefined || isEnforceable(outputSchema)) return null;
  return `Your final answer must be JSON, and nothing else, that satisfies this JSON Schema: ${JSON.stringify(outputSchema)}`;
}

/** The system prompt has a field of its own, which takes no mark; with one, it is the first item. */
function systemJson(system: string, isMarked: boolean): { field: string; item: string } {
  if (system.trim() === '') return { field: '', item: '' };
  if (!isMarked) return { field: `,"instructions":${toJson(system)}`, item: '' };
  return { field: '', item: `${toJson({ role: 'developer', content: withMark([textContent(system)]) })},` };
}

/** Strict calls are the API's default, and refuse most schemas. */
function toolsJson(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  const list = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    strict: false,
  }));
  return `,"tools":${toJson(list)}`;
}
