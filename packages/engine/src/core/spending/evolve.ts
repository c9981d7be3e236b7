import type { Usage } from '@pawl/protocol';
import type { State } from '../state.ts';
import { addCost, addUsage } from './usage.ts';

/** What was spent, by a call of the model or by a task, counts for the session and for the turn that runs. */
export function addSpending(state: State, usage: Usage, costUsd: number | null): void {
  for (const sum of [state, state.turn]) {
    if (sum === null) continue;
    sum.usage = addUsage(sum.usage, usage);
    sum.costUsd = addCost(sum.costUsd, costUsd);
  }
}
