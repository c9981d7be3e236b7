import type { ModelFacts } from '../catalogue/table.ts';
import type { Parameters } from '../parameters.ts';
import { withoutVariant } from '../select/names.ts';

/** Parameters as a model takes them, and what of them was changed, for people; null where nothing was. */
export type Fitted = { parameters: Parameters; change: string | null };

/** How much each word asks for. `default` is what some models call the only thinking that they have. */
const amounts: { readonly [word: string]: number } = {
  none: 0,
  minimal: 1,
  low: 2,
  medium: 3,
  default: 3,
  high: 4,
  xhigh: 5,
  max: 6,
};

/**
 * The effort as the model's provider takes it: a word that it would refuse becomes the nearest one that it takes. A
 * budget of 0 asks for `none`. What nobody knows of a model is left as it is.
 */
export function fitEffort(id: string, facts: ModelFacts, parameters: Parameters): Fitted {
  const { efforts, thinks, like } = facts;
  const asked = parameters.effort ?? (parameters.thinkingBudgetTokens === 0 ? 'none' : undefined);
  if (asked === undefined) return { parameters, change: null };
  const name = withoutVariant(id);
  if (thinks === false) {
    const { effort: _effort, thinkingBudgetTokens: _tokens, ...rest } = parameters;
    const change = asked === 'none' ? null : `${name} does not think: the effort "${asked}" is not sent.`;
    return { parameters: rest, change };
  }
  if (efforts === undefined || efforts.length === 0) return { parameters, change: null };
  const effort = nearestEffort(asked, efforts);
  if (effort === asked) return { parameters: { ...parameters, effort }, change: null };
  const { thinkingBudgetTokens, ...rest } = parameters;
  const budget = thinkingBudgetTokens === undefined || thinkingBudgetTokens === 0 ? {} : { thinkingBudgetTokens };
  const source = like === undefined ? '' : `, if it is like ${like}`;
  return {
    parameters: { ...rest, ...budget, effort },
    change: `${name} takes the efforts ${efforts.join(', ')}${source}: "${asked}" is sent as "${effort}".`,
  };
}

/** `none` only for itself; of two that are as near, the lesser. A word of nobody's is passed on: it may be new. */
export function nearestEffort(asked: string, efforts: readonly string[]): string {
  const word = asked.toLowerCase();
  const wanted = amounts[word];
  if (efforts.includes(word) || wanted === undefined) return word;
  const thinking = efforts.filter((effort) => effort !== 'none');
  const distance = (effort: string) => Math.abs((amounts[effort] ?? wanted) - wanted);
  return thinking.toSorted((one, other) => distance(one) - distance(other))[0] ?? word;
}
