/** How mail gets from one session of a host to another. */
import type { CommandInput, Receipt } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { MailRules } from '../ports.ts';
import { atRest } from './child-state.ts';
import type { LiveSession } from './live-session.ts';

export type Post = {
  mayWrite(from: string, to: string): Promise<boolean>;
  /** The session that this one works for. */
  ownerOf(session: string): string | null;
  /** Gives a mail to the session that it is for, which is opened if it is not live. @throws `may_not_write`, and what opening throws. */
  deliver(to: string, mail: CommandInput['mail.receive']): Promise<Receipt>;
};

/** The session of a task has its owner's id before the last dot of its own. */
const treeRules: Required<MailRules> = {
  mayWrite: (from, to) => from !== to && from.split('.')[0] === to.split('.')[0],
  ownerOf: (session) => (session.includes('.') ? session.slice(0, session.lastIndexOf('.')) : null),
};

type Office = { open(session: string): Promise<LiveSession>; letGo(session: LiveSession): void };

/**
 * Sessions are opened to be given mail, and let go where they are tasks that have ended: no mail sets those to work.
 * Without rules, sessions of one tree of tasks write to each other.
 */
export function createPost(
  { mayWrite, ownerOf = treeRules.ownerOf }: MailRules = treeRules,
  { open, letGo }: Office,
): Post {
  return {
    mayWrite: async (from, to) => mayWrite(from, to),
    ownerOf: (session) => ownerOf(session),
    async deliver(to, mail) {
      const { from } = mail;
      if (!(await mayWrite(from, to))) throw new PawlError('may_not_write', `${from} may not write to ${to}.`);
      const session = await open(to);
      const by = { kind: 'agent' as const, id: from };
      const receipt = await session.command({ id: mail.mail, session: to, by, type: 'mail.receive', data: mail });
      if (await session.look((state) => atRest(state, 0))) letGo(session);
      return receipt;
    },
  };
}
