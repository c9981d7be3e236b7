import type { Tool, ToolScope } from '@pawl/engine';
import type { MailDraft } from '@pawl/protocol';
import { bounds, PawlError } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';

type SendInput = {
  to: string;
  kind: MailDraft['kind'];
  priority?: MailDraft['priority'];
  text: string;
  replyTo?: string;
  artifacts?: string[];
};

const kinds: readonly MailDraft['kind'][] = [
  'progress',
  'completed',
  'blocked',
  'decision_required',
  'risk_alert',
  'direction_change',
];
const priorities: readonly MailDraft['priority'][] = ['notify', 'urgent', 'interrupt'];

/** Writes to the session that this one works for, or to one that works on the same task. */
export function mailSendTool(): Tool {
  return defineTool<SendInput>({
    name: 'mail_send',
    description:
      'Writes to "owner", for whom you work, or to a task by its session. notify is read before the next step there, urgent also wakes it, interrupt stops what it does. It is delivered from the log, so send it once; you are told if it cannot be.',
    input: objectSchema(
      {
        to: { type: 'string', minLength: 1, maxLength: 200, description: '"owner" or a session' },
        kind: { enum: [...kinds] },
        priority: { enum: [...priorities], description: 'Default: notify' },
        text: { type: 'string', minLength: 1, maxLength: bounds.maxMailCharacters },
        replyTo: { type: 'string', description: 'The mail that this answers' },
        artifacts: { type: 'array', maxItems: 50, items: { type: 'string' }, description: 'Paths that belong to it' },
      },
      ['to', 'kind', 'text'],
    ),
    effect: 'read',
    subject: ({ to, kind }) => `${to} ${kind}`,
    async run({ to, priority = 'notify', artifacts = [], ...rest }, context) {
      const draft = { ...rest, priority, artifacts, to: to === 'owner' ? ownerOf(context) : to };
      const problem = await mailboxOf(context).problem(draft);
      if (problem !== null) throw new PawlError('bad_mail', problem);
      return { content: `Sent to ${draft.to}.`, mail: [draft] };
    },
  });
}

/** @throws `no_mailbox`. */
export function mailboxOf({ mailbox }: ToolScope): NonNullable<ToolScope['mailbox']> {
  if (mailbox !== undefined) return mailbox;
  throw new PawlError('no_mailbox', 'This session has no mail.');
}

function ownerOf(scope: ToolScope): string {
  const { owner } = mailboxOf(scope);
  if (owner !== null) return owner;
  throw new PawlError('no_owner', 'Nobody gave you this work but the user. Answer, or use notify.');
}
