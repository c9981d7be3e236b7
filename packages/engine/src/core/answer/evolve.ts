/** How the calls of the model go: tries, answers that were cut or requests that were too long, and what the next request says about it. */
import type { AssistantMessage, DurableEvent, EventData } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';

export function evolveAnswer(state: State, event: DurableEvent): void {
  const { turn } = state;
  if (turn === null) return;
  switch (event.type) {
    case 'step.started':
      turn.attempt = 1;
      turn.hasBeenEmpty = false;
      turn.timeouts = 0;
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'assistant' && message.isPartial !== true) recordAnswer(turn, message);
      break;
    }
    case 'model.failed':
      recordFailure(turn, event.data);
      break;
    case 'compaction.failed':
      if (turn.neededCompaction !== null && state.compaction?.cause === turn.neededCompaction.cause)
        turn.neededCompaction.hasFailed = true;
      break;
    case 'compaction.cancelled':
      // Somebody cancelled it, so it does not come.
      if (turn.neededCompaction !== null && event.data.suspendedSteps !== undefined)
        turn.neededCompaction.hasFailed = true;
      break;
    case 'context.compacted':
    case 'context.removed':
      if (turn.phase !== 'compacting') break;
      turn.attempt += 1;
      turn.neededCompaction = null;
      break;
  }
}

function recordAnswer(turn: Turn, { content, stopReason }: AssistantMessage): void {
  const { toolChoice } = turn.options;
  const calls = content.filter((part) => part.type === 'tool_call');
  turn.isToolChoiceMet ||=
    typeof toolChoice === 'object' ? calls.some(({ tool }) => tool === toolChoice.tool) : calls.length > 0;
  // Text that was cut is progress: the model continues it for as long as steps and budgets allow.
  turn.cuts = 0;
  turn.hasCompactedForCut = false;
  turn.overflows = 0;
  turn.advice = calls.length === 0 && stopReason === 'output_limit' ? { kind: 'continue' } : null;
}

function recordFailure(turn: Turn, { error, cutCall, willRetry, next }: EventData['model.failed']): void {
  if (error.code === 'output_cut') {
    turn.cuts += 1;
    turn.advice = cutCall === undefined ? { kind: 'answer' } : { kind: 'smaller_call', tool: cutCall };
  }
  if (error.code === 'empty_answer') turn.hasBeenEmpty = true;
  if (willRetry === true) turn.timeouts += 1;
  if (next?.do === 'retry') turn.attempt += 1;
  if (next?.do !== 'compact') return;
  turn.neededCompaction = { cause: next.cause, ending: next.orElse, hasFailed: false };
  if (next.cause === 'cut') turn.hasCompactedForCut = true;
  if (next.cause === 'overflow') turn.overflows += 1;
}
