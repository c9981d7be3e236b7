import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import type { DurableEvent } from '@pawl/protocol';
import { PawlError, textOf } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';

/** `id` names a message (`m12`) or a call (`t1_s2_c1`); `offset` goes on where the last part ended. */
type HistoryInput = { search?: string; id?: string; offset?: number };

/** Entries of a search or a list. */
const maxEntries = 30;
/** Of an entry in a list, in characters. */
const longestExcerpt = 240;
/** Of what is read whole, in characters at once. */
const longestText = 20_000;

/** Reads the session's own log: also what was compacted or taken out of the conversation. */
export function historyTool(): Tool {
  return defineTool<HistoryInput>({
    name: 'history',
    description:
      'All of this session, also what you are no longer shown: search words, or read by id a message (m12) or the result of a call (t1_s2_c1).',
    input: objectSchema(
      {
        search: { type: 'string' },
        id: { type: 'string' },
        offset: { type: 'integer', minimum: 0 },
      },
      [],
    ),
    isOutside: true,
    effect: 'read',
    run,
  });
}

async function run({ search, id, offset = 0 }: HistoryInput, scope: ToolContext): Promise<ToolOutcome> {
  if (scope.history === undefined)
    throw new PawlError('no_history', 'The history of this session cannot be read here.');
  const entries = entriesOf(await scope.history());
  if (id !== undefined) {
    const entry = entries.findLast((one) => one.id === id);
    if (entry === undefined)
      throw new PawlError('no_entry', `There is no "${id}" in the history. Search for words of it.`);
    return { content: part(entry.text, offset) };
  }
  const words = (search ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = entries.filter(({ text }) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  return { content: listed(found, words[0] ?? '', offset) };
}

type Entry = { id: string; what: string; text: string };

function entriesOf(events: readonly DurableEvent[]): Entry[] {
  const tools = new Map<string, string>();
  return events.flatMap((event): Entry[] => {
    if (event.type === 'tool.finished') {
      const { call, content, status } = event.data;
      return [{ id: call, what: `result of ${tools.get(call) ?? 'a call'}, ${status}`, text: content }];
    }
    if (event.type !== 'message.added') return [];
    const { message } = event.data;
    const id = `m${event.seq}`;
    if (message.role === 'user') return [{ id, what: message.source, text: textOf(message.content) }];
    const lines = message.content.flatMap((piece) => {
      if (piece.type === 'thinking') return [];
      if (piece.type === 'text') return [piece.text];
      tools.set(piece.id, piece.tool);
      return [`call ${piece.id}: ${piece.tool} ${JSON.stringify(piece.input)}`];
    });
    return [{ id, what: 'agent', text: lines.join('\n') }];
  });
}

function part(text: string, offset: number): string {
  const end = offset + longestText;
  const shown = text.slice(offset, end).toWellFormed();
  return end >= text.length ? shown : `${shown}\n[${text.length - end} characters more: read on with offset ${end}]`;
}

/** The latest first; `offset` leaves out so many of them. */
function listed(entries: readonly Entry[], word: string, offset: number): string {
  const latest = entries.toReversed().slice(offset);
  if (latest.length === 0) return 'Nothing was found.';
  const lines = latest.slice(0, maxEntries).map(({ id, what, text }) => `${id} (${what}): ${excerpt(text, word)}`);
  const more = latest.length - maxEntries;
  return [...lines, ...(more > 0 ? [`[${more} earlier ones: offset ${offset + maxEntries}]`] : [])].join('\n');
}

function excerpt(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - longestExcerpt / 3);
  const cut = text.slice(at, at + longestExcerpt).toWellFormed();
  return `${at > 0 ? '…' : ''}${cut.replace(/\s+/g, ' ')}${at + longestExcerpt < text.length ? '…' : ''}`;
}
