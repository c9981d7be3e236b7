/** Commands that show or take along what was said and spent. */
import { costText, countText } from '@pawl/engine/readers/words';
import { PawlError } from '@pawl/protocol';
import type { Command } from './command.ts';

export const textCommands: readonly Command[] = [
  {
    name: 'cost',
    description: 'what this session has used',
    async run(_, at) {
      const { usage, costUsd, limits } = await (await at.needSession()).view();
      const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.cacheWriteHourTokens;
      const most = limits.sessionUsd == null ? '' : ` of at most $${limits.sessionUsd}`;
      const cached = `${countText(usage.cacheReadTokens)} of them from the provider's cache`;
      at.notice(
        `Cost ${costText(costUsd)}${most}; ${countText(input)} tokens in (${cached}), ${countText(usage.outputTokens)} out.`,
        'plain',
      );
    },
  },
  {
    name: 'copy',
    hint: '[code]',
    description: 'copy the last answer, or its last block of code, to the clipboard',
    async run(words, at) {
      const session = await at.needSession();
      const events = await at.client().read(session.id);
      const answer = events
        .flatMap((event) =>
          event.type === 'message.added' && event.data.message.role === 'assistant' ? [event.data.message] : [],
        )
        .map(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''))
        .findLast((text) => text.trim() !== '');
      const text = answer === undefined ? undefined : words === 'code' ? lastCode(answer) : answer;
      if (text === undefined) throw new PawlError('nothing_to_copy', 'There is nothing to copy yet.');
      // OSC 52: the terminal puts it into its clipboard, also across ssh.
      at.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
      at.notice(`Copied ${text.length} characters, where this terminal lets programs copy.`);
    },
  },
];

function lastCode(answer: string): string | undefined {
  return [...answer.matchAll(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^\1\s*$/gm)].at(-1)?.[2];
}
