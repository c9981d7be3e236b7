/** How mail gets from one session of a host to another. */
import type { CommandInput, Identity, Receipt, SessionClient } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { MailRules } from '../ports.ts';

export type Post = {
  mayWrite(from: string, to: string): Promise<boolean>;
  /** The session that this one works for. */
  ownerOf(session: string): string | null;
  /** Gives a mail to the session that it is for, which is opened if it is not live. @throws `may_not_write`, and what opening throws. */
  deliver(to: string, mail: CommandInput['mail.receive']): Promise<Receipt>;
};

/** `open` takes a session up in the name of another. Without rules nobody writes to anybody. */
export function createPost(
  rules: MailRules | undefined,
  open: (session: string, by: Identity) => Promise<SessionClient>,
): Post {
  const mayWrite = async (from: string, to: string) => (await rules?.mayWrite(from, to)) ?? false;
  return {
    mayWrite,
    ownerOf: (session) => rules?.ownerOf?.(session) ?? null,
    async deliver(to, mail) {
      const { from } = mail;
      if (!(await mayWrite(from, to))) throw new PawlError('may_not_write', `${from} may not write to ${to}.`);
      const session = await open(to, { kind: 'agent', id: from });
      return session.command('mail.receive', mail, mail.mail);
    },
  };
}
