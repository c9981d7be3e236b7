/** The compaction under way, and those that were. What it changes in the history is recorded there. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { repairHistory } from '../history/repair.ts';
import type { State } from '../state.ts';

export function evolveCompaction(state: State, event: DurableEvent): void {
  const { compactions } = state;
  switch (event.type) {
    case 'session.forked':
      state.compaction = null;
      break;
    case 'step.started':
      compactions.suspendedSteps = Math.max(0, compactions.suspendedSteps - 1);
      break;
    case 'history.repaired':
      if (state.compaction !== null && isGroundMoved(state, state.compaction.through, event)) {
        state.compaction.isMoved = true;
      }
      break;
    case 'context.trimmed':
      state.trimmed += event.data.results.length;
      break;
    case 'compaction.started': {
      const { compaction: number, cause, through, tokens, focus = null } = event.data;
      compactions.count = number;
      state.compaction = { number, cause, through, tokens, focus, ready: null, isMoved: false };
      break;
    }
    case 'compaction.summarised': {
      const { kind, summary, files, recalled } = event.data;
      if (state.compaction !== null) state.compaction.ready = { kind, summary, files, recalled };
      break;
    }
    case 'compaction.failed':
      state.compaction = null;
      compactions.failures = event.data.suspendedSteps === undefined ? compactions.failures + 1 : 0;
      suspend(state, event.data);
      break;
    case 'compaction.cancelled':
      state.compaction = null;
      suspend(state, event.data);
      break;
    case 'context.compacted':
      compactions.summary = state.compaction?.ready?.summary ?? null;
      compactions.applied += 1;
      compactions.failures = 0;
      compactions.message = `m${event.seq}`;
      state.compaction = null;
      break;
  }
}

function suspend({ compactions }: State, { suspendedSteps }: Pick<EventData['compaction.failed'], 'suspendedSteps'>) {
  compactions.suspendedSteps = suspendedSteps ?? compactions.suspendedSteps;
}

/** Whether a repair reaches into what is being summarised, which leaves the summary without its ground. */
function isGroundMoved(
  { messages }: State,
  through: string,
  { data, seq }: DurableEvent & { type: 'history.repaired' },
): boolean {
  const last = messages.findIndex((message) => message.id === through);
  const repaired = repairHistory(messages, data.repairs, seq);
  return messages.slice(0, last + 1).some((message, index) => repaired[index] !== message);
}
