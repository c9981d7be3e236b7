/**
 * Completes events of earlier versions, which left out decisions that those versions made again whenever they read a log.
 * Today's events carry these decisions. Nothing here may change with today's rules: a log means the same for ever.
 */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { nextAfterFailure } from './answer/failure.ts';
import { refusedCalls } from './calls/malformed.ts';
import type { PinRules } from './pins/pins.ts';
import { pinOf } from './pins/pins.ts';
import type { State } from './state.ts';

const failureLimits = { cuts: 3, overflows: 2, tooLong: ['context_overflow'] };
const maxWrongResults = 2;
const maxCalls = 256;
const compactionThen = { isOn: true, threshold: 0.75 };
const pinRules: PinRules = {
  markers: [
    /\b(?:never|always)\b/i,
    /\b(?:do not|don['’]t|must not|mustn['’]t|should not|shouldn['’]t|cannot|can['’]t use)\b/i,
    /\b(?:from now on|going forward|in future|in the future|every time|whenever)\b/i,
    /\b(?:make sure|be sure|remember|keep in mind|note that|important)\b/i,
    /\b(?:must|only use|use only|instead of|rather than|prefer|avoid|without touching|leave .{1,40} alone)\b/i,
    /(?:^|[.!?]\s+)(?:no|stop|wait|wrong|not like that|that['’]s wrong|actually)\b/i,
    /(?<!\p{L})(?:nie|niemals|immer|ab jetzt|auf keinen Fall|nicht mehr|bitte nicht|sondern)(?!\p{L})/iu,
    /(?<!\p{L})(?:jamais|toujours|désormais|ne .{1,40} pas|à partir de maintenant)(?!\p{L})/iu,
    /(?<!\p{L})(?:nunca|siempre|a partir de ahora|en lugar de|jamás)(?!\p{L})/iu,
    /(?:不要|别再|永远|总是|绝不|必须|しないで|必ず|決して)/u,
  ],
  longestWhole: 1500,
  longestLine: 400,
  maxLines: 10,
  longestPlain: 400,
};

/** The event with what its version decided. Today's events are returned unchanged. */
export function completeOldEvent(state: State, event: DurableEvent): DurableEvent {
  const { turn } = state;
  switch (event.type) {
    case 'session.created': {
      if (event.data.compaction !== undefined) return event;
      return { ...event, data: { ...event.data, compaction: compactionThen } };
    }
    case 'message.added':
      return { ...event, data: completedMessage(state, event.data) };
    case 'model.failed': {
      if (event.data.next !== undefined || turn === null) return event;
      return { ...event, data: { ...event.data, next: nextAfterFailure(state, turn, event.data, failureLimits) } };
    }
    case 'result.checked': {
      if (event.data.isValid || event.data.consequence !== undefined || turn === null) return event;
      const consequence = turn.wrongResults + 1 < maxWrongResults ? 'repair' : 'failure';
      return { ...event, data: { ...event.data, consequence } };
    }
    default:
      return event;
  }
}

function completedMessage(state: State, data: EventData['message.added']): EventData['message.added'] {
  const { message } = data;
  if (message.role === 'assistant') {
    if (data.refusedCalls !== undefined || state.turn === null) return data;
    const calls = message.content.filter((part) => part.type === 'tool_call');
    return { ...data, refusedCalls: refusedCalls(state.turn, calls, maxCalls) };
  }
  const { source, input, content } = message;
  if (data.pin !== undefined || source === 'engine') return data;
  const isSteering = state.queue.find(({ id }) => id === input)?.isSteering === true;
  return { ...data, pin: pinOf(state, { source, text: textOf(content), isSteering }, pinRules) };
}
