/** How much of the model's window the history fills, in estimates where no provider has counted. */
import type { UserPart } from '@pawl/protocol';
import type { HistoryState } from './state.ts';

/** Characters a token, on average, of English and code. */
export const charactersPerToken = 4;

/** What an image costs, in tokens; providers count by its pixels, and no more than about this. */
const tokensPerFile = 1600;

/** Characters that a part counts as. */
export function charactersOf(part: UserPart): number {
  return part.type === 'text' ? part.text.length : tokensPerFile * charactersPerToken;
}

/** Tokens that the next request is known to carry: what the provider counted last, and an estimate of what came since. */
export function windowTokens({ window }: Pick<HistoryState, 'window'>): number {
  return window.tokens + Math.ceil(window.charactersSince / charactersPerToken);
}
