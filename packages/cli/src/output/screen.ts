/** The terminal as one place that several things write to: the agent's text, lines about its tools, a spinner. */
import type { Style } from '@pawl/terminal/text/style';
import { createStyle, wantsColour } from '@pawl/terminal/text/style';
import { cutToWidth } from '@pawl/terminal/text/width';

export type Screen = {
  style: Style;
  /** Columns of the terminal; null where output is not one, and nothing is cut. */
  columns(): number | null;
  /** Text as it streams, to standard output. */
  text(text: string): void;
  /** Ends the line that text left open. */
  endLine(): void;
  /** A whole line, or several, to standard error. */
  line(text: string): void;
  /** What the spinner says; null takes it away. Nothing where there is no terminal. */
  status(label: string | null): void;
  /** Keeps everything back until the returned function is called: someone is being asked. */
  hold(): () => void;
  close(): void;
};

export type Streams = { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream };

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 80;
const clearLine = '\r\u001b[K';

export function createScreen({ stdout, stderr }: Streams, environment: NodeJS.ProcessEnv = process.env): Screen {
  const style = createStyle(wantsColour(stderr, environment));
  const canSpin = stderr.isTTY === true && environment.TERM !== 'dumb';
  let isMidLine = false;
  let label: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let begun = 0;
  let isDrawn = false;
  let held: (() => void)[] | null = null;
  let isClosed = false;

  const columns = () => (stderr.isTTY === true ? Math.max(20, stderr.columns || 80) : null);

  const draw = () => {
    if (label === null || isMidLine || held !== null) return;
    const elapsed = Date.now() - begun;
    const frame = frames[Math.floor(elapsed / frameMs) % frames.length] ?? '';
    const seconds = elapsed >= 1000 ? ` ${Math.floor(elapsed / 1000)} s` : '';
    const text = cutToWidth(`${label}${seconds}`, (columns() ?? 80) - 3);
    stderr.write(`${clearLine}${style.cyan(frame)} ${style.dim(text)}`);
    isDrawn = true;
  };
  const erase = () => {
    if (isDrawn) stderr.write(clearLine);
    isDrawn = false;
  };
  const endLine = () => {
    if (isMidLine) stdout.write('\n');
    isMidLine = false;
  };
  const stop = () => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    erase();
  };
  const orLater = (act: () => void) => {
    if (held === null) act();
    else held.push(act);
  };

  return {
    style,
    columns,
    text(text) {
      orLater(() => {
        if (text === '') return;
        erase();
        stdout.write(text);
        if (stdout.isTTY === true) isMidLine = !text.endsWith('\n');
      });
    },
    line(text) {
      orLater(() => {
        erase();
        endLine();
        stderr.write(`${text}\n`);
        draw();
      });
    },
    endLine: () => orLater(endLine),
    status(next) {
      if (!canSpin || isClosed) return;
      if (next === null) {
        label = null;
        stop();
        return;
      }
      if (label !== next) begun = Date.now();
      label = next;
      timer ??= setInterval(draw, frameMs).unref();
      draw();
    },
    hold() {
      erase();
      endLine();
      held ??= [];
      return () => {
        const waiting = held ?? [];
        held = null;
        for (const act of waiting) act();
        draw();
      };
    },
    close() {
      isClosed = true;
      label = null;
      stop();
      endLine();
    },
  };
}
