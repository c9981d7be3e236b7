/** How much of a model's window can be used, and how much of it a session has filled. */
import type { ModelInfo } from '@pawl/protocol';
import { charactersOf, charactersPerToken, windowTokens } from '../history/window.ts';
import type { HistoryMessage, State } from '../state.ts';

/** Room for errors of the estimate: a share of the window, and at least this many tokens. */
const headRoomShare = 0.05;
const minHeadRoomTokens = 4000;
/** At least this share is usable, also of a small window or one that an answer could fill. */
const minUsableShare = 0.4;

/** Tokens that a request may hold: the window minus room for the answer and for errors of the estimate. */
export function usableTokens({ contextTokens, outputTokens }: ModelInfo): number {
  const headRoom = Math.max(Math.ceil(contextTokens * headRoomShare), minHeadRoomTokens);
  return Math.max(Math.ceil(contextTokens * minUsableShare), contextTokens - outputTokens - headRoom, 1);
}

export function isOverThreshold(state: State): boolean {
  const { compaction, modelInfo } = state.settings;
  return windowTokens(state) >= compaction.threshold * usableTokens(modelInfo);
}

/** Whether the window is full. */
export function isFull(state: State): boolean {
  return windowTokens(state) >= usableTokens(state.settings.modelInfo);
}

export const tokensOfText = (text: string): number => Math.ceil(text.length / charactersPerToken);

/** Counts by message. Messages are never changed in place, so a count stays valid. */
const tokenCounts = new WeakMap<HistoryMessage, number>();

/** Estimated tokens of a message. */
export function tokensOfMessage(message: HistoryMessage): number {
  const known = tokenCounts.get(message);
  if (known !== undefined) return known;
  const tokens = Math.ceil(charactersIn(message) / charactersPerToken);
  tokenCounts.set(message, tokens);
  return tokens;
}

function charactersIn(message: HistoryMessage): number {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  switch (message.role) {
    case 'user':
      return sum(message.content.map(charactersOf));
    case 'assistant':
      return sum(
        message.content.map((part) => (part.type === 'tool_call' ? JSON.stringify(part).length : part.text.length)),
      );
    case 'tool':
      return sum(
        message.results.map(({ content, files = [] }) => content.length + sum(files.map((file) => charactersOf(file)))),
      );
    default:
      return message satisfies never;
  }
}

export const tokensOfMessages = (messages: readonly HistoryMessage[]): number =>
  messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);

/** Converts an estimate into the provider's own count, which may differ a lot for some languages. */
export function inProviderTokens(state: State, tokens: number): number {
  const all = tokensOfMessages(state.messages);
  return all === 0 ? tokens : Math.floor(tokens * Math.max(1, windowTokens(state) / all));
}
