import type { ModelRequest, ToolSpec } from '@pawl/engine';
import type { JsonObject, Message } from '@pawl/protocol';
import type { Parameters } from '../../parameters.ts';
import type { BytesOf, Takes } from '../files.ts';
import { fieldsJson, memo, memoLast, toJson } from '../json.ts';
import type { CacheTime } from '../options.ts';
import { createTranscripts, isSignedBy, type MessagePosition } from '../transcript.ts';
import { blocksOf, textBlock } from './blocks.ts';
import { cacheMark, marked } from './cache.ts';
import { traitsOf } from './models.ts';
import { enforceable } from './schema.ts';
import { type Conduct, conductOf } from './thinking.ts';

/** What of a request does not follow from the conversation. */
export type BodySettings = {
  model: string;
  id: string;
  isStreaming: boolean;
  parameters: Parameters;
  cache: CacheTime;
  /** Whether calls are to be streamed as they are written, and not in one piece when they are whole. */
  streamsCalls: boolean;
  takes: Takes;
};

/** What of a request depends on how the last one went. */
export type BodyChanges = {
  /** Thoughts that no longer fit what stands before them are to be dropped, and not to fail the request. */
  dropsUnboundThoughts: boolean;
  /** The server takes no budget for thinking in a turn that began without thoughts. */
  refusesLateThinking: boolean;
};

type Role = 'user' | 'assistant';
/** Where a conversation stands at its end. */
type End = {
  /** The role whose message stands open. */
  role: Role | null;
  hasCalls: boolean;
  /** How the turn's first answer began; `new` before there is one. A loop of calls and results is one turn. */
  turn: 'new' | 'thinking' | 'plain';
  /** Bytes up to the end of the user's last message that has an answer, and of the one that began the turn before it. */
  asked: number | null;
  turnAsked: number | null;
  /** Whether the turn before began with thoughts. */
  hadThoughts: boolean;
};

/**
 * Makes request bodies of the Messages API, as pieces to be sent one after the other. Neighbours of one role become
 * one message, as the API wants it.
 *
 * Cache marks stand on the last tool, on the system prompt, on the user's last message, and on the one before it. A
 * mark finds what an earlier request kept at the same place, or at one of the 19 blocks before it, and what is between
 * counts for nothing: so the mark of the last request stands again where it stood, however many blocks a step added.
 * Source: https://platform.claude.com/docs/en/api/messages and …/docs/en/build-with-claude/prompt-caching.
 */
export function createBodyMaker(settings: BodySettings): (request: ModelRequest, changes?: BodyChanges) => Buffer[] {
  const { parameters } = settings;
  const traits = traitsOf(settings.model);
  const mark = cacheMark(settings.cache);
  const start: End = { role: null, hasCalls: false, turn: 'new', asked: null, turnAsked: null, hadThoughts: false };
  let bytesOf: BytesOf = () => null;
  const transcriptOf = createTranscripts(start, append);
  const toolsOf = memo((tools: readonly ToolSpec[]) => toolsJson(tools, mark, settings.streamsCalls));
  const systemOf = memoLast((system) =>
    system.trim() === '' ? null : `[${toJson(textBlock(system)).slice(0, -1)}${mark}}]`,
  );
  const schemaOf = memo(enforceable);
  // What makes an answer readable, and the conversation, are not for others to set.
  const { messages: _messages, stream: _stream, ...own } = parameters.body ?? {};

  function append(message: Message, end: End, place: MessagePosition) {
    const role: Role = message.role === 'assistant' ? 'assistant' : 'user';
    const isOwn = isSignedBy(message, settings.id, place);
    const blocks = blocksOf(message, { isOwn, bytesOf, takes: settings.takes });
    const [first] = blocks;
    if (first === undefined) return { text: '', state: end };
    const state = { ...end, role };
    if (role === 'assistant') {
      state.hasCalls ||= message.role === 'assistant' && message.content.some(({ type }) => type === 'tool_call');
      if (end.role === 'user') {
        state.asked = place.offset;
        if (end.turn === 'new') state.turnAsked = place.offset;
      }
      if (end.turn === 'new') state.turn = /^{"type":"(redacted_)?thinking"/.test(first) ? 'thinking' : 'plain';
    } else if (end.role === 'assistant' && message.role === 'user') {
      state.hadThoughts = end.turn === 'thinking';
      state.turn = 'new';
    }
    return { text: opening(end.role, role) + blocks.join(','), state };
  }

  return (request, changes = { dropsUnboundThoughts: false, refusesLateThinking: false }) => {
    bytesOf = (digest) => request.file?.(digest) ?? null;
    const { bytes, state } = transcriptOf(request.messages, request.signedFrom);
    const conduct = conductOf(traits, parameters, request, changes.refusesLateThinking && state.turn === 'plain');
    const schema = request.outputSchema === undefined || !traits.hasSchemas ? null : schemaOf(request.outputSchema);
    const tools =
      request.tools.length > 0 ? toolsOf(request.tools) : state.hasCalls ? toolsJson([noTool], mark, false) : null;
    const head = fieldsJson(
      {
        model: JSON.stringify(settings.model),
        max_tokens: String(request.maxOutputTokens),
        stream: String(settings.isStreaming),
        thinking: thinkingJson(conduct, changes),
        output_config: outputJson(conduct, schema),
        temperature: conduct.temperature === null ? null : String(conduct.temperature),
        top_p: conduct.topP === null ? null : String(conduct.topP),
        stop_sequences: parameters.stopSequences?.length ? toJson([...parameters.stopSequences]) : null,
        tools,
        tool_choice: choiceJson(request, conduct, state.hasCalls),
        system: systemOf(request.system),
      },
      own,
    );
    const texts = [request.tail, forceText(request, conduct), schemaText(request, schema)].filter(
      (text) => text !== null && text.trim() !== '',
    );
    // Newer models refuse to go on with an answer that was begun for them.
    if (state.role === 'assistant' && texts.length === 0) texts.push('Continue.');
    let rest = '';
    let { role } = state;
    for (const text of texts) {
      rest += opening(role, 'user') + toJson(textBlock(String(text)));
      role = 'user';
    }
    rest += role === null ? ']}' : ']}]}';
    return [
      Buffer.from(`{${head},"messages":[`),
      ...marked(bytes, marksOf(state, bytes.length), mark),
      Buffer.from(rest),
    ];
  };

  /** Ends of what the last request kept, and of what the next one will find. */
  function marksOf({ role, turn, asked, turnAsked, hadThoughts }: End, length: number): number[] {
    // A new turn takes the thoughts of the last one out of some models' prompt, and what was kept after them is void.
    const before = turn === 'new' && hadThoughts && !traits.keepsThoughts ? turnAsked : asked;
    return [...(before === null ? [] : [before]), ...(role === 'user' ? [length] : [])];
  }
}

/** The API wants tools wherever there were calls. */
const noTool: ToolSpec = { name: 'none', description: 'No tool can be called now.', inputSchema: { type: 'object' } };

/** What stands between the content so far and the next block. */
function opening(before: Role | null, role: Role): string {
  if (before === role) return ',';
  return `${before === null ? '' : ']},'}{"role":"${role}","content":[`;
}

function toolsJson(tools: readonly ToolSpec[], mark: string, streamsCalls: boolean): string {
  const list = tools.map(({ name, description, inputSchema }) =>
    toJson({ name, description, input_schema: inputSchema, ...(streamsCalls && { eager_input_streaming: true }) }),
  );
  return `[${list.join(',').slice(0, -1)}${mark}}]`;
}

function thinkingJson({ thinking }: Conduct, { dropsUnboundThoughts }: BodyChanges): string | null {
  const binding = dropsUnboundThoughts ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {};
  return thinking === null && !dropsUnboundThoughts ? null : toJson({ ...thinking, ...binding });
}

function outputJson({ effort }: Conduct, schema: JsonObject | null): string | null {
  if (effort === null && schema === null) return null;
  return toJson({ ...(effort && { effort }), ...(schema && { format: { type: 'json_schema', schema } }) });
}

function choiceJson(
  { tools, toolChoice = 'auto' }: ModelRequest,
  { isForced }: Conduct,
  hasCalls: boolean,
): string | null {
  if (tools.length === 0) return hasCalls ? '{"type":"none"}' : null;
  if (toolChoice === 'none') return '{"type":"none"}';
  if (!isForced) return null;
  return typeof toolChoice === 'object' ? toJson({ type: 'tool', name: toolChoice.tool }) : '{"type":"any"}';
}

/** For a model that cannot be made to call. */
function forceText({ tools, toolChoice }: ModelRequest, { isForced }: Conduct): string | null {
  if (isForced || tools.length === 0) return null;
  if (typeof toolChoice === 'object') return `Call the tool ${toolChoice.tool} now.`;
  return toolChoice === 'required' ? 'Call a tool now.' : null;
}

/** For a schema that cannot be enforced. */
function schemaText({ outputSchema }: ModelRequest, enforced: JsonObject | null): string | null {
  if (outputSchema === undefined || enforced !== null) return null;
  return `Your final answer must be JSON, and nothing else, that satisfies this JSON Schema: ${JSON.stringify(outputSchema)}`;
}
