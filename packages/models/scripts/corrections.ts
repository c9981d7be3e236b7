/**
 * What the providers' own pages say where the sources of the catalogue are silent or differ. Each entry names its page
 * and the day on which it was read.
 */
import type { DatedPrices } from '../src/catalogue/table.ts';

/** OpenAI's window from 5.4 on: 922 000 tokens of input and 128 000 of output. From 272 000 on only the price rises. */
const openaiWindow = 1_050_000;
const openaiPriceStep = 272_000;

/**
 * Tokens of a model's window. One source gives, for OpenAI's models, where their price rises.
 * https://developers.openai.com/api/docs/models/gpt-6-sol, …/gpt-6.2-sol and …/gpt-5.5, read 2026-11-22.
 */
export function windowOf(provider: string, name: string, tokens: number): number {
  const isStep = tokens === openaiPriceStep && provider === 'openai' && /^gpt-(5\.[4-9]|[6-9])/.test(name);
  return isStep ? openaiWindow : tokens;
}

/** The effort words of models for which the source has others than their provider. */
const published: { readonly [provider: string]: { readonly [model: string]: readonly string[] } } = {
  // https://docs.x.ai/developers/model-capabilities/text/reasoning, read 2026-11-22; `xhigh` came with 4.6.
  xai: {
    'grok-4.3': ['none', 'low', 'medium', 'high'],
    'grok-4.5': ['low', 'medium', 'high'],
  },
  // https://platform.claude.com/docs/en/build-with-claude/effort, read 2026-11-22.
  anthropic: {
    'claude-opus-4-5': ['low', 'medium', 'high'],
    'claude-opus-4-5-20251101': ['low', 'medium', 'high'],
  },
};

export function publishedEfforts(provider: string, model: string): readonly string[] | undefined {
  return published[provider]?.[model];
}

/** Prices that are announced for a later day. */
const announced: { readonly [provider: string]: { readonly [model: string]: DatedPrices } } = {
  // "Through November 30, 2026": https://ai.google.dev/gemini-api/docs/pricing and …/latest-model, read 2026-11-22.
  google: {
    'gemini-4-argon': { when: { start_date: '2026-12-01' }, input: 4, output: 20, cacheRead: 0.2 },
  },
};

export function announcedPrices(provider: string, model: string): readonly DatedPrices[] {
  const prices = announced[provider]?.[model];
  return prices === undefined ? [] : [prices];
}
