import type { ModelRequest } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import type { Parameters } from '../parameters.ts';
import type { Traits } from './anthropic-models.ts';

/** Where a model counts what it thinks and nobody said how much. */
const defaultBudgetTokens = 8192;
/** The API takes no smaller budget, and wants room for an answer beside it. */
const leastTokens = 1024;

/** An effort, for models that have budgets instead. */
const budgetOfEffort: { readonly [effort: string]: number } = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};

export type Conduct = {
  /** The request's `thinking`; null says nothing. */
  thinking: JsonObject | null;
  effort: string | null;
  temperature: number | null;
  topP: number | null;
  isForced: boolean;
};

/**
 * How the model is to think, and what goes with it: thinking excludes sampling parameters, forced calls exclude
 * thinking, and a turn whose first thoughts are lost cannot go on with a budget.
 * Source: https://platform.claude.com/docs/en/build-with-claude/thinking.
 */
export function conductOf(
  traits: Traits,
  parameters: Parameters,
  request: Pick<ModelRequest, 'toolChoice' | 'maxOutputTokens'>,
  hasLostThoughts: boolean,
): Conduct {
  const { effort, thinkingBudgetTokens, temperature, topP } = parameters;
  const wantsForce = request.toolChoice === 'required' || typeof request.toolChoice === 'object';
  const isForced = wantsForce && traits.canBeForced;
  const isOff = thinkingBudgetTokens === 0 || effort === 'none';
  const isAsked = !isOff && (thinkingBudgetTokens !== undefined || effort !== undefined);
  // Who sets a temperature means it: thinking that nobody asked for gives way.
  const yields = traits.takesSampling && !isAsked && (temperature !== undefined || topP !== undefined);
  const thinking = isOff || yields ? quietest(traits) : awake(traits, parameters, request, isForced, hasLostThoughts);
  const isThinking = thinking !== null && thinking.type !== 'disabled';
  const takesSampling = traits.takesSampling && !isThinking;
  return {
    thinking,
    effort: effortOf(traits, effort, isOff),
    temperature: takesSampling ? (temperature ?? null) : null,
    topP: takesSampling ? (topP ?? null) : null,
    isForced,
  };
}

function quietest(traits: Traits): JsonObject | null {
  switch (traits.quietest) {
    case 'disabled':
    case 'between_tools':
      return { type: traits.quietest };
    case 'omitted':
    case 'low_effort':
      return null;
    default:
      return traits.quietest satisfies never;
  }
}

function awake(
  traits: Traits,
  { effort, thinkingBudgetTokens }: Parameters,
  { maxOutputTokens }: Pick<ModelRequest, 'maxOutputTokens'>,
  isForced: boolean,
  hasLostThoughts: boolean,
): JsonObject | null {
  switch (traits.thinking) {
    case 'adaptive':
      // Newer models leave the text of their thoughts out unless asked for it.
      return { type: 'adaptive', display: 'summarized' };
    case 'unknown':
      if (thinkingBudgetTokens === undefined) return null;
      break;
    case 'none':
      return null;
    case 'budget':
      break;
    default:
      return traits.thinking satisfies never;
  }
  if (isForced || hasLostThoughts) return null;
  const wanted = thinkingBudgetTokens ?? budgetOfEffort[effort ?? ''] ?? defaultBudgetTokens;
  // The budget counts as output.
  const tokens = Math.min(Math.max(wanted, leastTokens), maxOutputTokens - leastTokens);
  return tokens < leastTokens ? null : { type: 'enabled', budget_tokens: tokens };
}

function effortOf(traits: Traits, effort: string | undefined, isOff: boolean): string | null {
  if (!traits.hasEffort) return null;
  if (isOff && traits.quietest === 'low_effort') return 'low';
  if (effort === undefined || effort === 'none') return null;
  if (effort === 'minimal') return 'low';
  // More than `high` is refused without thinking.
  return isOff && (effort === 'xhigh' || effort === 'max') ? 'high' : effort;
}
