/** Plain text in rows of a terminal. */
import { textWidth } from './width.ts';

/** Breaks between words (a no-break space is none) where it can, within a word where it must. Tabs become spaces. Text must be harmless already. */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '    ').trimEnd(), Math.max(1, columns)));
}

/** The same for lines of names and what they mean: what is continued stands below the meaning, or a little in. */
export function wrapTable(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    const plain = line.replaceAll('\t', '    ').trimEnd();
    if (textWidth(plain) <= columns) return [plain];
    const name = /^(\s*\S.*?\s{2,})(?=\S)/.exec(plain)?.[1] ?? '';
    const indent = /^\s*/.exec(plain)?.[0].length ?? 0;
    const isBeside = name !== '' && name.length <= columns / 2;
    const hang = ' '.repeat(isBeside ? name.length : Math.min(indent + 4, columns - 10));
    const [first = '', ...rest] = isBeside
      ? [name, ...wrapLine(plain.slice(name.length), columns - name.length)]
      : wrapLine(plain, columns);
    const beside = isBeside
      ? [`${first}${rest[0] ?? ''}`, ...rest.slice(1)]
      : [first, ...wrapLine(rest.join(' '), columns - hang.length)];
    return beside.filter((row) => row !== '').map((row, index) => (index === 0 ? row : hang + row));
  });
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
