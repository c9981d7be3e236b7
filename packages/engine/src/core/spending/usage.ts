/** Sums of token usage and of costs. */
import type { Usage } from '@pawl/protocol';

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

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
