/** A terminal to look at: what the bytes that were written made of it. */
import xterm from '@xterm/headless';

export type Emulator = {
  write(bytes: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** What is to be seen, without blanks at the ends. */
  rows(): string[];
  /** All of it, with what was scrolled away. */
  all(): string[];
  cursor(): { row: number; column: number };
  title(): string;
};

export function createEmulator(columns: number, rows: number): Emulator {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  let title = '';
  terminal.onTitleChange((next) => {
    title = next;
  });
  const lineAt = (index: number) => terminal.buffer.active.getLine(index)?.translateToString(true) ?? '';
  return {
    write: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    resize: (nextColumns, nextRows) => terminal.resize(nextColumns, nextRows),
    rows: () => Array.from({ length: terminal.rows }, (_, row) => lineAt(terminal.buffer.active.baseY + row)),
    all: () => Array.from({ length: terminal.buffer.active.baseY + terminal.rows }, (_, row) => lineAt(row)),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    title: () => title,
  };
}
