/** A conversation as a text to be summarised: what was said nearly whole, results as short as they have to be. */
import { textOf, untrusted } from '@pawl/protocol';
import type { HistoryMessage } from '../../core/index.ts';
import { shortenMiddle } from '../../core/index.ts';
import type { Job } from './job.ts';

/** Of what a person or the model said, in characters. */
const longestSaid = 6000;
const longestInput = 400;
/** What results are cut to, the first that makes the whole fit. */
const longestResults = [4000, 1500, 500, 150];

export function conversationText(
  { messages, earlier }: Pick<Job, 'messages' | 'earlier'>,
  budgetCharacters: number,
): string {
  let entries: string[] = [];
  for (const longest of longestResults) {
    entries = messages.map((message) =>
      message.id === earlier?.message ? `[summary of what came before]\n${earlier.summary}` : entryOf(message, longest),
    );
    if (lengthOf(entries) <= budgetCharacters) return entries.join('\n\n');
  }
  return withoutMiddle(entries, budgetCharacters).join('\n\n');
}

const lengthOf = (entries: readonly string[]) => entries.reduce((sum, entry) => sum + entry.length + 2, 0);

/** How it began, and what came last. */
function withoutMiddle(entries: readonly string[], budgetCharacters: number): string[] {
  const first = shortenMiddle(entries[0] ?? '', Math.floor(budgetCharacters / 4));
  let left = budgetCharacters - first.length;
  const latest: string[] = [];
  for (const entry of entries.slice(1).toReversed()) {
    if (entry.length + 2 > left) break;
    left -= entry.length + 2;
    latest.unshift(entry);
  }
  return [first, `[${entries.length - 1 - latest.length} entries left out]`, ...latest];
}

function entryOf(message: HistoryMessage, longestResult: number): string {
  switch (message.role) {
    case 'user': {
      const who = { input: 'person', context: 'context', engine: 'engine' }[message.source];
      return `[${who}]\n${shortenMiddle(textOf(message.content), longestSaid)}`;
    }
    case 'assistant':
      return message.content
        .flatMap((part) => {
          if (part.type === 'thinking') return [];
          if (part.type === 'text') return [`[agent]\n${shortenMiddle(part.text, longestSaid)}`];
          return [`[call ${part.tool}] ${shortenMiddle(JSON.stringify(part.input), longestInput)}`];
        })
        .join('\n');
    case 'tool':
      return message.results
        .map(({ tool, status, content }) =>
          untrusted('output', `${tool}, ${status}`, shortenMiddle(content, longestResult)),
        )
        .join('\n');
    default:
      return message satisfies never;
  }
}
