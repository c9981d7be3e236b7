import type { ModelRequest, ToolSpec } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import type { Parameters } from '../../parameters.ts';
import { fields, list } from '../fields.ts';
import type { BytesOf, Takes } from '../files.ts';
import { fieldsJson, memo, memoLast, toJson } from '../json.ts';
import type { CacheTime } from '../options.ts';
import { createTranscripts, isSignedBy } from '../transcript.ts';
import type { Dialect } from './dialects.ts';
import { userAfter, wireMessages } from './messages.ts';
import { thinkingFields } from './thinking.ts';

/** What of a request does not follow from the conversation. */
export type BodySettings = {
  model: string;
  id: string;
  isStreaming: boolean;
  parameters: Parameters;
  dialect: Dialect;
  cache: CacheTime;
  takes: Takes;
};

/** Most stop sequences that the API takes. */
const maxStops = 4;

/**
 * Makes request bodies of the Chat Completions API, as pieces to be sent one after the other.
 * Source: https://platform.openai.com/docs/api-reference/chat/create.
 */
export function createBodyMaker(settings: BodySettings): (request: ModelRequest, mayThink?: boolean) => Buffer[] {
  const { dialect, parameters } = settings;
  let bytesOf: BytesOf = () => null;
  /** Each message ends with a comma, which the last piece takes up. The state is the role of the last one. */
  const transcriptOf = createTranscripts<string | null>(null, (message, follows, place) => {
    const isOwn = isSignedBy(message, settings.id, place);
    const written = wireMessages(message, follows, { isOwn, dialect, bytesOf, takes: settings.takes });
    const last = written.length === 0 ? follows : String(fields(written.at(-1)).role);
    return { text: written.map((entry) => `${toJson(entry)},`).join(''), state: last };
  });
  const toolsOf = memo(toolsJson);
  const systemOf = memoLast((system) =>
    system.trim() === '' ? '' : `${toJson({ role: 'system', content: system })},`,
  );
  const formatOf = memo((schema: JsonObject) => formatJson(schema, dialect));
  // What makes an answer readable, and the conversation, are not for others to set.
  const { messages: _messages, stream: _stream, stream_options: _options, ...own } = parameters.body ?? {};
  const fixed = fixedFields(settings);
  const fixedWithoutThinking = { ...fixed, ...thinkingJson(dialect, { effort: 'none' }) };

  return (request, mayThink = true) => {
    bytesOf = (digest) => request.file?.(digest) ?? null;
    const { outputSchema } = request;
    const made = {
      model: JSON.stringify(settings.model),
      [dialect.outputLimitField]: String(request.maxOutputTokens),
      stream: String(settings.isStreaming),
      stream_options: settings.isStreaming && dialect.hasStreamOptions ? '{"include_usage":true}' : null,
      ...(mayThink ? fixed : fixedWithoutThinking),
      prompt_cache_key: dialect.hasCacheKey && settings.cache !== 'off' ? toJson(request.session) : null,
      response_format: outputSchema === undefined ? null : formatOf(outputSchema),
      tools: toolsOf(request.tools),
      tool_choice: choiceJson(request, dialect),
    };
    const head = `{${fieldsJson(made, own)},"messages":[${systemOf(request.system)}`;
    const { bytes, state } = transcriptOf(request.messages, request.signedFrom);
    const texts = [request.tail, forceText(request, dialect), schemaText(request, dialect)].filter(
      (text) => text !== null && text.trim() !== '',
    );
    const tail = texts.length === 0 ? [] : userAfter(state, texts.join('\n\n'), dialect);
    if (tail.length > 0) return [Buffer.from(head), bytes, Buffer.from(`${tail.map(toJson).join(',')}]}`)];
    const isEmpty = bytes.length === 0;
    const start = isEmpty ? head.replace(/,$/, '') : head;
    return [Buffer.from(start), isEmpty ? bytes : bytes.subarray(0, -1), Buffer.from(']}')];
  };
}

/** What is the same in all requests. */
function fixedFields({ model, parameters, dialect, cache }: BodySettings): { [name: string]: string | null } {
  const { temperature, topP, stopSequences = [], verbosity } = parameters;
  const isSteady = dialect.refusesSampling?.test(model.slice(model.lastIndexOf('/') + 1)) === true;
  const isMarked = cache !== 'off' && dialect.cachesOnRequest?.test(model) === true;
  return {
    ...thinkingJson(dialect, parameters),
    verbosity: verbosity === undefined ? null : JSON.stringify(verbosity),
    temperature: temperature === undefined || isSteady ? null : String(temperature),
    top_p: topP === undefined || isSteady ? null : String(topP),
    stop: stopSequences.length === 0 || isSteady ? null : toJson(stopSequences.slice(0, maxStops)),
    cache_control: isMarked ? toJson({ type: 'ephemeral', ...(cache === '1h' && { ttl: cache }) }) : null,
  };
}

function thinkingJson(dialect: Dialect, parameters: Parameters): { [name: string]: string } {
  const fields = Object.entries(thinkingFields(dialect, parameters));
  return Object.fromEntries(fields.map(([name, value]) => [name, toJson(value)]));
}

function toolsJson(tools: readonly ToolSpec[]): string | null {
  if (tools.length === 0) return null;
  const list = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  return toJson(list);
}

function choiceJson({ tools, toolChoice = 'auto' }: ModelRequest, { canBeForced }: Dialect): string | null {
  if (tools.length === 0 || toolChoice === 'auto') return null;
  if (toolChoice === 'none') return '"none"';
  if (!canBeForced) return null;
  return toolChoice === 'required' ? '"required"' : toJson({ type: 'function', function: { name: toolChoice.tool } });
}

/** For a model that cannot be made to call. */
function forceText({ tools, toolChoice }: ModelRequest, { canBeForced }: Dialect): string | null {
  if (canBeForced || tools.length === 0) return null;
  if (typeof toolChoice === 'object') return `Call the tool ${toolChoice.tool} now.`;
  return toolChoice === 'required' ? 'Call a tool now.' : null;
}

function formatJson(schema: JsonObject, { schemas }: Dialect): string {
  if (schemas === 'json_object') return '{"type":"json_object"}';
  return toJson({ type: 'json_schema', json_schema: { name: 'answer', schema, strict: isStrict(schema) } });
}

/** For a server that enforces JSON, but no schema. */
function schemaText({ outputSchema }: ModelRequest, { schemas }: Dialect): string | null {
  if (outputSchema === undefined || schemas === 'json_schema') return null;
  return `Your final answer must be JSON, and nothing else, that satisfies this JSON Schema: ${JSON.stringify(outputSchema)}`;
}

/** Whether a schema may be enforced to the letter: objects have just the properties that are named, and all of them. */
function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required, additionalProperties } = fields(schema);
  if (type === 'object' || properties !== undefined) {
    const names = Object.keys(fields(properties));
    if (additionalProperties !== false || !names.every((name) => list(required).includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
