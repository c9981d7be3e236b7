/** Rows of cells as aligned lines. */
import { textWidth } from '@pawl/terminal/text/width';

/** One cell: its text, and how it is painted once its width is known. */
export type Cell = string | { text: string; paint?: (text: string) => string; isRight?: boolean };

/** Columns are as wide as their widest cell, with two spaces between; the last one is not filled up. */
export function tableLines(rows: readonly (readonly Cell[])[], indent = ''): string[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell)));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, { text }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(text));
  }
  return cells.map((row) => {
    const parts = row.map((cell, column) => {
      const { text, paint = (plain: string) => plain, isRight = false } = cell as Exclude<Cell, string>;
      const space = ' '.repeat((widths[column] ?? 0) - textWidth(text));
      return isRight ? `${space}${paint(text)}` : `${paint(text)}${column === row.length - 1 ? '' : space}`;
    });
    return `${indent}${parts.join('  ')}`.trimEnd();
  });
}
