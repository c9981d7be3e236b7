/** How many columns text takes in a terminal. */
import type { Style } from './style.ts';

const widths: readonly [from: number, to: number][] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x300 && /^(?:\p{M}|\p{Default_Ignorable_Code_Point})$/u.test(character)) return 0;
  return widths.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/**
 * Parts in a row, with ` · ` between them; a part that does not fit into `columns` begins the next row. Formats of the
 * parts take no width.
 */
export function joinParts(parts: readonly string[], columns: number, style: Pick<Style, 'dim'>): string {
  let joined = '';
  let column = 0;
  for (const part of parts) {
    const width = textWidth(stripTerminalFormats(part));
    const isFirst = joined === '';
    const fits = column + separator.length + width < columns;
    joined += (isFirst ? '' : fits ? style.dim(separator) : '\n') + part;
    column = isFirst || !fits ? width : column + separator.length + width;
  }
  return joined;
}

const separator = ' · ';

// The escape character begins every format.
const stripTerminalFormats = (text: string) =>
  text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '');

/** `text` cut to at most `columns`, with a `…` where it was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let cut = '';
  for (const character of text) {
    width += widthOf(character);
    if (width > columns - 1) break;
    cut += character;
  }
  return columns < 1 ? '' : `${cut}…`;
}
