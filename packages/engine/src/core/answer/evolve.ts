/** How the calls of the model go: tries, answers that were cut or too long, and what the next request says of that. */
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
      if (message.role === 'assistant' && message.isPartial !== true) takeAnswer(turn, message);
      break;
    }
    case 'model.failed':
      failModel(turn, event.data);
      break;
    case 'compaction.failed':
      if (turn.need !== null && state.compaction?.cause === turn.need.cause) turn.need.hasFailed = true;
      break;
    case 'compaction.cancelled':
      // Somebody does not want it.
      if (turn.need !== null && event.data.suspendedSteps !== undefined) turn.need.hasFailed = true;
      break;
    case 'context.compacted':
    case 'context.removed':
      if (turn.phase !== 'compacting') break;
      turn.attempt += 1;
      turn.need = null;
      break;
  }
}

function takeAnswer(turn: Turn, { content, stopReason }: AssistantMessage): void {
  const { toolChoice } = turn.options;
  const calls = content.filter((part) => part.type === 'tool_call');
  turn.isChoiceMet ||=
    typeof toolChoice === 'object' ? calls.some(({ tool }) => tool === toolChoice.tool) : calls.length > 0;
  // Text that was cut is progress: it is gone on with for as long as steps and budgets allow.
  turn.cuts = 0;
  turn.hasCompactedForCut = false;
  turn.overflows = 0;
  turn.advice = calls.length === 0 && stopReason === 'output_limit' ? { kind: 'continue' } : null;
}

function failModel(turn: Turn, { error, cutCall, willRetry, next }: EventData['model.failed']): void {
  if (error.code === 'output_cut') {
    turn.cuts += 1;
    turn.advice = cutCall === undefined ? { kind: 'answer' } : { kind: 'smaller_call', tool: cutCall };
  }
  if (error.code === 'empty_answer') turn.hasBeenEmpty = true;
  if (willRetry === true) turn.timeouts += 1;
  if (next?.do === 'retry') turn.attempt += 1;
  if (next?.do !== 'compact') return;
  turn.need = { cause: next.cause, ending: next.orElse, hasFailed: false };
  if (next.cause === 'cut') turn.hasCompactedForCut = true;
  if (next.cause === 'overflow') turn.overflows += 1;
}
