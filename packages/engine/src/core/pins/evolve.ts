/** Words of persons that are kept verbatim for the life of the session. */
import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../state.ts';
import type { Pin } from './state.ts';

export function evolvePins(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'message.added':
      if (event.data.pin != null) addPin(state, { seq: event.seq, ...event.data.pin });
      break;
    case 'approval.resolved':
      if (event.data.decision === 'deny') addReason(state, event);
      break;
    case 'review.resolved':
      if (event.data.decision === 'reject') addReason(state, event);
      break;
  }
}

/** A pin with the same text replaces the earlier one. */
function addPin(state: State, pin: Pin): void {
  state.pins = [...state.pins.filter(({ text }) => text !== pin.text), pin];
}

type Refusal = Extract<DurableEvent, { type: 'approval.resolved' | 'review.resolved' }>;

/** Pins the reason for which a person refused a call or a result. */
function addReason(state: State, { seq, by, data }: Refusal): void {
  const reason = data.reason?.trim() ?? '';
  if (by.kind === 'engine' || reason === '') return;
  const what = 'call' in data ? callOf(state, data.call) : 'the result';
  addPin(state, { seq, text: `Refused ${what}: ${reason}`, isCorrection: true });
}

function callOf(state: State, id: string): string {
  const call = state.turn?.calls.find((other) => other.id === id);
  if (call === undefined) return 'a call';
  const argument = Object.values(call.input).find((value) => typeof value === 'string');
  return argument === undefined ? `a call of ${call.tool}` : `${call.tool} ${argument.slice(0, 120).toWellFormed()}`;
}
