/** Who may start a turn without an input, cancel one, and review its result. */
import type { EventBody } from '@pawl/protocol';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import type { State } from '../state.ts';
import { inheritedOptions } from './options.ts';

type TurnCommand = Extract<FingerprintedCommand, { type: `turn.${string}` | 'review.resolve' }>;

export function decideTurn(state: State, command: TurnCommand): Decision {
  const { turn } = state;
  switch (command.type) {
    case 'turn.continue':
      if (turn !== null) return refuse('busy', `Turn ${turn.number} is running; it goes on by itself.`);
      return startWithoutInput(state, 'continue');
    case 'turn.retry':
      if (turn !== null) return refuse('busy', `Turn ${turn.number} is running; there is nothing to retry.`);
      if (state.lastTurn?.outcome !== 'failed') {
        return refuse('nothing_to_retry', 'The last turn did not fail. Send an input, or continue.');
      }
      return startWithoutInput(state, 'retry');
    case 'turn.cancel':
      if (turn === null) return refuse('no_turn', 'No turn is running.');
      if (turn.cancel !== null) return refuse('already_cancelled', `Turn ${turn.number} is being cancelled already.`);
      return accept({ type: 'cancel.requested', data: { turn: turn.number, ...command.data } });
    case 'review.resolve':
      if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can approve or reject a result.');
      if (turn?.phase !== 'review' || turn.cancel !== null) return refuse('no_review', 'No result is up for review.');
      return accept({ type: 'review.resolved', data: { turn: turn.number, ...command.data } });
    default:
      return command satisfies never;
  }
}

function startWithoutInput(state: State, cause: 'continue' | 'retry'): Decision {
  const last = state.messages.at(-1);
  if (last === undefined) return refuse('nothing_to_continue', 'The session has no messages yet. Send an input.');
  const events: EventBody[] = [];
  const isCut = last.role === 'assistant' && last.isPartial === true;
  const isThought = isCut && !last.content.some((part) => part.type === 'text' && part.text !== '');
  if (isCut && (isThought || cause === 'retry')) {
    const why = 'An answer that was cut off; it is asked for again.';
    events.push({ type: 'history.repaired', data: { repairs: [{ op: 'drop_message', message: last.id, why }] } });
  } else if (last.role === 'assistant') {
    const content = [{ type: 'text' as const, text: 'Continue from where you stopped.' }];
    events.push({ type: 'message.added', data: { message: { role: 'user', content, source: 'engine' } } });
  }
  events.push({ type: 'turn.started', data: { turn: state.turns + 1, cause, ...inheritedOptions(state) } });
  return accept(...events);
}
