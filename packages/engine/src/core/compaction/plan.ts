/** Where a history is cut: which messages a summary replaces, and which stay. */
import type { CompactionCause } from '@pawl/protocol';
import { windowTokens } from '../history/window.ts';
import type { HistoryMessage, State } from '../state.ts';
import { inProviderTokens, tokensOfMessage, tokensOfMessages, usableTokens } from './window.ts';

/** Messages that stay, at most. */
const maxKept = 12;
/** Share of the window that they may take. */
const keptShare = 0.25;
/** The share after the same request was too long twice. */
const keptShareLater = 0.1;
/** Removing less than this share of the window is not worth a call of the model. */
const minRemovedShare = 0.1;

/** The last message that is replaced, or null when there is nothing to compact. */
export function planCompaction(state: State, cause: CompactionCause): { through: string } | null {
  const from = firstKeptIndex(state, cause);
  const last = state.messages[from - 1];
  if (last === undefined || last.id === state.compactions.message) return null;
  const isWorthIt =
    cause !== 'threshold' ||
    inProviderTokens(state, tokensOfMessages(state.messages.slice(0, from))) >= minRemoved(state);
  return isWorthIt ? { through: last.id } : null;
}

const minRemoved = (state: State): number => usableTokens(state.settings.modelInfo) * minRemovedShare;

/** Index of the first message that stays. Results stay with their calls, and a step that has not ended stays whole. */
function firstKeptIndex(state: State, cause: CompactionCause): number {
  const { messages } = state;
  const must = firstUnansweredIndex(messages);
  const budget = keptTokens(state, cause);
  let from = messages.length;
  let tokens = 0;
  while (from > 0) {
    const next = messages[from - 1];
    if (next === undefined) break;
    tokens += tokensOfMessage(next);
    if (from <= must && (tokens > budget || messages.length - from >= maxKept)) break;
    from -= 1;
  }
  while (messages[from]?.role === 'tool') from += 1;
  return from;
}

/** A request that was too long has more tokens than estimated, so the estimate takes the place of the window. */
function keptTokens(state: State, cause: CompactionCause): number {
  const usable = usableTokens(state.settings.modelInfo);
  if (cause !== 'overflow') return usable * keptShare;
  const share = (state.turn?.overflows ?? 1) > 1 ? keptShareLater : keptShare;
  return Math.min(usable, windowTokens(state)) * share;
}

/** Index of the last step if the model has not answered its results yet; of the messages after it otherwise. */
function firstUnansweredIndex(messages: readonly HistoryMessage[]): number {
  let index = messages.length;
  while (messages[index - 1]?.role === 'user') index -= 1;
  if (messages[index - 1]?.role === 'tool') return Math.max(0, index - 2);
  return index === messages.length ? Math.max(0, index - 1) : index;
}
