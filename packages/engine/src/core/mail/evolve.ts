/** What the events of mail change. */
import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../state.ts';

/** Mails that were read and are still shown. */
const mostKept = 100;

/** The id of the effect that rings when a delivery is tried again. */
export const mailTimer = (mail: string, attempt: number) => `timer:mail:${mail}:${attempt}`;

type MailEvent = Extract<
  DurableEvent,
  {
    type: 'mail.sent' | 'mail.delayed' | 'mail.delivered' | 'mail.failed' | 'mail.received' | 'mail.acknowledged';
  }
>;

export function evolveMail({ mail: box }: State, event: MailEvent): void {
  switch (event.type) {
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
      const known = box.inbox.filter(({ isAcknowledged }) => isAcknowledged).slice(0, -mostKept);
      if (known.length > 0) box.inbox = box.inbox.filter((each) => !known.includes(each));
      break;
    }
    default:
      event satisfies never;
  }
}

/** The message that a mail became is in the history. */
export function noteInHistory({ mail: { inbox } }: State, input: string): void {
  for (const mail of inbox) if (mail.mail === input) mail.isInHistory = true;
}

/** The model has answered to a request that held them. */
export function noteRead({ mail: { inbox } }: State): void {
  for (const mail of inbox) if (mail.isInHistory) mail.isRead = true;
}

/** A delivery that waited for its time is tried again. */
export function ringMail({ mail: { outbox } }: State, timer: string): void {
  for (const outgoing of outbox) {
    if (timer === mailTimer(outgoing.mail, outgoing.attempts)) outgoing.retryAt = null;
  }
}
