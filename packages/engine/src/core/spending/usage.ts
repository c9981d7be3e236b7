import type { Usage, UserPart } from '@pawl/protocol';
import type { State } from '../state.ts';

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    cacheWriteHourTokens: left.cacheWriteHourTokens + right.cacheWriteHourTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  };
}

export function subtractUsage(whole: Usage, part: Usage): Usage {
  return {
    inputTokens: whole.inputTokens - part.inputTokens,
    outputTokens: whole.outputTokens - part.outputTokens,
    cacheReadTokens: whole.cacheReadTokens - part.cacheReadTokens,
    cacheWriteTokens: whole.cacheWriteTokens - part.cacheWriteTokens,
    cacheWriteHourTokens: whole.cacheWriteHourTokens - part.cacheWriteHourTokens,
    reasoningTokens: whole.reasoningTokens - part.reasoningTokens,
  };
}

/** The whole input of a call, cached or not. */
export function totalInputTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.cacheWriteHourTokens;
}

export function totalTokens(usage: Usage): number {
  return totalInputTokens(usage) + usage.outputTokens;
}

/** An unknown part makes the sum unknown. */
export function addCost(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}

/** Characters a token, on average, of English and code. */
export const charactersPerToken = 4;

/** What an image costs, in tokens; providers count by its pixels, and no more than about this. */
const tokensPerFile = 1600;

/** Characters that a part counts as. */
export function charactersOf(part: UserPart): number {
  return part.type === 'text' ? part.text.length : tokensPerFile * charactersPerToken;
}

/** Tokens that the next request is known to carry: what the provider counted last, and an estimate of what came since. */
export function windowTokens(state: State): number {
  return state.window.tokens + Math.ceil(state.window.charactersSince / charactersPerToken);
}
