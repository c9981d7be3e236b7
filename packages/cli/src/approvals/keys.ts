/** One key out of those that are offered, with the time that is left. */
import type { ReadStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { leftText } from '@pawl/terminal/text/left';
import type { Style } from '@pawl/terminal/text/style';
import { joinParts, textWidth } from '@pawl/terminal/text/width';
import { interruptKey, listenForKeys } from './keyboard.ts';

export type AskTerminal = {
  stdin: ReadStream;
  output: NodeJS.WriteStream;
  style: Style;
  /** Whether a line can be written over, to show the time that is left. */
  canRedraw: boolean;
};

/** A key that can be pressed, and what it does. Without words it is not shown. */
export type Choice = { key: string; text: string };

export type KeyQuestion = {
  /** What stands before the choices. */
  prompt: string;
  choices: readonly Choice[];
  /** Unix milliseconds; null waits for ever. */
  expiresAt: number | null;
};

/** How the Enter key arrives. */
export const enterKey = '\r';

/** The next key that is one of the choices, in lower case, or that interrupts; null when the question is settled. */
export async function askKey(
  { prompt, choices, expiresAt }: KeyQuestion,
  { stdin, output, style, canRedraw }: AskTerminal,
  signal: AbortSignal,
): Promise<string | null> {
  const words = choices
    .filter(({ text }) => text !== '')
    .map(({ key, text }) => `${style.bold(key === enterKey ? 'Enter' : key)} ${text}`);
  const draw = drawer({ prompt, words, expiresAt }, { output, style, canRedraw });
  const keys = new Set([...choices.map(({ key }) => key), interruptKey]);
  let close: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let settle: (key: string | null) => void = () => undefined;
  const answered = new Promise<string | null>((resolve) => {
    settle = resolve;
  });
  const withdraw = () => settle(null);
  signal.addEventListener('abort', withdraw, { once: true });
  if (signal.aborted) withdraw();
  try {
    const press = (key: string) => {
      const pressed = key === '\n' ? enterKey : key.toLowerCase();
      if (keys.has(pressed)) settle(pressed);
    };
    close = await listenForKeys(stdin, press, draw);
    draw();
    if (canRedraw && expiresAt !== null) timer = setInterval(draw, 1000);
    const key = await answered;
    const isShown = key !== null && key !== interruptKey && key !== enterKey;
    output.write(isShown ? `${key}\n` : '\n');
    return key;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', withdraw);
    close();
  }
}

/**
 * Writes the question, again and again over itself. A line that does not fit cannot be written over: then the choices
 * stand above, once, and only what changes is below.
 */
function drawer(
  { prompt, words, expiresAt }: { prompt: string; words: readonly string[]; expiresAt: number | null },
  { output, style, canRedraw }: Omit<AskTerminal, 'stdin'>,
): () => void {
  let isSplit = false;
  let isDrawn = false;
  const fits = (line: string) => textWidth(stripVTControlCharacters(line)) < (output.columns || 80);
  const oneRow = joinParts(words, Number.POSITIVE_INFINITY, style);
  return () => {
    const left = leftText(expiresAt, Date.now());
    const time = left === '' ? '' : style.dim(` (${left} left)`);
    if (!canRedraw) {
      output.write(`${prompt} ${oneRow}${time} `);
      return;
    }
    const isTooLong = !fits(`${prompt} ${oneRow}${time} `);
    if (isTooLong && !isSplit) output.write(`${isDrawn ? '\n' : ''}${joinParts(words, output.columns || 80, style)}\n`);
    isSplit ||= isTooLong;
    const line = isSplit ? `${prompt}${time} ` : `${prompt} ${oneRow}${time} `;
    if (!isDrawn || fits(line)) output.write(`\r\u001b[K${line}`);
    isDrawn = true;
  };
}
