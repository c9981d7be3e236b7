/** Delivers mail from one session of a host to another. */
import type { CommandInput, Receipt } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { MailRules } from '../ports.ts';
import { isSessionAtRest } from './child-state.ts';
import type { LiveSession } from './live-session.ts';

export type MailDelivery = {
  mayWrite(from: string, to: string): Promise<boolean>;
  /** The session that this one works for. */
  ownerOf(session: string): string | null;
  /** Delivers a mail to its session, which is opened if it is not live. @throws `may_not_write`, and what opening throws. */
  deliver(to: string, mail: CommandInput['mail.receive']): Promise<Receipt>;
};

/** The id of a task's session is its owner's id, a dot, and the task. */
const treeRules: Required<MailRules> = {
  mayWrite: (from, to) => from !== to && from.split('.')[0] === to.split('.')[0],
  ownerOf: (session) => (session.includes('.') ? session.slice(0, session.lastIndexOf('.')) : null),
};

type SessionOpener = { open(session: string): Promise<LiveSession>; letGo(session: LiveSession): void };

/**
 * Opens sessions for their mail, and stops driving those of tasks that have ended, since no mail sets them to work.
 * Without rules, the sessions of one tree of tasks may write to each other.
 */
export function createMailDelivery(
  { mayWrite, ownerOf = treeRules.ownerOf }: MailRules = treeRules,
  { open, letGo }: SessionOpener,
): MailDelivery {
  return {
    mayWrite: async (from, to) => mayWrite(from, to),
    ownerOf: (session) => ownerOf(session),
    async deliver(to, mail) {
      const { from } = mail;
      if (!(await mayWrite(from, to))) throw new PawlError('may_not_write', `${from} may not write to ${to}.`);
      const session = await open(to);
      const by = { kind: 'agent' as const, id: from };
      const receipt = await session.command({ id: mail.mail, session: to, by, type: 'mail.receive', data: mail });
      if (await session.look((state) => isSessionAtRest(state, 0))) letGo(session);
      return receipt;
    },
  };
}
