/**
 * The transcript as rows. What is final is given once, to be frozen above; what still changes is given anew each time.
 * Of an answer that streams, each row is frozen as soon as it is full, and nothing of it is looked at again.
 */
import type { AnswerItem, Item } from '../model/items.ts';
import { isFinal } from '../model/items.ts';
import { createMarkdown, type Markdown } from '../text/markdown.ts';
import { createSafeText } from '../text/safe-text.ts';
import { itemLines } from './item.ts';
import type { Look } from './look.ts';

type Printed = {
  /** Rows that will never change. */
  frozen: string[];
  /** Rows of what is going on. */
  live: string[];
  /** How many of the first items are frozen whole, and need not be given again. */
  done: number;
};

export type Printer = { print(items: readonly Item[], look: Look): Printed };

/** An answer whose first rows are frozen. */
type Streaming = { id: string; length: number; row: string; write: Writer; hasText: boolean };
type Writer = { push(text: string): string; end(): string };

export function createPrinter(): Printer {
  let last: Item['kind'] | null = null;
  let streaming: Streaming | null = null;

  const gap = (kind: Item['kind']): string[] => {
    const isApart = last !== null && needsGap(last, kind);
    last = kind;
    return isApart ? [''] : [];
  };

  /** The rows that are full by now. */
  const stream = (item: AnswerItem, look: Look): string[] => {
    const frozen: string[] = [];
    if (streaming?.id !== item.id) {
      frozen.push(...gap('answer'));
      streaming = { id: item.id, length: 0, row: '', write: openWriter(look), hasText: false };
    }
    const rest = item.text.slice(streaming.length);
    const text = streaming.hasText ? rest : rest.trimStart();
    streaming.hasText ||= text !== '';
    const shown = streaming.row + streaming.write.push(text) + (item.isOpen ? '' : streaming.write.end());
    const rows = shown.split('\n');
    streaming.row = rows.pop() ?? '';
    streaming.length = item.text.length;
    frozen.push(...rows);
    if (!item.isOpen) {
      if (streaming.row !== '') frozen.push(streaming.row);
      streaming = null;
      while (frozen.at(-1) === '') frozen.pop();
    }
    return frozen;
  };

  return {
    print(items, look) {
      const frozen: string[] = [];
      let done = 0;
      for (const item of items) {
        if (item.kind === 'answer') {
          frozen.push(...stream(item, look));
          if (item.isOpen) break;
        } else if (!isFinal(item)) break;
        else frozen.push(...gap(item.kind), ...itemLines(item, look));
        done++;
      }
      const open = items.slice(done);
      // An answer that was withdrawn in mid-stream has no row to go on with.
      if (open[0]?.kind !== 'answer') streaming = null;
      return { frozen, done, live: liveRows(open, look, streaming, last) };
    },
  };
}

function liveRows(
  open: readonly Item[],
  look: Look,
  streaming: Streaming | null,
  frozen: Item['kind'] | null,
): string[] {
  const rows: string[] = [];
  let last = frozen;
  for (const [index, item] of open.entries()) {
    if (index === 0 && streaming !== null) {
      if (streaming.row !== '') rows.push(streaming.row);
      last = 'answer';
      continue;
    }
    if (last !== null && needsGap(last, item.kind)) rows.push('');
    rows.push(...itemLines(item, look));
    last = item.kind;
  }
  return rows;
}

function openWriter({ style, columns }: Look): Writer {
  const safe = createSafeText();
  const markdown: Markdown = createMarkdown(style, () => columns);
  return {
    push: (text) => markdown.push(safe.push(text)),
    end: () => markdown.push(safe.end()) + markdown.end(),
  };
}

/** Calls, thoughts and lines stand close; words stand apart. */
const close: ReadonlySet<Item['kind']> = new Set(['call', 'thought', 'line', 'task', 'task-end', 'todos']);

function needsGap(before: Item['kind'], next: Item['kind']): boolean {
  if (next === 'end') return before === 'answer' || before === 'plan';
  return !(close.has(before) && close.has(next));
}
