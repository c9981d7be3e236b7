import type { ModelInfo, Usage } from '@pawl/protocol';
import { costAt, isPriced, minInputPrice } from './cost.ts';
import { findModel } from './find.ts';
import type { ModelFacts } from './table.ts';

/** What somebody knows of a model better than the catalogue. */
export type Known = {
  contextTokens?: number;
  /** Most tokens of one answer. */
  maxOutputTokens?: number;
  /** In place of what the catalogue says of it, all of it. */
  facts?: ModelFacts;
};

/** What the catalogue knows of one model; looked up when first asked. */
export type Pricing = {
  /** US dollars of one call made at `at` (Unix ms); null where no price is known. */
  cost(usage: Usage, at: number): number | null;
  /** Limits, what it takes, and whether there is a price, with what the user knows better. */
  info(known: Known): ModelInfo;
  /** All that is known of the model. */
  facts(): ModelFacts;
};

/** For a model that no table knows: a window that most have, and an answer that even small ones allow. */
const unknown = { contextTokens: 128_000, outputTokens: 4096 };

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const inputTypes = { image: imageTypes, pdf: ['application/pdf'] };

/**
 * @param home The provider to look under when nobody is known at `url`.
 * @param url Where requests go.
 * @param model Its name there; as an object, with what the caller knows better.
 * @example
 * const pricing = createPricing('anthropic', 'https://api.anthropic.com', 'claude-sonnet-4-5');
 */
export function createPricing(home: string, url: string, model: string | (Known & { model: string })): Pricing {
  const { model: name, facts } = typeof model === 'string' ? { model, facts: undefined } : model;
  let found: ModelFacts | null | undefined = facts;
  const entry = (): ModelFacts => {
    if (found === undefined) found = findModel(home, url, name);
    return found ?? {};
  };
  return {
    cost: (usage, at) => costAt(entry().prices ?? [], usage, at),
    info: (known) => infoOf(entry(), known),
    facts: entry,
  };
}

/** A model's facts as a session keeps them. */
export function infoOf(facts: ModelFacts, known: Known = {}): ModelInfo {
  const { context, output, takes, prices = [] } = facts;
  const contextTokens = known.contextTokens ?? context ?? unknown.contextTokens;
  const least = minInputPrice(prices, new Date());
  return {
    contextTokens,
    outputTokens: known.maxOutputTokens ?? answerTokens(output ?? unknown.outputTokens, contextTokens),
    isPriceKnown: prices.some(isPriced),
    ...(least === null ? {} : { leastInputUsdPerMillion: least }),
    ...(takes === undefined ? {} : { inputTypes: takes.flatMap((kind) => inputTypes[kind]) }),
  };
}

/** Of some models the answer may be as long as the window; asked for that much, they leave no room for the question. */
function answerTokens(output: number, context: number): number {
  return output < context ? output : Math.max(1, Math.floor(context / 4));
}
