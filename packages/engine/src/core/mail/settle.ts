import type { EventBody } from '@pawl/protocol';
import type { State } from '../state.ts';

/** Mail that the agent had in a request counts as taken note of. */
export function acknowledgeReadMail({ mail: { inbox } }: State): EventBody[] {
  return inbox
    .filter(({ isRead, isAcknowledged }) => isRead && !isAcknowledged)
    .map(({ mail }) => ({ type: 'mail.acknowledged', data: { mail, how: 'read' } }));
}
