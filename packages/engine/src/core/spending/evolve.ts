/** What the calls of models and the work of tasks have used, for the session and for the turn that runs. */
import type { DurableEvent, Usage } from '@pawl/protocol';
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
      if (message.role === 'assistant' && message.isPartial !== true) add(state, message);
      break;
    }
    case 'model.failed':
    case 'compaction.summarised':
    case 'compaction.failed':
    case 'task.ended':
      add(state, event.data);
      break;
  }
}

/** What was used and what it cost, where that is known; null is unknown. */
type Spent = { usage?: Usage | undefined; costUsd?: number | null | undefined };

function add(state: State, { usage = noUsage, costUsd = 0 }: Spent): void {
  for (const sum of [state, state.turn]) {
    if (sum === null) continue;
    sum.usage = addUsage(sum.usage, usage);
    sum.costUsd = addCost(sum.costUsd, costUsd);
  }
}
