import type { Tool, ToolMailbox } from '@pawl/engine';
import { defineTool, objectSchema } from '../tool.ts';
import { mailboxOf } from './send.ts';

const maxShown = 30;
const longestText = 300;

/** What came in and what is still on its way. The text of a mail stands where it was read, and is only begun here. */
export function mailListTool(): Tool {
  return defineTool({
    name: 'mail_list',
    description: 'Lists mail that came in and mail of yours that is not delivered yet.',
    input: objectSchema({}, []),
    effect: 'read',
    isPolling: true,
    async run(_, context) {
      const { inbox, outbox } = mailboxOf(context);
      return { content: [...inboxLines(inbox), ...outboxLines(outbox)].join('\n') };
    },
  });
}

function inboxLines(inbox: ToolMailbox['inbox']): string[] {
  if (inbox.length === 0) return ['No mail came in.'];
  const shown = inbox.slice(-maxShown);
  const lines = shown.map(
    ({ mail, from, kind, text, isAcknowledged }) =>
      `- ${mail} from ${from}, ${kind}${isAcknowledged ? '' : ' (new)'}: ${JSON.stringify(cut(text))}`,
  );
  return [
    `Mail that came in, the oldest first${shown.length < inbox.length ? `, the last ${maxShown}` : ''}:`,
    ...lines,
  ];
}

function outboxLines(outbox: ToolMailbox['outbox']): string[] {
  if (outbox.length === 0) return [];
  return [
    'On its way:',
    ...outbox.map(({ mail, to, kind, attempts }) => `- ${mail} to ${to}, ${kind}, ${triesText(attempts)}`),
  ];
}

const triesText = (attempts: number) =>
  attempts === 0 ? 'not tried yet' : `${attempts} ${attempts === 1 ? 'try' : 'tries'} failed`;

const cut = (text: string) => (text.length <= longestText ? text : `${text.slice(0, longestText - 1).toWellFormed()}…`);
