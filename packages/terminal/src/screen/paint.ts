/**
 * What to write so that the terminal shows a frame. Rows are frozen above the live ones, once, and are the terminal's own
 * from then on: nothing here ever clears the screen or its scrollback, or goes above the first live row. Pure.
 */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '../pi-tui.ts';

export type Size = { columns: number; rows: number };
type Cursor = { row: number; column: number };
export type Frame = { frozen: readonly string[]; live: readonly string[]; cursor: Cursor | null };
/** What is on the screen: the live rows, where the cursor is among them, and how wide the terminal was. */
export type Painted = { live: readonly string[]; cursor: Cursor; columns: number };

export const nothingPainted = (columns: number): Painted => ({ live: [], cursor: { row: 0, column: 0 }, columns });

const csi = '\u001b[';
const up = (count: number) => (count > 0 ? `${csi}${count}A` : '');
const down = (count: number) => (count > 0 ? `${csi}${count}B` : '');
const eraseBelow = `${csi}J`;
const eraseLine = `${csi}K`;
/** Shown at once, where the terminal knows how (https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036). */
const together = (output: string) => `${csi}?2026h${output}${csi}?2026l`;

export function paint(before: Painted, frame: Frame, size: Size): { output: string; painted: Painted } {
  const pen = createPen(before, size);
  const frozen = frame.frozen.flatMap((row) => rowsThatFit(row, size.columns));
  const live = shown(frame, size);
  if (before.columns !== size.columns) pen.forget();
  if (frozen.length > 0) pen.freeze(frozen, size);
  pen.update(live.rows);
  pen.place(live.cursor);
  return pen.end(size.columns);
}

/** Takes the live rows away, and leaves the cursor where the first of them was. */
export function unpaint(before: Painted, size: Size): { output: string; painted: Painted } {
  const pen = createPen(before, size);
  pen.forget();
  return pen.end(size.columns);
}

/** As many of the last rows as the screen holds. */
function shown({ live, cursor }: Frame, { columns, rows }: Size): { rows: string[]; cursor: Cursor } {
  const left = Math.max(0, live.length - Math.max(1, rows - 1));
  const kept = live.slice(left).map((row) => (visibleWidth(row) > columns ? truncateToWidth(row, columns, '…') : row));
  const end = { row: Math.max(0, kept.length - 1), column: 0 };
  if (cursor === null || cursor.row < left) return { rows: kept, cursor: end };
  return { rows: kept, cursor: { row: cursor.row - left, column: Math.min(cursor.column, columns - 1) } };
}

/** Rows that no terminal has to wrap. */
function rowsThatFit(row: string, columns: number): string[] {
  return visibleWidth(row) <= columns ? [row] : wrapTextWithAnsi(row, columns);
}

function createPen({ live, cursor, columns }: Painted, size: Size) {
  let output = '';
  let rows = [...live];
  let at = { ...cursor };
  let changed = 0;

  const toRow = (row: number) => {
    output += row < at.row ? up(at.row - row) : down(row - at.row);
    at = { row, column: at.column };
  };
  const toStart = () => {
    if (at.column !== 0) output += '\r';
    at = { row: at.row, column: 0 };
  };

  return {
    /** Erases all live rows, wherever the terminal has put them when its width changed. */
    forget() {
      const above = rows.slice(0, at.row).reduce((sum, row) => sum + rowsAt(visibleWidth(row), size.columns), 0);
      const within = columns === size.columns ? 0 : Math.floor(at.column / size.columns);
      if (rows.length > 0) output += `${up(above + within)}\r${eraseBelow}`;
      rows = [];
      at = { row: 0, column: 0 };
      changed += 2;
    },
    /** Puts rows above the live ones, which move down where there is room, and else push the screen up. */
    freeze(frozen: readonly string[], { rows: height }: Size) {
      changed += 2;
      if (rows.length === 0 || frozen.length + rows.length >= height) {
        toRow(0);
        toStart();
        if (rows.length > 0) output += eraseBelow;
        output += frozen.map((row) => `${row}\r\n`).join('');
        rows = [];
        at = { row: 0, column: 0 };
        return;
      }
      toRow(rows.length - 1);
      output += '\r\n'.repeat(frozen.length);
      output += `${up(rows.length - 1 + frozen.length)}\r${csi}${frozen.length}L`;
      output += frozen.map((row) => `${row}\r\n`).join('');
      at = { row: 0, column: 0 };
    },
    update(next: readonly string[]) {
      for (const [row, text] of next.entries()) {
        const old = rows[row];
        if (old === text) continue;
        changed++;
        if (old === undefined) {
          if (row > 0) {
            toRow(row - 1);
            output += '\r\n';
          } else toStart();
          at = { row, column: 0 };
          output += text;
        } else {
          toRow(row);
          const kept = commonStart(old, text);
          const column = visibleWidth(kept);
          output += column === 0 ? '\r' : `${csi}${column + 1}G`;
          if (visibleWidth(old) > column) output += eraseLine;
          output += text.slice(kept.length);
        }
        at = { row, column: visibleWidth(text) };
      }
      if (rows.length > next.length) {
        changed++;
        if (next.length === 0) {
          toRow(0);
          output += `\r${eraseBelow}`;
          at = { row: 0, column: 0 };
        } else {
          toRow(next.length);
          output += `\r${eraseBelow}`;
          at = { row: next.length, column: 0 };
        }
      }
      rows = [...next];
    },
    place(target: Cursor) {
      toRow(target.row);
      if (at.column !== target.column) output += `${csi}${target.column + 1}G`;
      at = target;
    },
    end(columns: number): { output: string; painted: Painted } {
      return { output: changed > 1 ? together(output) : output, painted: { live: rows, cursor: at, columns } };
    },
  };
}

const rowsAt = (width: number, columns: number) => Math.max(1, Math.ceil(width / columns));

/** What both rows begin with, as far as it is plain text of one column a character. */
function commonStart(old: string, next: string): string {
  let length = 0;
  while (length < old.length && old[length] === next[length] && isPlain(next.charCodeAt(length))) length++;
  // A mark may follow that belongs to the last character.
  return length === next.length ? next.slice(0, length) : next.slice(0, Math.max(0, length - 1));
}

const isPlain = (code: number) => code >= 0x20 && code < 0x7f;
