/** Copies a session, up to a message, into a log of its own. */
import type { Actor, DurableEvent, UserPart } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { evolve, initialState, settle } from '../core/index.ts';

type Fork = { events: DurableEvent[]; draft: UserPart[] | null };

/** `events` up to `beforeMessage` (or all) as the log of `session`, ending in `session.forked`. */
export function forkEvents(
  events: readonly DurableEvent[],
  target: { session: string; at: number; by: Actor; beforeMessage?: string },
): Fork {
  const { session, at, by, beforeMessage } = target;
  const last = beforeMessage === undefined ? events.length : countBefore(events, beforeMessage);
  const kept = events.slice(0, last).map((event) => ({ ...event, session }));
  const origin = { session: events[0]?.session ?? '', seq: last };
  const forked: DurableEvent = { seq: last + 1, at, session, type: 'session.forked', data: { from: origin }, by };
  return { events: [...kept, forked], draft: draftOf(events[last]) ?? draftOf(events[last + 1]) };
}

/** How many events come before a message. The start of a turn belongs to the message that started it. */
function countBefore(events: readonly DurableEvent[], message: string): number {
  const index = events.findIndex((event) => `m${event.seq}` === message);
  const event = events[index];
  if (event === undefined || !completesMessage.has(event.type)) {
    throw new PawlError(
      'no_message',
      `There is no message ${message} in this session. Show them with: pawl sessions show`,
    );
  }
  const before = events[index - 1];
  const isFirst = before?.type === 'turn.started' && before.data.cause === 'input';
  return isFirst ? index - 1 : index;
}

/** Events that a message of the history comes from. */
const completesMessage: ReadonlySet<string> = new Set(['message.added', 'tool.finished', 'context.compacted']);

function draftOf(event: DurableEvent | undefined): UserPart[] | null {
  if (event?.type !== 'message.added' || event.data.message.role !== 'user') return null;
  return event.data.message.content;
}

/** The events that settle a log that nobody drives. */
export function settledEvents(events: readonly DurableEvent[], at: number): DurableEvent[] {
  const state = initialState();
  for (const event of events) evolve(state, event);
  const following: DurableEvent[] = [];
  for (let bodies = settle(state); bodies.length > 0; bodies = settle(state)) {
    for (const body of bodies) {
      const event = {
        seq: state.seq + 1,
        at,
        session: state.session,
        ...body,
        by: { kind: 'engine' as const, id: 'pawl' },
      };
      evolve(state, event);
      following.push(event);
    }
  }
  return following;
}
