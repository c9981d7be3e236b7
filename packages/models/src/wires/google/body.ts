import type { ModelRequest, ToolSpec } from '@pawl/engine';
import type { AssistantMessage, AssistantPart, Message, ToolChoice, ToolResult } from '@pawl/protocol';
import { resultText } from '@pawl/protocol';
import type { Parameters } from '../../parameters.ts';
import { withoutVariant } from '../../select/names.ts';
import { fields } from '../fields.ts';
import type { BytesOf, Takes } from '../files.ts';
import { memo, memoLast, toJson } from '../json.ts';
import { toolName } from '../tool-name.ts';
import { type Appended, createTranscripts } from '../transcript.ts';
import { inlineFile, isResultType } from './files.ts';
import { needsSignatures, thinkingConfig } from './thinking.ts';

/** What of a request does not follow from the conversation. */
export type BodySettings = { model: string; id: string; parameters: Parameters; takes: Takes };

/** What the content that stands open at the end holds. Results stand alone: the API counts them against the calls. */
type Kind = 'user' | 'model' | 'results';
type End = { kind: Kind | null };

/**
 * The documented stand-in for the signature of a call that another model made, or whose own was dropped; without any,
 * the request is refused. Source: https://ai.google.dev/gemini-api/docs/thought-signatures#faqs.
 */
const unsigned = 'skip_thought_signature_validator';

/**
 * Makes request bodies of `generateContent`, as pieces to be sent one after the other. The provider finds its own
 * cached prefix: all it needs is one that does not change.
 * Source: https://ai.google.dev/api/generate-content.
 */
export function createBodyMaker(settings: BodySettings): (request: ModelRequest) => Buffer[] {
  const start: End = { kind: null };
  let bytesOf: BytesOf = () => null;
  const transcriptOf = createTranscripts(start, (message, end, { isSigned }) =>
    append(message, end, { ...settings, isSigned, bytesOf }),
  );
  const toolsOf = memo(toolsJson);
  const systemOf = memoLast((system) =>
    system.trim() === '' ? '' : `"systemInstruction":${toJson({ parts: [{ text: system }] })},`,
  );
  const { generationConfig: ownConfig, contents: _contents, ...own } = settings.parameters.body ?? {};
  const ownJson = Object.entries(own)
    .map(([key, value]) => `${JSON.stringify(key)}:${toJson({ value }).slice(9, -1)},`)
    .join('');
  const isOwn = (key: string) => Object.hasOwn(own, key);

  return (request) => {
    bytesOf = (digest) => request.file?.(digest) ?? null;
    const config = { ...generationConfig(settings, request), ...fields(ownConfig) };
    const head =
      `{${isOwn('systemInstruction') ? '' : systemOf(request.system)}${isOwn('tools') ? '' : toolsOf(request.tools)}` +
      `${isOwn('toolConfig') ? '' : choiceJson(request)}${ownJson}"generationConfig":${toJson(config)},"contents":[`;
    const { bytes, state } = transcriptOf(request.messages, request.signedFrom);
    let rest = '';
    let { kind } = state;
    for (const text of [request.tail ?? '', schemaText(settings.model, request)]) {
      if (text.trim() === '') continue;
      rest += opening(kind, 'user') + toJson({ text });
      kind = 'user';
    }
    rest += kind === null ? ']}' : ']}]}';
    return [Buffer.from(head), bytes, Buffer.from(rest)];
  };
}

function generationConfig({ model, parameters }: BodySettings, request: ModelRequest): object {
  const { temperature, topP, stopSequences = [] } = parameters;
  const thinking = thinkingConfig(model, parameters, request.maxOutputTokens);
  return {
    maxOutputTokens: request.maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    // More than five are refused.
    ...(stopSequences.length === 0 ? {} : { stopSequences: stopSequences.slice(0, 5) }),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
    ...(request.outputSchema !== undefined && canEnforceSchema(model, request)
      ? { responseMimeType: 'application/json', responseJsonSchema: withoutConst(request.outputSchema) }
      : {}),
  };
}

/** Beside tools, only newer models take a schema, and only where they are free not to call. */
function canEnforceSchema(model: string, { tools, toolChoice = 'auto' }: ModelRequest): boolean {
  return tools.length === 0 || (needsSignatures(model) && (toolChoice === 'auto' || toolChoice === 'none'));
}

function schemaText(model: string, request: ModelRequest): string {
  if (request.outputSchema === undefined || canEnforceSchema(model, request)) return '';
  return `Your final answer must be JSON, and nothing else, that satisfies this JSON Schema: ${JSON.stringify(request.outputSchema)}`;
}

/** Keywords whose value maps names to schemas, and those whose value is no schema. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const plainValues = new Set(['enum', 'default', 'examples', 'required']);

/** The API knows `enum`, but not `const`. */
function withoutConst(schema: unknown, isByName = false): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => withoutConst(inner));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]: [string, unknown]) => {
      if (isByName) return [key, withoutConst(value)];
      if (key === 'const') return ['enum', [value]];
      return [key, plainValues.has(key) ? value : withoutConst(value, namedSchemas.has(key))];
    }),
  );
}

function toolsJson(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  const declarations = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema,
  }));
  return `"tools":${toJson([{ functionDeclarations: declarations }])},`;
}

function choiceJson({ tools, toolChoice = 'auto' }: ModelRequest): string {
  if (tools.length === 0 || toolChoice === 'auto') return '';
  return `"toolConfig":${toJson({ functionCallingConfig: callingMode(toolChoice) })},`;
}

function callingMode(choice: ToolChoice): object {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.tool] };
  const modes = { auto: 'AUTO', required: 'ANY', none: 'NONE' } as const;
  return { mode: modes[choice] };
}

/** What stands between the content so far and the next part. */
function opening(before: Kind | null, kind: Kind): string {
  if (before === kind) return ',';
  return `${before === null ? '' : ']},'}{"role":"${kind === 'model' ? 'model' : 'user'}","parts":[`;
}

type Writing = BodySettings & { isSigned: boolean; bytesOf: BytesOf };

function append(message: Message, end: End, writing: Writing): Appended<End> {
  let text = '';
  let { kind } = end;
  for (const [nextKind, parts] of contentsOf(message, writing)) {
    if (parts.length === 0) continue;
    text += opening(kind, nextKind) + parts.map(toJson).join(',');
    kind = nextKind;
  }
  return { text, state: { kind } };
}

function contentsOf(message: Message, writing: Writing): [kind: Kind, parts: object[]][] {
  switch (message.role) {
    case 'user':
      return [
        [
          'user',
          message.content.flatMap((part): object[] => {
            if (part.type === 'file') {
              const shown = inlineFile(part, writing);
              return [typeof shown === 'string' ? { text: shown } : shown];
            }
            return part.text.trim() === '' ? [] : [{ text: part.text }];
          }),
        ],
      ];
    case 'tool':
      return resultContents(message.results, writing);
    case 'assistant':
      return [['model', assistantParts(message, writing)]];
    default:
      return message satisfies never;
  }
}

/** Newer models take files inside a result; others are shown them right after the results. */
function resultContents(results: readonly ToolResult[], writing: Writing): [Kind, object[]][] {
  const after: object[] = [];
  const parts = results.map((result) => {
    const { call, tool, status, files = [] } = result;
    const inside: object[] = [];
    let said = resultText(result);
    for (const file of files) {
      const inline = inlineFile(file, writing);
      if (typeof inline === 'string') said += `\n${inline}`;
      else if (needsSignatures(writing.model) && isResultType(inline)) inside.push(inline);
      else after.push({ text: `[file ${file.name ?? file.mediaType} of the result of ${tool}]` }, inline);
    }
    return {
      functionResponse: {
        id: call,
        name: geminiName(tool),
        response: status === 'ok' ? { output: said } : { error: said },
        ...(inside.length === 0 ? {} : { parts: inside }),
      },
    };
  });
  return [
    ['results', parts],
    ['user', after],
  ];
}

function assistantParts(message: AssistantMessage, writing: Writing): object[] {
  const isOwn = writing.isSigned && withoutVariant(message.model) === withoutVariant(writing.id);
  let lacksSignature = needsSignatures(writing.model);
  return message.content.flatMap((part) => {
    const signature = isOwn ? part.signature : undefined;
    if (part.type !== 'tool_call') return assistantPart(part, signature);
    // Only the first of parallel calls is signed.
    const thoughtSignature = signature ?? (lacksSignature ? unsigned : undefined);
    lacksSignature = false;
    return [
      {
        functionCall: { id: part.id, name: geminiName(part.tool), args: part.input },
        ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
      },
    ];
  });
}

/** Here a name begins with a letter or `_`. Source: https://ai.google.dev/api/caching#FunctionDeclaration. */
function geminiName(name: string): string {
  return toolName(/^[a-z_]/i.test(name) ? name : `_${name}`, 64);
}

/** Thoughts go back only with their signature: without, they mean nothing to the model. */
function assistantPart(part: Exclude<AssistantPart, { type: 'tool_call' }>, signature: string | undefined): object[] {
  const { text } = part;
  if (part.type === 'thinking') {
    if (signature === undefined) return [];
    return [text === '' ? { text, thoughtSignature: signature } : { text, thought: true, thoughtSignature: signature }];
  }
  if (signature !== undefined) return [{ text, thoughtSignature: signature }];
  return text.trim() === '' ? [] : [{ text }];
}
