/** Results that did not satisfy the schema, and what the agent still has to be told about them. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';

export function evolveResult({ turn }: State, event: DurableEvent): void {
  if (turn === null) return;
  switch (event.type) {
    case 'result.checked':
      if (!event.data.isValid) recordWrongResult(turn, event.data);
      break;
    case 'message.added':
      if (event.data.message.role === 'user' && event.data.message.source === 'engine') turn.correction = null;
      break;
  }
}

function recordWrongResult(turn: Turn, { problem = '', step, call, consequence }: EventData['result.checked']): void {
  turn.wrongResults += 1;
  turn.wrongStep = step;
  // For the result of a call, the problem is part of the call's own result.
  turn.correction = call === undefined ? problem : null;
  if (consequence === 'failure') turn.failedResult = problem;
}
