/** Which inputs may be sent, edited in the queue and removed, and by whom. */
import type { EventBody, UserPart } from '@pawl/protocol';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import type { State } from '../state.ts';
import { optionsOf, optionsRefusal } from '../turn/options.ts';

type InputCommand = Extract<
  FingerprintedCommand,
  { type: `input.${string}` | 'context.add' | 'files.report' | 'feedback' }
>;

export function decideInput(state: State, command: InputCommand): Decision {
  switch (command.type) {
    case 'input.send':
      return send(state, command);
    case 'input.edit': {
      if (isEmpty(command.data.content)) return refuse('empty_input', 'The input is empty. Remove it instead.');
      return queueRefusal(state, command) ?? accept({ type: 'input.edited', data: command.data });
    }
    case 'input.remove':
      return queueRefusal(state, command) ?? accept({ type: 'input.removed', data: command.data });
    case 'context.add':
      return addContext(command.id, command.data.content);
    case 'files.report': {
      if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can say that files were put back.');
      const { content, ...data } = command.data;
      const told = addContext(command.id, content);
      return told.type === 'accepted' ? accept({ type: 'files.reverted', data }, ...told.events) : told;
    }
    case 'feedback':
      return addContext(command.id, [{ type: 'text', text: command.data.text }], true);
    default:
      return command satisfies never;
  }
}

function send(state: State, command: InputCommand & { type: 'input.send' }): Decision {
  const { turn } = state;
  const { content, delivery } = command.data;
  if (isEmpty(content)) return refuse('empty_input', 'The input is empty. Send some text.');
  // A person may send to a task that has ended; its owner reopens it instead, with an allotment.
  if (state.assignment?.finished != null && command.by.kind === 'agent') {
    return refuse('task_ended', 'This task has ended already.');
  }
  if (delivery === 'reject' && turn !== null) {
    return refuse(
      'busy',
      `Turn ${turn.number}, started by ${turn.by.id}, is running. Wait for it, or queue, steer or interrupt.`,
    );
  }
  const isSteering = delivery === 'steer' && turn !== null;
  const refusal = optionsRefusal(command.data, { by: command.by, isSteering });
  if (refusal !== null) return refusal;
  const queued: EventBody = {
    type: 'input.queued',
    data: {
      input: command.id,
      delivery: delivery === 'reject' ? 'queue' : delivery,
      content,
      ...optionsOf(command.data),
    },
  };
  if (delivery !== 'interrupt' || turn === null || turn.cancel !== null) return accept(queued);
  const data = { turn: turn.number, reason: 'Interrupted by a new input.', queue: 'run' as const };
  return accept(queued, { type: 'cancel.requested', data });
}

function isEmpty(content: readonly UserPart[]): boolean {
  return content.every((part) => part.type === 'text' && part.text.trim() === '');
}

/** An input may be changed by a person, and by whoever sent it, until it is taken. */
function queueRefusal(
  state: State,
  command: FingerprintedCommand & { type: 'input.edit' | 'input.remove' },
): Decision | null {
  const { input } = command.data;
  const queued = state.queue.find((other) => other.id === input);
  if (queued === undefined) {
    return refuse('input_taken', `Input ${input} is not in the queue: it was taken, removed or never sent.`);
  }
  const isOwn = queued.by.kind === command.by.kind && queued.by.id === command.by.id;
  if (command.by.kind === 'human' || isOwn) return null;
  return refuse('human_only', `Input ${input} is not yours. Only a person can change what another sent.`);
}

/** Nothing may stand between a call and its result, so context waits in the queue until the calls of the step are done. */
function addContext(input: string, content: UserPart[], isFeedback = false): Decision {
  if (isEmpty(content)) return refuse('empty_input', 'The message is empty. Send some text.');
  const data = { input, delivery: 'context' as const, content, ...(isFeedback && { isFeedback }) };
  return accept({ type: 'input.queued', data });
}
