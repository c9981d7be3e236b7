/** The whole session, unfolded, to be read and searched: on a screen of its own, so that the scrollback stays as it is. */

import { stripVTControlCharacters } from 'node:util';
import { createPrinter } from '../lines/printer.ts';
import type { Item } from '../model/items.ts';
import { isKeyRelease, parseKey, truncateToWidth, visibleWidth, wrapTextWithAnsi } from '../pi-tui.ts';
import type { Style } from '../text/style.ts';
import type { Panel } from './panel.ts';

export type ReaderOptions = {
  items: readonly Item[];
  style: Style;
  now(): number;
  close(): void;
  changed(): void;
};

/** Begins at the end. Its rows fill the screen. */
export function createReader({ items, style, now, close, changed }: ReaderOptions): Panel {
  let made: { columns: number; rows: string[] } = { columns: 0, rows: [] };
  let top: number | null = null;
  let height = 0;
  /** Null while nothing is searched for; being written while `isWriting`. */
  let search: { words: string; isWriting: boolean } | null = null;

  const rowsAt = (columns: number): string[] => {
    if (made.columns === columns) return made.rows;
    const { frozen, live } = createPrinter().print(items, { style, columns, now: now(), isUnfolded: true });
    const rows = [...frozen, ...live].flatMap((row) =>
      visibleWidth(row) > columns ? wrapTextWithAnsi(row, columns) : [row],
    );
    made = { columns, rows };
    return rows;
  };
  const last = () => Math.max(0, made.rows.length - height);
  const go = (to: number) => {
    top = Math.max(0, Math.min(to, last()));
  };
  const find = (from: number, step: 1 | -1) => {
    if (search === null || search.words === '') return;
    const words = search.words.toLowerCase();
    for (let row = from; row >= 0 && row < made.rows.length; row += step) {
      if (
        stripVTControlCharacters(made.rows[row] ?? '')
          .toLowerCase()
          .includes(words)
      ) {
        go(row);
        return;
      }
    }
  };

  const write = (key: string, words: string) => {
    if (key === 'escape') search = null;
    else if (key === 'enter') {
      search = { words, isWriting: false };
      find(0, 1);
    } else if (key === 'backspace') search = { words: words.slice(0, -1), isWriting: true };
    else if (key === 'space') search = { words: `${words} `, isWriting: true };
    else if ([...key].length === 1) search = { words: words + key, isWriting: true };
  };

  const read = (key: string) => {
    const at = top ?? last();
    if (key === 'escape' || key === 'q' || key === 'ctrl+o' || key === 'ctrl+c') close();
    else if (key === 'down' || key === 'j') go(at + 1);
    else if (key === 'up' || key === 'k') go(at - 1);
    else if (key === 'pageDown' || key === 'space') go(at + height - 1);
    else if (key === 'pageUp' || key === 'b') go(at - height + 1);
    else if (key === 'home' || key === 'g') go(0);
    else if (key === 'end' || key === 'G' || key === 'shift+g') go(last());
    else if (key === '/') search = { words: '', isWriting: true };
    else if (key === 'n') find(at + 1, 1);
    else if (key === 'N' || key === 'shift+n') find(at - 1, -1);
  };

  return {
    draw({ columns, rows }) {
      height = Math.max(1, rows - 1);
      const all = rowsAt(columns);
      const from = Math.min(top ?? last(), last());
      const shown = all.slice(from, from + height);
      const blank = Array.from({ length: height - shown.length }, () => '');
      const place = `${Math.min(all.length, from + height)}/${all.length}`;
      const keys = 'q back · ↑↓ PgUp PgDn g G · / search · n next';
      const foot = search?.isWriting === true ? `/${search.words}` : `${place} · ${keys}`;
      const cursor = search?.isWriting === true ? { row: height, column: visibleWidth(foot) } : null;
      return { rows: [...shown, ...blank, style.inverse(truncateToWidth(foot, columns, '…'))], cursor };
    },
    press(data) {
      if (isKeyRelease(data)) return;
      const key = parseKey(data) ?? data;
      if (search?.isWriting === true) write(key, search.words);
      else read(key);
      changed();
    },
  };
}
