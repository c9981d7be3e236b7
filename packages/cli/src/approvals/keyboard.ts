/** Keys and lines from a terminal, one reader at a time. */
import type { ReadStream } from 'node:tty';

/** How long what was typed before anything was asked has to arrive, ms; it is thrown away. */
const typeAheadMs = 20;

export const interruptKey = '\u0003';

/**
 * Calls `onKey` for each key from now on, until the returned function is called. What was typed before is thrown away:
 * an answer must have seen its question.
 */
export async function listenForKeys(stdin: ReadStream, onKey: (key: string) => void): Promise<() => void> {
  let isListening = false;
  const hear = (chunk: Buffer | string) => {
    if (!isListening) return;
    for (const key of String(chunk)) onKey(key);
  };
  stdin.setRawMode(true);
  stdin.on('data', hear);
  stdin.resume();
  await new Promise((resolve) => setTimeout(resolve, typeAheadMs));
  isListening = true;
  return () => {
    stdin.off('data', hear);
    stdin.pause();
    stdin.setRawMode(false);
  };
}

export type Line = { kind: 'line'; text: string } | { kind: 'back' } | { kind: 'interrupt' };

/** One line, with editing; `draft` is there to be changed. Ctrl-D, or `signal`, goes back. */
export async function askLine(
  stdin: ReadStream,
  output: NodeJS.WriteStream,
  question: string,
  { draft = '', signal }: { draft?: string; signal: AbortSignal },
): Promise<Line> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    let answer: Line = { kind: 'back' };
    const leave = () => lines.close();
    signal.addEventListener('abort', leave, { once: true });
    lines.on('SIGINT', () => {
      answer = { kind: 'interrupt' };
      lines.close();
    });
    lines.on('close', () => {
      signal.removeEventListener('abort', leave);
      output.write('\n');
      resolve(answer);
    });
    lines.question(question, (text) => {
      answer = { kind: 'line', text };
      lines.close();
    });
    if (draft !== '') lines.write(draft);
    if (signal.aborted) leave();
  });
}
