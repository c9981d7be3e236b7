/** Replaces old, large results by a line that says where they can be read: without a model, and only in batches that are worth it. */
import type { EventData, ToolResult } from '@pawl/protocol';
import { canonicalJson } from '../canonical-json.ts';
import { charactersOf, charactersPerToken } from '../history/window.ts';
import type { HistoryMessage, State } from '../state.ts';
import { inProviderTokens, usableTokens } from './window.ts';

/** The latest messages are left alone. */
const untouched = 12;
/** Shorter results stay, and so do the lines that replaced others. */
const minCharacters = 2000;
/** Each batch invalidates the provider's cache, so it has to free at least this share of the window. */
const minFreedShare = 0.2;

type Candidate = { message: string; result: ToolResult; isSuperseded: boolean };

/** The next batch: results that later calls have superseded, if that frees enough; else all old, large results. Null if it is not worth it. */
export function findTrim(state: State): EventData['context.trimmed'] | null {
  const least = usableTokens(state.settings.modelInfo) * minFreedShare;
  const candidates = candidatesIn(state.messages);
  const batches = [candidates.filter(({ isSuperseded }) => isSuperseded), candidates];
  for (const batch of batches) {
    const freed = batch.reduce((sum, { result }) => sum + freedBy(result), 0);
    const freedTokens = inProviderTokens(state, freed);
    if (batch.length === 0 || freedTokens < least) continue;
    return { results: batch.map(({ message, result }) => ({ message, call: result.call })), freedTokens };
  }
  return null;
}

function candidatesIn(messages: readonly HistoryMessage[]): Candidate[] {
  const keys = keysOfCalls(messages);
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  const old = messages.length - untouched;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== 'tool') continue;
    for (const result of message.results.toReversed()) {
      const key = keys.get(result.call);
      const isSuperseded = key !== undefined && seen.has(key);
      if (key !== undefined && result.status === 'ok') seen.add(key);
      if (index < old && sizeOf(result) > minCharacters) candidates.push({ message: message.id, result, isSuperseded });
    }
  }
  return candidates.reverse();
}

/** What a call is about: its path, or else all of its arguments. */
function keysOfCalls(messages: readonly HistoryMessage[]): Map<string, string> {
  const keys = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type !== 'tool_call') continue;
      const { path } = part.input;
      keys.set(part.id, typeof path === 'string' ? path : `${part.tool} ${canonicalJson(part.input)}`);
    }
  }
  return keys;
}

const sizeOf = ({ content, files = [] }: ToolResult): number =>
  content.length + files.reduce((sum, file) => sum + charactersOf(file), 0);

const freedBy = (result: ToolResult): number =>
  Math.max(0, Math.floor((sizeOf(result) - markerOf(result).length) / charactersPerToken));

function markerOf(result: ToolResult): string {
  const files = (result.files ?? []).map(({ name, mediaType }) => name ?? mediaType);
  const and = files.length === 0 ? '' : ` and ${files.join(', ')}`;
  return `[${result.content.length} characters${and} of this result were taken out to save room. If they still matter, call ${result.tool} again, or read them as they were with: history {"id":"${result.call}"}]`;
}

/** The history without these results. Messages that lose nothing are the same objects as before. */
export function trimMessages(
  messages: readonly HistoryMessage[],
  results: EventData['context.trimmed']['results'],
): HistoryMessage[] {
  const trimmed = new Set(results.map(({ call }) => call));
  const holders = new Set(results.map(({ message }) => message));
  return messages.map((message) => {
    if (message.role !== 'tool' || !holders.has(message.id)) return message;
    return {
      ...message,
      results: message.results.map((result) => (trimmed.has(result.call) ? marked(result) : result)),
    };
  });
}

function marked(result: ToolResult): ToolResult {
  const { call, tool, status, remarks } = result;
  return { call, tool, status, content: [markerOf(result), remarks ?? ''].filter((text) => text !== '').join('\n') };
}
