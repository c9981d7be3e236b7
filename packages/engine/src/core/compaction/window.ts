/** How much of a model's window can be used, and how much of it a session has filled. */
import type { ModelInfo } from '@pawl/protocol';
import { charactersOf, charactersPerToken, windowTokens } from '../history/window.ts';
import type { HistoryMessage, State } from '../state.ts';

/** Room for what an estimate misses: a share of the window, and never less than this. */
const headRoomShare = 0.05;
const minHeadRoomTokens = 4000;
/** Of a window that is small, or whose answers may fill it, this share is used all the same. */
const minUsableShare = 0.4;

/** Tokens that a request may hold: the window without the answer that is kept free for, and some room to spare. */
export function usableTokens({ contextTokens, outputTokens }: ModelInfo): number {
  const headRoom = Math.max(Math.ceil(contextTokens * headRoomShare), minHeadRoomTokens);
  return Math.max(Math.ceil(contextTokens * minUsableShare), contextTokens - outputTokens - headRoom, 1);
}

export function isOverThreshold(state: State): boolean {
  const { compaction, modelInfo } = state.settings;
  return windowTokens(state) >= compaction.threshold * usableTokens(modelInfo);
}

/** Whether nothing more fits in. */
export function isFull(state: State): boolean {
  return windowTokens(state) >= usableTokens(state.settings.modelInfo);
}

export const tokensOfText = (text: string): number => Math.ceil(text.length / charactersPerToken);

/** Messages are never changed in place, so what they come to stays the same. */
const tokenCounts = new WeakMap<HistoryMessage, number>();

/** An estimate. */
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

/** An estimate for some of the messages in the provider's own measure, which may be far from ours for some languages. */
export function inProviderTokens(state: State, tokens: number): number {
  const all = tokensOfMessages(state.messages);
  return all === 0 ? tokens : Math.floor(tokens * Math.max(1, windowTokens(state) / all));
}
