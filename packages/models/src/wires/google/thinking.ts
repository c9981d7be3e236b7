import type { Parameters } from '../../parameters.ts';

/** How a model is told to think: by a level, by a budget of tokens, or not at all. */
type ThinkingKind = 'level' | 'budget' | 'none';

/** The part of `generationConfig` that asks for thinking. */
export type ThinkingConfig = { includeThoughts: boolean; thinkingLevel?: string; thinkingBudget?: number };

/** Tokens that a model thinks with, where it counts them and nothing else is asked for. */
const defaultBudgetTokens = 8192;

/**
 * Effort as tokens, as the provider's own compatibility layer has it; `none` turns thinking off.
 * Source: https://ai.google.dev/gemini-api/docs/openai#thinking.
 */
const budgets: { readonly [effort: string]: number } = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** Words of other providers, as the nearest level. What no table knows is passed on as it is. */
const levels: { readonly [effort: string]: string } = { none: 'low', xhigh: 'high', max: 'high' };

/**
 * By the model's name: up to version 2.0 they do not think (and refuse to be asked to), 2.5 counts tokens, and all
 * after it, as well as names without a version (`gemini-flash-latest`), have levels.
 * Source: https://ai.google.dev/gemini-api/docs/thinking.
 */
function thinkingKind(model: string): ThinkingKind {
  const name = model.toLowerCase();
  if (/image|tts|audio|embedding/.test(name)) return 'none';
  const version = /gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1];
  if (version === undefined) return /gemini-[a-z-]*latest/.test(name) ? 'level' : 'none';
  if (Number(version) >= 3) return 'level';
  return version === '2.5' ? 'budget' : 'none';
}

/**
 * Whether requests are refused whose calls carry no thought signature.
 * Source: https://ai.google.dev/gemini-api/docs/thought-signatures.
 */
export function needsSignatures(model: string): boolean {
  return thinkingKind(model) === 'level';
}

export function thinkingConfig(
  model: string,
  parameters: Parameters,
  maxOutputTokens: number,
): ThinkingConfig | undefined {
  switch (thinkingKind(model)) {
    case 'none':
      return undefined;
    case 'level': {
      const thinkingLevel = levelOf(model, parameters);
      return { includeThoughts: true, ...(thinkingLevel === undefined ? {} : { thinkingLevel }) };
    }
    case 'budget': {
      const thinkingBudget = budgetOf(model, parameters, maxOutputTokens);
      return { includeThoughts: thinkingBudget > 0, thinkingBudget };
    }
  }
}

/** Nothing leaves it to the model. Thinking cannot be turned off here, only down. */
function levelOf(model: string, { effort, thinkingBudgetTokens }: Parameters): string | undefined {
  if (effort !== undefined) {
    const level = levels[effort.toLowerCase()] ?? effort.toLowerCase();
    // Only some small models know a level below `low`; those of the catalogue come with a word that they take.
    return level === 'minimal' && !/gemini-3(\.[0-6])?-flash|flash-(lite|latest)|gemma/i.test(model) ? 'low' : level;
  }
  if (thinkingBudgetTokens === undefined) return undefined;
  if (thinkingBudgetTokens <= 2048) return 'low';
  return thinkingBudgetTokens <= 12_288 ? 'medium' : 'high';
}

/** Thinking counts as output, so some room is left beside it. */
function budgetOf(model: string, { effort, thinkingBudgetTokens }: Parameters, maxOutputTokens: number): number {
  const isPro = /pro/i.test(model);
  // What the models allow: https://ai.google.dev/gemini-api/docs/thinking#set-budget.
  const [least, most] = isPro ? [128, 32_768] : [/lite/i.test(model) ? 512 : 1, 24_576];
  const asked = thinkingBudgetTokens ?? budgets[effort?.toLowerCase() ?? ''] ?? defaultBudgetTokens;
  const budget = Math.min(asked, most, maxOutputTokens - 1024);
  if (budget >= least) return budget;
  return isPro ? least : 0;
}
