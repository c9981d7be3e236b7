/** The real program in a real terminal, read as a person reads it: by what is on the screen. */
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { onTestFailed, onTestFinished } from 'vitest';
import { node, type Place, program } from './pawl.ts';

export const keys = {
  enter: '\r',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlZ: '\u001a',
  ctrlO: '\u000f',
  tab: '\t',
  shiftTab: '\u001b[Z',
  altUp: '\u001b[1;3A',
  up: '\u001b[A',
  down: '\u001b[B',
  newLine: '\n',
} as const;

export type Seen = {
  pid: number;
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves when the screen shows it. */
  sees(text: string | RegExp): Promise<void>;
  /** Resolves when the screen does not show it any more. */
  misses(text: string | RegExp): Promise<void>;
  /** What is to be seen now. */
  screen(): string;
  /** With all that was scrolled away. */
  all(): string;
  title(): string;
  /** Every byte that the program wrote. */
  bytes(): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<{ exitCode: number; signal: number | undefined }>;
};

type Options = { env?: Record<string, string>; columns?: number; rows?: number; file?: string };

export function openScreen(place: Place, args: readonly string[], options: Options = {}): Seen {
  const { env = {}, columns = 80, rows = 24, file = node } = options;
  const words = file === node ? [program, ...args] : [...args];
  const child = spawn(file, words, { cwd: place.folder, env: { ...place.env, ...env }, cols: columns, rows });
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 50_000, allowProposedApi: true });
  const watchers = new Set<() => void>();
  let bytes = '';
  let title = '';
  let hasEnded = false;
  terminal.onTitleChange((next) => {
    title = next;
  });
  // What a terminal answers when it is asked what it is.
  terminal.onData((answer) => {
    if (!hasEnded) child.write(answer);
  });
  child.onData((text) => {
    bytes += text;
    terminal.write(text, () => {
      for (const look of watchers) look();
    });
  });
  const ended = new Promise<{ exitCode: number; signal: number | undefined }>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      terminal.write('', () => resolve({ exitCode, signal }));
    });
  });
  onTestFinished(() => {
    if (!hasEnded) child.kill('SIGKILL');
  });
  const lines = (from: number) => {
    const { active } = terminal.buffer;
    return Array.from(
      { length: active.baseY + terminal.rows - from },
      (_, row) => active.getLine(from + row)?.translateToString(true) ?? '',
    );
  };
  const screen = () => lines(terminal.buffer.active.baseY).join('\n').trimEnd();
  onTestFailed(() => console.error(`${args.join(' ')}:\n${screen()}`));
  const until = (holds: () => boolean, what: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      ended.then(() => (holds() ? resolve() : reject(new Error(`It ended before it ${what}:\n${screen()}`))), reject);
    });
  const shows = (text: string | RegExp) => (typeof text === 'string' ? screen().includes(text) : text.test(screen()));
  return {
    pid: child.pid,
    write: (text) => child.write(text),
    resize(nextColumns, nextRows) {
      terminal.resize(nextColumns, nextRows);
      child.resize(nextColumns, nextRows);
    },
    sees: (text) => until(() => shows(text), `showed ${text}`),
    misses: (text) => until(() => !shows(text), `hid ${text}`),
    screen,
    all: () => lines(0).join('\n').trimEnd(),
    title: () => title,
    bytes: () => bytes,
    kill: (signal) => child.kill(signal),
    ended,
  };
}
