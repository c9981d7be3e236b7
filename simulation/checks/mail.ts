/** Mail by all logs together: accepted once, by whom it is for, after it was sent; and nobody waits for ever. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import type { Book } from './book.ts';
import type { Violate } from './invariants.ts';

type MailBook = {
  from: string;
  sent: EventData['mail.sent'];
  isReceived: boolean;
  end: 'delivered' | 'failed' | null;
};

export type Post = {
  /** A record of a session, after it was checked and folded. */
  record(book: Book, events: readonly DurableEvent[]): void;
  /** When nothing fails any more, everything has come to an end. */
  rest(books: Iterable<Book>): void;
};

export function createPostCheck(violate: Violate): Post {
  const mails = new Map<string, MailBook>();
  /** Messages that mail became, and what of it the model has answered. */
  const inHistory = new Map<Book, Set<string>>();
  const read = new Map<Book, Set<string>>();
  const setOf = (sets: Map<Book, Set<string>>, book: Book): Set<string> => {
    const own = sets.get(book) ?? new Set<string>();
    sets.set(book, own);
    return own;
  };

  const look = (book: Book, event: DurableEvent): void => {
    const wrong: Violate = (invariant, why) => violate(invariant, `${book.session} ${event.seq} ${event.type}: ${why}`);
    switch (event.type) {
      case 'mail.sent': {
        const { mail } = event.data;
        if (mails.has(mail)) wrong('I34 mail', `${mail} was sent before.`);
        mails.set(mail, { from: book.session, sent: event.data, isReceived: false, end: null });
        return;
      }
      case 'mail.received': {
        const { from, ...received } = event.data;
        const known = mails.get(received.mail);
        if (known === undefined) {
          wrong('I34 mail', `${received.mail} was never sent.`);
          return;
        }
        const { to, ...sent } = known.sent;
        if (to !== book.session || from !== known.from) wrong('I34 mail', `it is from ${known.from} to ${to}.`);
        if (JSON.stringify(received) !== JSON.stringify(sent)) wrong('I34 mail', 'it is not what was sent.');
        if (known.isReceived) wrong('I34 mail', `${received.mail} was received before.`);
        known.isReceived = true;
        return;
      }
      case 'mail.delivered':
      case 'mail.failed': {
        const known = mails.get(event.data.mail);
        if (known?.from !== book.session) {
          wrong('I35 post', `${event.data.mail} is no mail of this session.`);
          return;
        }
        if (known.end !== null) wrong('I35 post', `${event.data.mail} was ${known.end} before.`);
        known.end = event.type === 'mail.delivered' ? 'delivered' : 'failed';
        if (known.end === 'delivered' && !known.isReceived) wrong('I35 post', 'it is in no other log.');
        return;
      }
      case 'message.added': {
        const { message } = event.data;
        if (message.role === 'user' && message.input !== undefined) setOf(inHistory, book).add(message.input);
        if (message.role === 'assistant' && message.isPartial !== true) {
          for (const input of setOf(inHistory, book)) setOf(read, book).add(input);
        }
        return;
      }
      case 'mail.acknowledged': {
        const { mail, how } = event.data;
        if (how === 'read' && !setOf(read, book).has(mail)) wrong('I35 post', `nobody has read ${mail}.`);
        if (how === 'by_hand' && event.by.command === undefined) wrong('I35 post', `nobody took note of ${mail}.`);
        return;
      }
      default:
    }
  };

  return {
    record(book, events) {
      // What a fork copies happened elsewhere.
      const forked = events.findLastIndex(({ type }) => type === 'session.forked');
      for (const event of events.slice(forked + 1)) look(book, event);
      if (!events.some(({ type }) => type === 'mail.failed')) return;
      const told = new Set(events.flatMap((event) => (event.type === 'input.queued' ? [event.data.input] : [])));
      for (const event of events) {
        if (event.type !== 'mail.failed' || told.has(`${event.data.mail}:failed`)) continue;
        violate('I35 post', `${book.session}: nobody is told that ${event.data.mail} failed.`);
      }
    },
    rest(books) {
      for (const { session, state } of books) {
        for (const { mail } of state.mail.outbox) violate('I35 post', `${session}: ${mail} is still on its way.`);
      }
    },
  };
}
