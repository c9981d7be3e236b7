/** Mail between the sessions of one tree: what may be sent, what a received mail starts, and retries of deliveries. */
import type { CommandData, EventBody, EventData, MailDraft } from '@pawl/protocol';
import { bounds, untrusted } from '@pawl/protocol';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import type { State } from '../state.ts';

/** A mail and its receiver, as a tool hands it over. */
export type OutgoingMail = MailDraft & { to: string };

/** Mails that a session may send in one thread, so that two agents do not answer each other for ever. */
const maxInThread = 50;
/** Mails that may be on their way at the same time. */
const maxUnderWay = 100;

/** Back-off between deliveries: doubles from 1 s to a minute, about four minutes in all. */
const maxAttempts = 10;
const firstWaitMs = 1000;
const longestWaitMs = 60_000;

/** Why this mail may not be sent, as a sentence; null if it may. */
export function mailProblem(
  state: State,
  { to, text, replyTo }: Pick<OutgoingMail, 'to' | 'text' | 'replyTo'>,
): string | null {
  if (to === state.session) return 'A session does not write to itself. Use notes.';
  if (to === '' || text.trim() === '') return 'A mail has somebody whom it is for, and a text.';
  if (text.length > bounds.maxMailCharacters)
    return `A mail has at most ${bounds.maxMailCharacters} characters. Write the rest to a file.`;
  if (state.mail.outbox.length >= maxUnderWay) {
    return `${maxUnderWay} mails are on their way already. Wait until some are delivered.`;
  }
  const thread = replyTo === undefined ? undefined : state.mail.threadOf.get(replyTo);
  if (replyTo !== undefined && thread === undefined) return `There is no mail ${replyTo} to reply to.`;
  if (thread !== undefined && (state.mail.sentIn.get(thread) ?? 0) >= maxInThread) {
    return `This thread has ${maxInThread} mails of yours already. Decide by yourself, or end the work.`;
  }
  return null;
}

/** The event that makes its delivery due. `mail` is its id. */
export function mailSent(
  state: State,
  mail: string,
  { to, kind, priority, text, replyTo, artifacts }: OutgoingMail,
): EventBody {
  const thread = (replyTo === undefined ? undefined : state.mail.threadOf.get(replyTo)) ?? mail;
  return {
    type: 'mail.sent',
    data: { mail, to, kind, priority, text, ...(replyTo !== undefined && { replyTo }), thread, artifacts },
  };
}

/** Id of a mail, from where it was written, so that a repetition has the same id. */
export const mailId = (session: string, place: string): string => `${session}:${place}`;

type MailCommand = FingerprintedCommand & { type: 'mail.send' | 'mail.receive' | 'mail.acknowledge' };

export function decideMail(state: State, command: MailCommand): Decision {
  switch (command.type) {
    case 'mail.send': {
      const problem = mailProblem(state, command.data);
      if (problem !== null) return refuse('bad_mail', problem);
      return accept(mailSent(state, mailId(state.session, command.id), command.data));
    }
    case 'mail.receive':
      return receive(state, command.data, command);
    case 'mail.acknowledge': {
      const { mail } = command.data;
      const found = state.mail.inbox.find((each) => each.mail === mail);
      if (found === undefined) return refuse('no_mail', `There is no mail ${mail} in this session.`);
      if (found.isAcknowledged) return refuse('already_acknowledged', `Mail ${mail} was taken note of already.`);
      return accept({ type: 'mail.acknowledged', data: { mail, how: 'by_hand' } });
    }
    default:
      return command satisfies never;
  }
}

const deliveries = { notify: 'context', urgent: 'steer', interrupt: 'interrupt' } as const;

/** Accepted once, by its id, from the session that wrote it and nobody else. */
function receive(state: State, mail: CommandData['mail.receive'], { id, by }: MailCommand): Decision {
  if (id !== mail.mail || by.kind !== 'agent' || by.id !== mail.from || mail.from === state.session) {
    return refuse('bad_mail', 'A mail comes from the session that wrote it, under its own id.');
  }
  const content = [{ type: 'text' as const, text: mailText(mail) }];
  // A mail does not start a task that has no work; only its owner does, with an allotment.
  const isAtWork = state.assignment === null || (state.assignment.instance > 0 && state.assignment.finished === null);
  const delivery = isAtWork ? deliveries[mail.priority] : 'context';
  const events: EventBody[] = [
    { type: 'mail.received', data: mail },
    { type: 'input.queued', data: { input: mail.mail, delivery, content } },
  ];
  const { turn } = state;
  if (delivery === 'interrupt' && turn !== null && turn.cancel === null) {
    const reason = `Interrupted by a mail of ${mail.from}.`;
    events.push({ type: 'cancel.requested', data: { turn: turn.number, reason, queue: 'run' } });
  }
  return accept(...events);
}

/** The mail as the model reads it. Text of another agent is information, in tags that it cannot forge. */
function mailText({ mail, from, kind, text, replyTo, artifacts }: EventData['mail.received']): string {
  const about = { mail, from, kind, ...(replyTo !== undefined && { 'reply-to': replyTo }) };
  const attached = artifacts.length === 0 ? '' : `\nArtifacts: ${artifacts.join(', ')}`;
  return untrusted('mail', about, `${text}${attached}`);
}

/** What follows from a failed delivery: another try after a while, or a failure that the agent is told about. */
export function decideUndelivered(
  state: State,
  { mail, at, message, isFinal }: { mail: string; at: number; message: string; isFinal: boolean },
): Decision {
  const found = state.mail.outbox.find((each) => each.mail === mail);
  if (found === undefined) return accept();
  const attempt = found.attempts + 1;
  if (!isFinal && attempt < maxAttempts) {
    const retryAt = at + Math.min(longestWaitMs, firstWaitMs * 2 ** found.attempts);
    return accept({ type: 'mail.delayed', data: { mail, attempt, message, retryAt } });
  }
  const text = `Your mail ${mail} to ${found.to} was not delivered: ${message}`;
  return accept(
    { type: 'mail.failed', data: { mail, message } },
    {
      type: 'input.queued',
      data: { input: `${mail}:failed`, delivery: 'context', content: [{ type: 'text', text }] },
    },
  );
}
