/** What persons say, kept word for word for as long as the session lives. */
import type { DurableEvent, UserMessage } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import type { State } from '../state.ts';
import { pinOf, standingLines, withPin } from './pins.ts';

export function evolvePins(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'message.added':
      if (event.data.message.role === 'user') pinInput(state, event.data.message, event.seq);
      break;
    case 'approval.resolved':
      if (event.data.decision === 'deny') pinReason(state, event);
      break;
    case 'review.resolved':
      if (event.data.decision === 'reject') pinReason(state, event);
      break;
  }
}

/** An input that is being taken, or feedback. The first input is the task, and is kept as that; of a long one what it says beside. */
function pinInput(state: State, message: UserMessage, seq: number): void {
  if (message.source === 'engine') return;
  if (message.source === 'input' && state.task === null) {
    const text = standingLines(textOf(message.content));
    if (text !== '') state.pins = withPin(state.pins, { seq, text, isCorrection: true });
    return;
  }
  const queued = state.queue.find((input) => input.id === message.input);
  const isSteering = queued?.isSteering === true;
  if (message.source === 'context' && !isSteering) return;
  const pin = pinOf(seq, textOf(message.content), isSteering);
  if (pin !== null) state.pins = withPin(state.pins, pin);
}

type Refusal = Extract<DurableEvent, { type: 'approval.resolved' | 'review.resolved' }>;

/** Why a person refused a call or a result. */
function pinReason(state: State, { seq, by, data }: Refusal): void {
  const reason = data.reason?.trim() ?? '';
  if (by.kind === 'engine' || reason === '') return;
  const what = 'call' in data ? callOf(state, data.call) : 'the result';
  state.pins = withPin(state.pins, { seq, text: `Refused ${what}: ${reason}`, isCorrection: true });
}

function callOf(state: State, id: string): string {
  const call = state.turn?.calls.find((other) => other.id === id);
  if (call === undefined) return 'a call';
  const argument = Object.values(call.input).find((value) => typeof value === 'string');
  return argument === undefined ? `a call of ${call.tool}` : `${call.tool} ${argument.slice(0, 120).toWellFormed()}`;
}
