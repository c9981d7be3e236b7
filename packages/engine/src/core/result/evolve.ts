/** What becomes of a result that was held against the schema that the turn was asked for. */
import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../state.ts';

export function evolveResult({ turn }: State, event: DurableEvent): void {
  if (turn === null) return;
  switch (event.type) {
    case 'result.checked': {
      const { isValid, problem = '', call } = event.data;
      turn.wrongResult = isValid ? null : problem;
      if (isValid) break;
      turn.wrongResults += 1;
      turn.correction = call === undefined ? problem : null;
      break;
    }
    case 'message.added':
      if (event.data.message.role === 'user' && event.data.message.source === 'engine') turn.correction = null;
      break;
  }
}
