/** Plain text in rows of a terminal. */
import { textWidth } from './width.ts';

/** Breaks between words (a no-break space is none) where it can, within a word where it must. Tabs become spaces. Text must be harmless already. */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '    ').trimEnd(), Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const rows: string[] = [];
  let row = '';
  for (const word of line.match(/[ \t]+|[^ \t]+/g) ?? []) {
    if (textWidth(row + word) <= columns) {
      row += word;
      continue;
    }
    if (row.trim() !== '') rows.push(row.trimEnd());
    row = '';
    if (/^[ \t]/.test(word)) continue;
    const pieces = cutEvery(word, columns);
    row = pieces.pop() ?? '';
    rows.push(...pieces);
  }
  if (row.trim() !== '') rows.push(row.trimEnd());
  return rows;
}

/** A word that is wider than a row, cut where each row is full. */
export function cutEvery(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && textWidth(piece + character) > columns) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
