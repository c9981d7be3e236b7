/** Whether a turn may make its next model call: the limits of steps, tokens and dollars. */

import { windowTokens } from '../history/window.ts';
import type { State, Turn } from '../state.ts';
import { allottedToTasks, spentOnTask } from '../tasks/tasks.ts';
import { addCost, totalTokens } from './usage.ts';

/** The ending of a turn that reached a limit; null if no limit is reached. */
export function limitReached(state: State, turn: Turn): Turn['ending'] {
  const { limits } = state.settings;
  const { assignment } = state;
  if (assignment !== null && assignment.allotment !== null && assignment.steps >= assignment.allotment.steps) {
    return { outcome: 'max_steps', message: `The task reached its limit of ${assignment.allotment.steps} steps.` };
  }
  if (turn.step < limits.steps) return budgetReached(state, turn);
  const message = `The turn reached its limit of ${limits.steps} steps. Continue to go on.`;
  return { outcome: 'max_steps', message };
}

/**
 * The limits that every call of the model is checked against, retries included. `beside` is other spending that is not in
 * the log yet.
 */
export function budgetReached(
  state: State,
  turn: Pick<Turn, 'usage' | 'costUsd'> | null,
  beside: { tokens?: number; usd?: number | null } = {},
): Turn['ending'] {
  const { limits } = state.settings;
  const isSummarising = state.compaction !== null && state.compaction.ready === null;
  // The next call costs at least its input, and a running summary costs its own.
  const summary = isSummarising ? (state.compaction?.tokens ?? 0) : 0;
  const next = windowTokens(state) + summary + (beside.tokens ?? 0);
  // Allotments of tasks count as spent until the tasks end.
  const aside = allottedToTasks(state);
  const allotment = state.assignment?.allotment ?? null;
  const onTask = spentOnTask(state);
  const tokenLimits = [
    ...(turn === null ? [] : [{ limit: limits.tokens, used: totalTokens(turn.usage), what: 'turn' }]),
    { limit: limits.sessionTokens, used: totalTokens(state.usage), what: 'session' },
    { limit: allotment?.tokens ?? null, used: totalTokens(onTask.usage), what: 'task' },
  ];
  for (const { limit, used, what } of tokenLimits) {
    if (limit === null || used + aside.tokens + next <= limit) continue;
    const reserved = aside.tokens === 0 ? '' : `, its tasks may use ${aside.tokens} more,`;
    const message = `The ${what} has used ${used} tokens${reserved} and the next request has at least ${next}: its limit is ${limit}.`;
    return { outcome: 'budget', message };
  }
  const nextUsd = (next * (state.settings.modelInfo.leastInputUsdPerMillion ?? 0)) / 1_000_000;
  const spent = beside.usd === undefined ? 0 : beside.usd;
  const dollarLimits = [
    ...(turn === null ? [] : [{ limit: limits.usd, used: addCost(turn.costUsd, spent), what: 'turn' }]),
    { limit: limits.sessionUsd, used: addCost(state.costUsd, spent), what: 'session' },
    { limit: allotment?.usd ?? null, used: addCost(onTask.costUsd, spent), what: 'task' },
  ];
  for (const { limit, used: own, what } of dollarLimits) {
    if (limit === null) continue;
    const used = addCost(own, aside.usd);
    if (used === null) {
      return {
        outcome: 'budget',
        message: `The ${what} has a limit of $${limit}, and what it cost so far is unknown.`,
      };
    }
    if (used >= limit) {
      return { outcome: 'budget', message: `The ${what} has cost $${used.toFixed(4)}: its limit is $${limit}.` };
    }
    if (used + nextUsd > limit) {
      const message = `The ${what} has cost $${used.toFixed(4)}, and the next request costs at least $${nextUsd.toFixed(4)}: its limit is $${limit}.`;
      return { outcome: 'budget', message };
    }
  }
  return null;
}
