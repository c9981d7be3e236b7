import { findAt, providerCalled } from '../../catalogue/find.ts';
import type { ModelFacts } from '../../catalogue/table.ts';
import type { Parameters } from '../../parameters.ts';
import { withoutVariant } from '../../select/names.ts';
import { fitEffort } from '../effort.ts';
import { type Traits, traitsOf } from './models.ts';

/** Parameters as a model of this API takes them, and what was changed of them, for people. */
export function fitAnthropic(
  { id, model }: { id: string; model: string },
  facts: () => ModelFacts,
  asked: Parameters,
): { parameters: Parameters; changes: readonly string[] } {
  const traits = traitsOf(model);
  // A model without effort has budgets for its words, and one that cannot stop thinking has its own way to do less.
  const hasWord = traits.hasEffort && asked.effort !== undefined && asked.effort !== 'none';
  if (!hasWord) return { parameters: asked, changes: changesOf(id, traits, asked) };
  const { parameters, change } = fitEffort(id, withEfforts(model, facts()), asked);
  return { parameters, changes: [...(change === null ? [] : [change]), ...changesOf(id, traits, parameters)] };
}

/** With the words of the model itself, where a gateway has another name for it. */
function withEfforts(name: string, facts: ModelFacts): ModelFacts {
  if (facts.efforts !== undefined) return facts;
  const [own = ''] = /claude-.*/.exec(name.toLowerCase()) ?? [];
  const maker = own === '' ? null : providerCalled('anthropic');
  const known = maker === null ? null : findAt(maker, own.replaceAll('.', '-').replace(/-v\d+(:\d+)?$/, ''));
  return known?.efforts === undefined ? facts : { ...facts, efforts: known.efforts };
}

/** What of the parameters the model is not sent as it was asked for. */
function changesOf(
  id: string,
  traits: Traits,
  { effort, thinkingBudgetTokens, temperature, topP }: Parameters,
): string[] {
  const name = withoutVariant(id);
  const isOff = effort === 'none' || thinkingBudgetTokens === 0;
  const isAsked = !isOff && (effort !== undefined || thinkingBudgetTokens !== undefined);
  const hasSampling = temperature !== undefined || topP !== undefined;
  const changes: string[] = [];
  if (isOff && traits.quietest === 'low_effort')
    changes.push(`${name} cannot stop thinking: it is asked for low effort.`);
  if (isOff && traits.quietest === 'between_tools') changes.push(`${name} cannot stop thinking between its calls.`);
  if (hasSampling && traits.sampling === 'none') {
    changes.push(`${name} takes neither temperature nor topP: they are not sent.`);
  } else if (hasSampling && isAsked && traits.isKnown && traits.thinking !== 'none') {
    changes.push(`${name} takes neither temperature nor topP while it thinks: they are not sent.`);
  } else if (temperature !== undefined && topP !== undefined && traits.sampling === 'one') {
    changes.push(`${name} takes either temperature or topP: only temperature is sent.`);
  }
  return changes;
}
