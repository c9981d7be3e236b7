/**
 * Markdown as a terminal shows it, while it streams: a word is written once it is certain what it is, and nothing that
 * was written is ever taken back. It knows what models write (headings, lists, quotes, fences, tables, bold, italic,
 * code); all else stays as it is. Words are wrapped; code is not.
 */
import type { Style } from './style.ts';
import { textWidth } from './width.ts';

export type Markdown = { push(text: string): string; end(): string };

/** A pair of marks that has not been closed after so many characters is taken for what it looks like. */
const longestSpan = 400;
/** The beginning of a line that may still become a mark of a block. */
const undecided = /^\s*(?:[-*+_>#`~=|]+[-*+_>#`~=| ]*|\d{1,9}[.)]?\s*)?$/;
const fence = /^\s*(`{3,}|~{3,})/;
const tableRow = /^\s*\|.*\|\s*$/;
const tableRule = /^[\s|:-]+$/;

/** A line of words that has begun: where the next word goes. */
type Line = {
  /** What the rows after the first begin with. */
  hang: { text: string; width: number };
  column: number;
  /** Space that is written once a word follows it. */
  gap: string;
};

/** How far the text has been understood and written. */
type State = {
  style: Style;
  columns: () => number;
  /** What has not been written yet, of the current line. */
  rest: string;
  /** The current line, once its beginning is certain. */
  line: Line | null;
  /** The marks that the open code block began with. */
  openFence: string | null;
  /** Rows of the table that is being read. */
  table: string[];
};

export function createMarkdown(style: Style, columns: () => number): Markdown {
  const state: State = { style, columns, rest: '', line: null, openFence: null, table: [] };
  return {
    push: (text) => pushText(state, text),
    end() {
      const isOpen = state.rest !== '' || state.line !== null;
      const shown = isOpen ? endLine(state).replace(/\n$/, '') : '';
      const last = shown + takeTable(state).replace(/\n$/, '');
      state.openFence = null;
      return last;
    },
  };
}

function pushText(state: State, text: string): string {
  let shown = '';
  const lines = text.split('\n');
  for (const [index, piece] of lines.entries()) {
    state.rest += piece;
    if (index < lines.length - 1) shown += endLine(state);
  }
  if (state.line === null && !mustBeWhole(state) && !undecided.test(state.rest)) {
    shown += takeTable(state) + beginLine(state);
  }
  return shown + advance(state, false);
}

/** Whether the line can only be understood once it has ended. */
function mustBeWhole({ openFence, rest }: State): boolean {
  return openFence !== null || /^\s*(?:`{3}|~{3}|\||#{1,6}\s)/.test(rest);
}

function endLine(state: State): string {
  let shown = '';
  if (state.line === null) {
    const { rest, openFence } = state;
    if (openFence !== null || !tableRow.test(rest)) shown = takeTable(state);
    const whole = wholeLine(state, rest);
    if (whole !== null) {
      state.rest = '';
      return shown + whole;
    }
    shown += beginLine(state);
  }
  shown += advance(state, true);
  state.rest = '';
  state.line = null;
  return `${shown}\n`;
}

/** A line that has to be seen whole to be understood, as it is shown; null if it is not one. */
function wholeLine(state: State, text: string): string | null {
  const { style, columns, openFence } = state;
  const mark = fence.exec(text)?.[1];
  if (openFence !== null) {
    const isEnd = mark?.startsWith(openFence) === true && text.trim() === mark;
    if (isEnd) state.openFence = null;
    return `${isEnd ? style.dim(text) : style.cyan(text)}\n`;
  }
  if (mark !== undefined) {
    state.openFence = mark;
    return `${style.dim(text)}\n`;
  }
  if (tableRow.test(text)) {
    state.table.push(text);
    return '';
  }
  const heading = /^\s*#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1];
  if (heading !== undefined) return `${style.bold(inlineText(heading, { ...style, bold: same }))}\n`;
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(text)) return `${style.dim('─'.repeat(Math.min(40, columns())))}\n`;
  return text.trim() === '' ? '\n' : null;
}

function takeTable(state: State): string {
  const rows = state.table;
  state.table = [];
  return rows.length === 0 ? '' : tableText(rows, state.style, state.columns());
}

/** Begins a line of words: its mark is written, and what follows stands below its first word. */
function beginLine(state: State): string {
  const { style, rest } = state;
  const [, indent = '', mark = ''] = /^(\s*)((?:[-*+]|\d{1,9}[.)]|>)\s+)?/.exec(rest) ?? [];
  const isQuote = mark.startsWith('>');
  const shown = isQuote ? '│ ' : /^[-*+]/.test(mark) ? '• ' : mark;
  const width = textWidth(indent + shown);
  const text = isQuote ? indent + style.dim('│ ') : ' '.repeat(width);
  state.rest = rest.slice(indent.length + mark.length);
  state.line = { hang: { text, width }, column: width, gap: '' };
  return indent + (isQuote ? style.dim(shown) : shown);
}

/** Writes what is certain of the current line; all of it where it has ended. */
function advance(state: State, hasEnded: boolean): string {
  const { line, style } = state;
  let shown = '';
  while (line !== null && state.rest !== '') {
    const next = nextPiece(state.rest, hasEnded, style);
    if (next === null) break;
    shown += wrap(next, line, state.columns());
    state.rest = state.rest.slice(next.length);
  }
  return shown;
}

/** Words and the spaces before them; one that does not fit begins the next row. */
function wrap({ text, paint }: Piece, line: Line, columns: number): string {
  let shown = '';
  for (const word of text.match(/\s+|\S+/g) ?? []) {
    if (/^\s/.test(word)) {
      line.gap += word;
      continue;
    }
    const isTooLong = line.column + textWidth(line.gap + word) > columns && line.column > line.hang.width;
    shown += (isTooLong ? `\n${line.hang.text}` : line.gap) + paint(word);
    line.column = (isTooLong ? line.hang.width : line.column + textWidth(line.gap)) + textWidth(word);
    line.gap = '';
  }
  return shown;
}

const same = (text: string) => text;

type Piece = { text: string; length: number; paint(word: string): string };

/** The next part of a line that is certain: plain words, or a span between marks. Null while more must come. */
function nextPiece(rest: string, hasEnded: boolean, style: Style): Piece | null {
  const mark = /^(?:`+|\*\*|__|[*_])/.exec(rest)?.[0];
  if (mark !== undefined) {
    const isCut = !hasEnded && mark === rest;
    const span = isCut ? null : spanAt(rest, mark, style);
    // What follows its end says whether it is one.
    if (span !== null && (hasEnded || span.length < rest.length)) return span;
    const isOpening = isCut || mark.startsWith('`') || /^\S/.test(rest.slice(mark.length));
    const mayClose = !hasEnded && isOpening && (span !== null || rest.length <= longestSpan + 2 * mark.length);
    return mayClose ? null : { text: mark, length: mark.length, paint: same };
  }
  // Up to a mark that may open a span: one that does not stand within a word, or any backtick.
  const plain = /^(?:[^`*_]|(?<=\w)[*_]+(?=\w))+/.exec(rest)?.[0] ?? rest.slice(0, 1);
  const isSure = hasEnded || (plain.length < rest.length && !/^[*_]+$/.test(rest.slice(plain.length)));
  // The last word may go on.
  const text = isSure ? plain : plain.slice(0, plain.length - (/\S*$/.exec(plain)?.[0].length ?? 0));
  return text === '' ? null : { text, length: text.length, paint: same };
}

/** A span that is closed: code as it is, the rest only where its marks stand close to its words. */
function spanAt(rest: string, mark: string, style: Style): Piece | null {
  const from = mark.length;
  for (let at = rest.indexOf(mark, from); at > 0 && at <= longestSpan; at = rest.indexOf(mark, at + 1)) {
    const inside = rest.slice(from, at);
    const length = at + from;
    if (inside === '') continue;
    if (mark.startsWith('`')) {
      if (rest[at + from] === '`') continue;
      return { text: inside, length, paint: style.cyan };
    }
    if (/^\s|\s$/.test(inside) || rest[length] === mark[0]) continue;
    if (mark.startsWith('_') && /\w/.test(rest[length] ?? '')) continue;
    return { text: inside.replaceAll('`', ''), length, paint: mark.length === 2 ? style.bold : style.italic };
  }
  return null;
}

/** A text that is whole, with its spans painted. */
function inlineText(text: string, style: Style): string {
  let rest = text;
  let shown = '';
  while (rest !== '') {
    const piece = nextPiece(rest, true, style);
    if (piece === null) return shown + rest;
    shown += piece.text === '' ? '' : piece.paint(piece.text);
    rest = rest.slice(piece.length);
  }
  return shown;
}

const plainStyle = { bold: same, italic: same, cyan: same };

/** Columns of one width, or the rows as they are where they do not fit. */
function tableText(rows: readonly string[], style: Style, columns: number): string {
  const cells = rows.map((row) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  );
  const plain = (cell: string) => textWidth(inlineText(cell, { ...style, ...plainStyle }));
  const isRule = (row: readonly string[]) => row.every((cell) => tableRule.test(cell));
  const widths: number[] = [];
  for (const row of cells.filter((each) => !isRule(each))) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, plain(cell));
  }
  const total = widths.reduce((sum, width) => sum + width + 3, -3);
  if (total > columns) return rows.map((row) => `${row}\n`).join('');
  const lines = cells.map((row, index) => {
    if (isRule(row)) return style.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'));
    const shown = row.map((cell, column) => {
      const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - plain(cell)));
      return (index === 0 ? style.bold(inlineText(cell, { ...style, bold: same })) : inlineText(cell, style)) + padding;
    });
    return shown.join(style.dim(' │ ')).trimEnd();
  });
  return lines.map((text) => `${text}\n`).join('');
}
