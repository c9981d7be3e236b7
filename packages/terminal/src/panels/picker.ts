/** One out of a list, found by typing. */

import { oneLine } from '@pawl/engine/readers/visible';
import { fuzzyFilter, isKeyRelease, parseKey } from '../pi-tui.ts';
import type { Style } from '../text/style.ts';
import { cutToWidth, textWidth } from '../text/width.ts';
import { keysLines } from './keys-line.ts';
import type { Panel } from './panel.ts';

export type Choice = { value: string; label: string; details?: string };

export type PickerOptions = {
  title: string;
  choices: readonly Choice[];
  /** Where the mark is at first. */
  current?: string;
  style: Style;
  /** Null is nothing. */
  pick(value: string | null): void;
  changed(): void;
};

export function createPicker({ title, choices, current, style, pick, changed }: PickerOptions): Panel {
  let filter = '';
  let at = Math.max(
    0,
    choices.findIndex(({ value }) => value === current),
  );
  const found = () =>
    filter === ''
      ? [...choices]
      : fuzzyFilter([...choices], filter, ({ label, details = '' }) => `${label} ${details}`);

  return {
    draw({ columns, rows }) {
      const list = found();
      at = Math.max(0, Math.min(at, list.length - 1));
      const keys = keysLines(
        [
          ['↑↓', 'choose'],
          ['Enter', 'take'],
          ['Esc', 'leave'],
          ['type', 'to search'],
        ],
        columns,
        style,
      );
      const room = Math.max(3, Math.min(12, rows - keys.length - 1));
      const begin = Math.max(0, Math.min(at - Math.floor(room / 2), list.length - room));
      const shown = list.slice(begin, begin + room).map(({ label, details = '' }, index) => {
        const isMarked = begin + index === at;
        const name = cutToWidth(
          oneLine(label),
          details === '' ? columns - 2 : Math.max(16, Math.floor(columns * 0.55)),
        );
        const more = cutToWidth(oneLine(details), columns - textWidth(name) - 4);
        const text = isMarked ? style.cyan(`› ${name}`) : `  ${name}`;
        return more === '' ? text : `${text}  ${style.dim(more)}`;
      });
      const count = list.length > room ? style.dim(` ${at + 1} of ${list.length}`) : '';
      const head = `${style.bold(title)}${filter === '' ? '' : ` ${filter}`}`;
      const nothing = list.length === 0 ? [style.dim('  Nothing fits.')] : [];
      const cursor = { row: 0, column: textWidth(title) + 1 + textWidth(filter) };
      return { rows: [`${head}${count}`, ...shown, ...nothing, ...keys], cursor };
    },
    press(data) {
      if (isKeyRelease(data)) return;
      const key = parseKey(data) ?? data;
      if (key === 'escape' || key === 'ctrl+c') pick(null);
      else if (key === 'enter') pick(found()[at]?.value ?? null);
      else if (key === 'up') at -= 1;
      else if (key === 'down') at += 1;
      else if (key === 'pageUp') at -= 10;
      else if (key === 'pageDown') at += 10;
      else if (key === 'backspace') filter = filter.slice(0, -1);
      else if (key === 'space') filter += ' ';
      else if ([...key].length === 1) filter += key;
      changed();
    },
  };
}
