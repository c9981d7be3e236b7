import type { ModelRequest } from '@pawl/engine';
import { isPawlError, type JsonObject } from '@pawl/protocol';
import type { Parameters } from '../../parameters.ts';
import type { Traits } from './models.ts';

/** Where a model counts what it thinks and nobody said how much. */
const defaultBudgetTokens = 8192;
/** The API takes no smaller budget, and wants room for an answer beside it. */
const minTokens = 1024;

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
 * How the model is to think, and what goes with it: thinking excludes sampling parameters, and forced calls exclude
 * thinking. Within a turn it stays as it is, because a change voids what the provider keeps of the messages.
 * Source: https://platform.claude.com/docs/en/build-with-claude/thinking.
 * @param isRefused The turn began without thoughts, and the server takes no budget in the rest of such a turn.
 */
export function conductOf(
  traits: Traits,
  parameters: Parameters,
  request: Pick<ModelRequest, 'toolChoice' | 'maxOutputTokens'>,
  isRefused: boolean,
): Conduct {
  const { effort, thinkingBudgetTokens, temperature, topP } = parameters;
  const wantsForce = request.toolChoice === 'required' || typeof request.toolChoice === 'object';
  const isForced = wantsForce && traits.canBeForced;
  const isOff = thinkingBudgetTokens === 0 || effort === 'none';
  const isAsked = !isOff && (thinkingBudgetTokens !== undefined || effort !== undefined);
  // Who sets a temperature means it: thinking that nobody asked for gives way.
  const yields = traits.sampling !== 'none' && !isAsked && (temperature !== undefined || topP !== undefined);
  const thinking = isOff || yields ? quietest(traits) : awake(traits, parameters, request, isForced || isRefused);
  const isThinking = thinking !== null && thinking.type !== 'disabled';
  const takesSampling = traits.sampling !== 'none' && !isThinking;
  const isOneEnough = traits.sampling === 'one' && temperature !== undefined;
  return {
    thinking,
    effort: effortOf(traits, effort, isOff),
    temperature: takesSampling ? (temperature ?? null) : null,
    topP: takesSampling && !isOneEnough ? (topP ?? null) : null,
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
  isExcluded: boolean,
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
  if (isExcluded) return null;
  const wanted = thinkingBudgetTokens ?? budgetOfEffort[effort ?? ''] ?? defaultBudgetTokens;
  // The budget counts as output.
  const tokens = Math.min(Math.max(wanted, minTokens), maxOutputTokens - minTokens);
  return tokens < minTokens ? null : { type: 'enabled', budget_tokens: tokens };
}

function effortOf(traits: Traits, effort: string | undefined, isOff: boolean): string | null {
  if (!traits.hasEffort) return null;
  if (isOff && traits.quietest === 'low_effort') return 'low';
  if (effort === undefined || effort === 'none') return null;
  if (effort === 'minimal') return 'low';
  // More than `high` is refused without thinking.
  return isOff && (effort === 'xhigh' || effort === 'max') ? 'high' : effort;
}

/** Whether a request was refused because thoughts were asked for in a turn that began without any. */
export function isLateThinkingRefused(error: unknown): boolean {
  return isPawlError(error, 'bad_request') && /expected `?thinking`? or `?redacted_thinking/i.test(error.message);
}
