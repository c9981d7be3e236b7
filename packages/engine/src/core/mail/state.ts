import type { EventData } from '@pawl/protocol';

/** Mail on its way out, and mail that was received. */
export type Mailbox = {
  outbox: (EventData['mail.sent'] & { attempts: number; retryAt: number | null })[];
  inbox: (EventData['mail.received'] & {
    receivedAt: number;
    isInHistory: boolean;
    /** The model has answered to a request that held it. */
    isRead: boolean;
    isAcknowledged: boolean;
  })[];
  /** The thread of each mail. */
  threadOf: Map<string, string>;
  /** How many mails were sent from here, by thread. */
  sentIn: Map<string, number>;
};

export type MailState = { mail: Mailbox };

export const emptyMailbox = (): Mailbox => ({ outbox: [], inbox: [], threadOf: new Map(), sentIn: new Map() });

export const initialMail = (): MailState => ({ mail: emptyMailbox() });
