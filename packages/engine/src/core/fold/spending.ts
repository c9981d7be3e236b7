import type { Usage } from '@pawl/protocol';
import type { State } from '../state.ts';
import { addCost, addUsage } from '../usage.ts';

/**
 * What a call of the model spent that broke off. What nobody told of it makes the cost of its turn unknown, and not that of
 * the session: a limit in dollars would refuse every input after it.
 */
export function addBrokenSpending(state: State, usage: Usage, costUsd: number | null): void {
  state.usage = addUsage(state.usage, usage);
  state.costUsd = addCost(state.costUsd, costUsd ?? 0);
  if (state.turn === null) return;
  state.turn.usage = addUsage(state.turn.usage, usage);
  state.turn.costUsd = addCost(state.turn.costUsd, costUsd);
}

/** What was spent, by a call of the model or by a task, counts for the session and for the turn that runs. */
export function addSpending(state: State, usage: Usage, costUsd: number | null): void {
  for (const sum of [state, state.turn]) {
    if (sum === null) continue;
    sum.usage = addUsage(sum.usage, usage);
    sum.costUsd = addCost(sum.costUsd, costUsd);
  }
}
