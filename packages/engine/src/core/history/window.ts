/** How much of the model's window the history fills; estimated where no provider has counted yet. */
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

/** Tokens of the next request: the provider's last count, and an estimate of what was added since. */
export function windowTokens({ window }: Pick<HistoryState, 'window'>): number {
  const { tokens, charactersSince, filesSince } = window;
  return Math.max(0, tokens + Math.ceil(charactersSince / charactersPerToken) + filesSince * tokensPerFile);
}
