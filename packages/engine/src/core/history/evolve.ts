/** The messages that the model sees, and how much of its window they fill. */
import type { AssistantMessage, DurableEvent, UserMessage } from '@pawl/protocol';
import { removeParts } from '../compaction/remove.ts';
import { trimMessages } from '../compaction/trim.ts';
import { totalTokens } from '../spending/usage.ts';
import type { State } from '../state.ts';
import { repairHistory } from './repair.ts';
import type { HistoryMessage } from './state.ts';
import { countedWindow } from './state.ts';

export function evolveHistory(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'step.started':
      state.checkedMessages = state.messages.length;
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'user') addInput(state, message);
      else addAnswer(state, message);
      state.messages.push({ ...message, id: `m${event.seq}` });
      break;
    }
    case 'tool.finished':
      addResult(state, event);
      break;
    case 'history.repaired':
      state.messages = repairHistory(state.messages, event.data.repairs, event.seq);
      state.checkedMessages = state.messages.length;
      state.signedFrom = state.messages.length;
      break;
    case 'context.gathered':
      addHydrated(state, event);
      break;
    case 'context.trimmed':
      changeHistory(state, trimMessages(state.messages, event.data.results));
      state.window.tokens -= event.data.freedTokens;
      break;
    case 'context.removed':
      changeHistory(state, removeParts(state.messages, event.data.parts));
      state.attachments = state.messages.flatMap(digestsIn);
      state.window.tokens -= event.data.freedTokens;
      break;
    case 'context.compacted': {
      const { through, content, tokensAfter } = event.data;
      const text = { type: 'text' as const, text: content };
      const first: HistoryMessage = { role: 'user', id: `m${event.seq}`, source: 'engine', content: [text] };
      changeHistory(state, [first, ...messagesAfter(state, through)]);
      state.attachments = state.messages.flatMap(digestsIn);
      state.window = countedWindow(tokensAfter);
      break;
    }
  }
}

function addInput(state: State, { content }: UserMessage): void {
  for (const part of content) {
    if (part.type === 'text') state.window.charactersSince += part.text.length;
    else addFile(state, part.digest);
  }
}

function addFile(state: State, digest: string): void {
  state.window.filesSince += 1;
  state.attachments.push(digest);
}

/** The provider has not counted a partial answer. */
function addAnswer(state: State, { isPartial, usage }: AssistantMessage): void {
  const tokens = totalTokens(usage);
  if (isPartial !== true && tokens > 0) state.window = countedWindow(tokens);
}

/** The results of a step become one message when the last of them is there. */
function addResult(state: State, { data, seq }: DurableEvent & { type: 'tool.finished' }): void {
  const { calls } = state.turn ?? { calls: [] };
  if (!calls.some(({ id }) => id === data.call)) return;
  state.window.charactersSince += data.content.length;
  for (const { digest } of data.files ?? []) addFile(state, digest);
  const results = calls.flatMap(({ result }) => (result === null ? [] : [result]));
  if (results.length === calls.length) state.messages.push({ role: 'tool', results, id: `m${seq}` });
}

/** Context from outside comes after the existing messages, so that the provider's cache stays valid. */
function addHydrated(state: State, { data, seq }: DurableEvent & { type: 'context.gathered' }): void {
  const { hydrated = [] } = data;
  if (hydrated.length === 0) return;
  const content = hydrated.map(({ text }) => ({ type: 'text' as const, text }));
  state.messages.push({ role: 'user', source: 'context', id: `m${seq}`, content });
  for (const { text } of hydrated) state.window.charactersSince += text.length;
}

/** The messages after `through`, which stay when a summary replaces those up to it. */
export function messagesAfter({ messages }: Pick<State, 'messages'>, through: string): HistoryMessage[] {
  return messages.slice(messages.findIndex((message) => message.id === through) + 1);
}

/** All messages are checked for repair again, and no thinking was signed over this history. */
function changeHistory(state: State, messages: HistoryMessage[]): void {
  state.messages = messages;
  state.checkedMessages = 0;
  state.signedFrom = messages.length;
}

function digestsIn(message: HistoryMessage): string[] {
  if (message.role === 'assistant') return [];
  const files =
    message.role === 'user'
      ? message.content.filter((part) => part.type === 'file')
      : message.results.flatMap((result) => result.files ?? []);
  return files.map(({ digest }) => digest);
}
