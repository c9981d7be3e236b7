import type { ModelFacts } from '../catalogue/table.ts';
import type { Parameters } from '../parameters.ts';
import { fitAnthropic } from '../wires/anthropic/fit.ts';
import { fitEffort } from '../wires/effort.ts';
import type { WireName } from './providers.ts';

/** What of the parameters the model will not be sent as they are, in sentences; its wire says the same when it is called. */
export function parameterChanges(
  wire: WireName,
  names: { id: string; model: string },
  facts: ModelFacts,
  parameters: Parameters,
): readonly string[] {
  if (wire === 'anthropic') return fitAnthropic(names, () => facts, parameters).changes;
  const { change } = fitEffort(names.id, facts, parameters);
  return change === null ? [] : [change];
}
