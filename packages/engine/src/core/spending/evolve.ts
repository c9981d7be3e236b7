/** Tokens and dollars of model calls and tasks, for the session and for the current turn. */
import type { DurableEvent, EventData, Usage } from '@pawl/protocol';
import type { State } from '../state.ts';
import { addCost, addUsage, noUsage } from './usage.ts';

export function evolveSpending(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'session.forked':
      state.usage = noUsage;
      state.costUsd = 0;
      break;
    case 'message.added': {
      const { message } = event.data;
      // The cost of a partial answer is in the `model.failed` event that follows.
      if (message.role === 'assistant' && message.isPartial !== true) addSpent(state, message);
      break;
    }
    case 'model.failed':
      addFailedCall(state, event.data);
      break;
    case 'compaction.summarised':
    case 'compaction.failed':
    case 'task.ended':
      addSpent(state, event.data);
      break;
  }
}

/** What was used and what it cost, where that is known; null is unknown. */
type Spent = { usage?: Usage | undefined; costUsd?: number | null | undefined };

function addSpent(state: State, { usage = noUsage, costUsd = 0 }: Spent): void {
  for (const sum of [state, state.turn]) {
    if (sum === null) continue;
    sum.usage = addUsage(sum.usage, usage);
    sum.costUsd = addCost(sum.costUsd, costUsd);
  }
}

/**
 * If the cost of a failed call is unknown, the cost of its turn becomes unknown, but not that of the session: otherwise a
 * limit in dollars would refuse every later input.
 */
function addFailedCall(state: State, { error, usage = noUsage, costUsd = 0 }: EventData['model.failed']): void {
  const isWhole = error.code === 'output_cut' || error.code === 'empty_answer';
  state.usage = addUsage(state.usage, usage);
  state.costUsd = addCost(state.costUsd, isWhole ? costUsd : (costUsd ?? 0));
  if (state.turn === null) return;
  state.turn.usage = addUsage(state.turn.usage, usage);
  state.turn.costUsd = addCost(state.turn.costUsd, costUsd);
}
