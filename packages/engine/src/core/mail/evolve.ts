/** The session's mailbox. */
import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../state.ts';
import type { Mailbox } from './state.ts';
import { emptyMailbox } from './state.ts';

/** The id of the timer that fires when a delivery is tried again. */
export const mailTimer = (mail: string, attempt: number) => `timer:mail:${mail}:${attempt}`;

export function evolveMail(state: State, event: DurableEvent): void {
  const box = state.mail;
  switch (event.type) {
    case 'session.forked':
      state.mail = emptyMailbox();
      break;
    case 'mail.sent': {
      const { mail, thread } = event.data;
      box.outbox.push({ ...event.data, attempts: 0, retryAt: null });
      box.threadOf.set(mail, thread);
      box.sentIn.set(thread, (box.sentIn.get(thread) ?? 0) + 1);
      break;
    }
    case 'mail.delayed': {
      const outgoing = box.outbox.find(({ mail }) => mail === event.data.mail);
      if (outgoing === undefined) break;
      outgoing.attempts = event.data.attempt;
      outgoing.retryAt = event.data.retryAt;
      break;
    }
    case 'mail.delivered':
    case 'mail.failed':
      box.outbox = box.outbox.filter(({ mail }) => mail !== event.data.mail);
      break;
    case 'mail.received':
      box.inbox.push({ ...event.data, receivedAt: event.at, isInHistory: false, isRead: false, isAcknowledged: false });
      box.threadOf.set(event.data.mail, event.data.thread);
      break;
    case 'mail.acknowledged': {
      const found = box.inbox.find(({ mail }) => mail === event.data.mail);
      if (found !== undefined) found.isAcknowledged = true;
      break;
    }
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'user') addToHistory(box, message.input);
      // The request for this answer held every mail of the history.
      else if (message.isPartial !== true) markRead(box);
      break;
    }
    case 'timer.fired':
      for (const outgoing of box.outbox) {
        if (event.data.timer === mailTimer(outgoing.mail, outgoing.attempts)) outgoing.retryAt = null;
      }
      break;
  }
}

function addToHistory({ inbox }: Mailbox, input: string | undefined): void {
  for (const mail of inbox) if (mail.mail === input) mail.isInHistory = true;
}

function markRead({ inbox }: Mailbox): void {
  for (const mail of inbox) if (mail.isInHistory) mail.isRead = true;
}
