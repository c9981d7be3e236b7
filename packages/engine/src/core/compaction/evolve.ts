/** The current compaction and the counts of earlier ones. The history slice records the change of the messages. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { repairHistory } from '../history/repair.ts';
import type { HistoryMessage, State } from '../state.ts';
import { removeParts } from './remove.ts';

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
      markIfOutdated(state, repairHistory(state.messages, event.data.repairs, event.seq));
      break;
    case 'context.removed':
      markIfOutdated(state, removeParts(state.messages, event.data.parts));
      break;
    case 'context.trimmed':
      state.trimmed += event.data.results.length;
      break;
    case 'compaction.started': {
      const { compaction: number, cause, through, tokens, focus = null, isMechanical = false } = event.data;
      compactions.count = number;
      state.compaction = { number, cause, through, tokens, focus, isMechanical, ready: null, isOutdated: false };
      break;
    }
    case 'compaction.summarised': {
      const { kind, summary, files, recalled, problem } = event.data;
      const said = { kind, summary, files, recalled, ...(problem !== undefined && { problem }) };
      if (state.compaction !== null) state.compaction.ready = said;
      // A digest was made because the model could not be asked.
      if (problem !== undefined) countFailure(state, event.data);
      break;
    }
    case 'compaction.failed':
      state.compaction = null;
      countFailure(state, event.data);
      break;
    case 'compaction.cancelled':
      state.compaction = null;
      suspend(state, event.data);
      break;
    case 'context.compacted': {
      const { isMechanical = false, ready = null } = state.compaction ?? {};
      compactions.summary = ready?.summary ?? null;
      compactions.applied += 1;
      // A digest does not show whether the model can be asked again.
      if (!isMechanical && ready?.problem === undefined) compactions.failures = 0;
      compactions.message = `m${event.seq}`;
      state.compaction = null;
      break;
    }
  }
}

type Suspension = Pick<EventData['compaction.failed'], 'suspendedSteps'>;

function countFailure(state: State, { suspendedSteps }: Suspension): void {
  state.compactions.failures = suspendedSteps === undefined ? state.compactions.failures + 1 : 0;
  suspend(state, { suspendedSteps });
}

function suspend({ compactions }: State, { suspendedSteps }: Suspension): void {
  compactions.suspendedSteps = suspendedSteps ?? compactions.suspendedSteps;
}

/** A change of a message that is being summarised makes the summary out of date. */
function markIfOutdated({ compaction, messages }: State, changed: readonly HistoryMessage[]): void {
  if (compaction === null) return;
  const last = messages.findIndex((message) => message.id === compaction.through);
  const isMoved = messages.slice(0, last + 1).some((message, index) => changed[index] !== message);
  compaction.isOutdated ||= isMoved;
}
