import type { JsonObject } from '@pawl/protocol';
import type { Parameters } from '../../parameters.ts';
import type { Dialect } from './dialects.ts';

/** The fields of a request that say how much the model is to think; none where nobody said. */
export function thinkingFields(
  { thinking }: Pick<Dialect, 'thinking'>,
  { effort, thinkingBudgetTokens }: Parameters,
): JsonObject {
  const isOff = thinkingBudgetTokens === 0 || effort === 'none';
  if (!isOff && effort === undefined && thinkingBudgetTokens === undefined) return {};
  const word: JsonObject = effort === undefined ? {} : { effort };
  switch (thinking) {
    case 'reasoning_effort':
      return effort === undefined ? {} : { reasoning_effort: effort };
    case 'reasoning':
      if (isOff) return { reasoning: { enabled: false } };
      // Either the one or the other.
      return { reasoning: thinkingBudgetTokens === undefined ? word : { max_tokens: thinkingBudgetTokens } };
    case 'thinking':
      if (isOff) return { thinking: { type: 'disabled' } };
      return { thinking: { type: 'enabled' }, ...(effort === undefined ? {} : { reasoning_effort: effort }) };
    case 'enable_thinking':
      if (isOff) return { enable_thinking: false };
      return {
        enable_thinking: true,
        ...(thinkingBudgetTokens === undefined ? {} : { thinking_budget: thinkingBudgetTokens }),
      };
    default:
      return thinking satisfies never;
  }
}
