import type { EventBody } from '@pawl/protocol';
import type { State } from '../state.ts';

/** Acknowledges mail that was in a request which the model has answered. */
export function acknowledgeReadMail({ mail: { inbox } }: State): EventBody[] {
  return inbox
    .filter(({ isRead, isAcknowledged }) => isRead && !isAcknowledged)
    .map(({ mail }) => ({ type: 'mail.acknowledged', data: { mail, how: 'read' } }));
}
