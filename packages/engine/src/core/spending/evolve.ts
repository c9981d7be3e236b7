/** What the calls of models and the work of tasks have used, for the session and for the turn that runs. */
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
      // What a partial answer has cost stands in the event that says why it was cut.
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
 * What nobody told of a call that broke off makes the cost of its turn unknown, and not that of the session: a limit in
 * dollars would refuse every input after it.
 */
function addFailedCall(state: State, { error, usage = noUsage, costUsd = 0 }: EventData['model.failed']): void {
  const isWhole = error.code === 'output_cut' || error.code === 'empty_answer';
  state.usage = addUsage(state.usage, usage);
  state.costUsd = addCost(state.costUsd, isWhole ? costUsd : (costUsd ?? 0));
  if (state.turn === null) return;
  state.turn.usage = addUsage(state.turn.usage, usage);
  state.turn.costUsd = addCost(state.turn.costUsd, costUsd);
}
