/** A unified diff as rows: what changed within a line is marked, long lines are cut. */
import { exact } from '@pawl/engine/readers/visible';
import type { Style } from '../text/style.ts';
import { cutToWidth } from '../text/width.ts';

/** What says no more than the line behind it. */
const preamble = /^(?:Index: .*\n)?={20,}\n/gm;

export function changeLines(diff: string, style: Style, columns: number): string[] {
  const lines = diff.replace(preamble, '').replace(/\n$/, '').split('\n');
  const rows: string[] = [];
  let isInHunk = false;
  // The title of the card names the file, where there is one.
  const isAlone = lines.filter((line) => line.startsWith('+++ ')).length === 1;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('@@')) isInHunk = true;
    if (isAlone && !isInHunk) continue;
    const shown = cutToWidth(exact(line).replaceAll('\t', '    '), columns);
    if (line.startsWith('@@')) rows.push(style.dim(shown));
    else if (!isInHunk) rows.push(style.bold(shown));
    else if (line.startsWith('+')) rows.push(marked(shown, before(lines, index), style, style.green, columns));
    else if (line.startsWith('-')) rows.push(marked(shown, after(lines, index), style, style.red, columns));
    else rows.push(style.dim(shown));
  }
  return rows;
}

/** The one line that this one replaced, where exactly one stands for one. */
function before(lines: readonly string[], index: number): string | null {
  const isAlone = !signOf(lines[index + 1], '+') && signOf(lines[index - 1], '-') && !signOf(lines[index - 2], '-');
  return isAlone ? (lines[index - 1]?.slice(1) ?? null) : null;
}

function after(lines: readonly string[], index: number): string | null {
  const isAlone = !signOf(lines[index - 1], '-') && signOf(lines[index + 1], '+') && !signOf(lines[index + 2], '+');
  return isAlone ? (lines[index + 1]?.slice(1) ?? null) : null;
}

const signOf = (line: string | undefined, sign: string) => line?.startsWith(sign) === true;

/** The part that the other line has not, inverted, unless nearly all of it is another. */
function marked(
  row: string,
  other: string | null,
  style: Style,
  paint: (text: string) => string,
  columns: number,
): string {
  if (other === null) return paint(row);
  const [sign, own] = [row.slice(0, 1), row.slice(1)];
  const shown = cutToWidth(exact(other).replaceAll('\t', '    '), columns - 1);
  let head = 0;
  while (head < own.length && own[head] === shown[head]) head++;
  let tail = 0;
  while (tail < own.length - head && tail < shown.length - head && own.at(-1 - tail) === shown.at(-1 - tail)) tail++;
  const middle = own.slice(head, own.length - tail);
  if (middle === '' || middle.length > own.length * 0.7) return paint(row);
  return paint(sign + own.slice(0, head)) + paint(style.inverse(middle)) + paint(own.slice(own.length - tail));
}
