/** When a run is over: after which of a session's events there is nothing more to wait for. */
import type { DurableEvent, SessionClient } from '@pawl/protocol';

/** Told each durable event in turn. */
export type IsOver = (event: DurableEvent) => boolean | Promise<boolean>;

/** Over when the turn that took this input has ended, or the input was removed from the queue. */
export function untilAnswered(input: string): IsOver {
  let isTaken = false;
  return (event) => {
    if (event.type === 'message.added' && event.data.message.role === 'user') {
      isTaken ||= event.data.message.input === input;
    }
    if (event.type === 'input.removed' && event.data.input === input) return true;
    return isTaken && event.type === 'turn.ended';
  };
}

const endings: ReadonlySet<DurableEvent['type']> = new Set([
  'turn.ended',
  'task.ended',
  'mail.delivered',
  'mail.failed',
  'context.compacted',
  'compaction.failed',
  'compaction.cancelled',
]);

/** Over when a turn has ended and nothing more is owed. */
export function untilNothingIsOwed(session: Pick<SessionClient, 'view'>): IsOver {
  let hasEnded = false;
  return async (event) => {
    hasEnded ||= endings.has(event.type);
    if (!hasEnded) return false;
    const view = await session.view();
    return view.turn === null && !view.context.isCompacting && event.seq >= view.seq;
  };
}
