/** The queue of inputs, the task of the session, and the latest request. */
import type { DurableEvent, UserMessage } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';
import { optionsOf } from '../turn/options.ts';
import type { QueuedInput } from './state.ts';

export function evolveInputs(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'session.forked':
      state.queue = [];
      state.isHeld = false;
      break;
    case 'session.resumed':
      state.isHeld = false;
      break;
    case 'input.queued':
      addToQueue(state, event);
      break;
    case 'input.edited': {
      const queued = state.queue.find((input) => input.id === event.data.input);
      if (queued !== undefined) queued.content = event.data.content;
      break;
    }
    case 'input.removed':
      removeFromQueue(state, event.data.input);
      break;
    case 'message.added':
      if (event.data.message.role === 'user') recordTaken(state, event.data.message);
      break;
    case 'turn.ended':
      disposeOfQueue(state, state.turn?.cancel ?? null);
      break;
  }
}

function addToQueue(state: State, { data, by }: DurableEvent & { type: 'input.queued' }): void {
  const { input, delivery, content, isFeedback = false } = data;
  const isMail = isFromMail(state, input);
  const isSteering = !isMail && (isFeedback || delivery === 'steer' || delivery === 'interrupt');
  const queued: QueuedInput = { id: input, delivery, content, options: optionsOf(data), isSteering, by };
  if (delivery === 'interrupt') state.queue.unshift(queued);
  else state.queue.push(queued);
  // Mail of another agent does not release inputs that a person put on hold.
  if (delivery !== 'context' && !isMail) state.isHeld = false;
}

function removeFromQueue(state: State, id: string): void {
  state.queue = state.queue.filter((input) => input.id !== id);
}

function recordTaken(state: State, { source, input, content }: UserMessage): void {
  if (source === 'input') {
    state.task ??= textOf(content);
    // A steering input or a mail is not a new request.
    const isSteer = state.queue.find(({ id }) => id === input)?.delivery === 'steer';
    if (!isSteer && !isFromMail(state, input)) state.latestRequest = textOf(content);
  }
  if (input !== undefined) removeFromQueue(state, input);
}

/** A cancel decides about the inputs that were queued when it came; later ones run. */
function disposeOfQueue(state: State, cancel: Turn['cancel']): void {
  const { queue = 'run', inputs = [] } = cancel ?? {};
  const isCovered = ({ id }: QueuedInput) => inputs.includes(id);
  const sent = state.queue.filter((input) => input.delivery !== 'context');
  if (queue === 'wait' && sent.length > 0 && sent.every(isCovered)) state.isHeld = true;
  if (queue !== 'commit') return;
  state.queue = state.queue.map((input) => (isCovered(input) ? { ...input, delivery: 'context' } : input));
}

const isFromMail = ({ mail }: State, input: string | undefined): boolean =>
  mail.inbox.some((received) => received.mail === input);
