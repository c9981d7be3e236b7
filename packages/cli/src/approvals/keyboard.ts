/** Keys and lines from a terminal, one reader at a time. */
import type { ReadStream } from 'node:tty';

/** How long what was typed before anything was asked has to arrive, ms; it is thrown away. */
const typeAheadMs = 20;

export const interruptKey = '\u0003';
/** Ctrl-Z, which does nothing by itself while keys are read one by one. */
const suspendKey = '\u001a';

/**
 * Calls `onKey` for each key from now on, until the returned function is called. What was typed before is thrown away:
 * an answer must have seen its question. So is what arrives all at once: a paste, or an arrow whose sequence has letters
 * in it, is no answer. `onReturn` is called when the program goes on after Ctrl-Z.
 */
export async function listenForKeys(
  stdin: ReadStream,
  onKey: (key: string) => void,
  onReturn: () => void = () => undefined,
): Promise<() => void> {
  let isListening = false;
  const goOn = () => {
    stdin.setRawMode(true);
    onReturn();
  };
  const onData = (chunk: Buffer | string) => {
    if (!isListening) return;
    const text = String(chunk);
    // Programs that answer end their answer like a line.
    const [key = '', ...more] = text.replace(/(?<=.)[\r\n]$/s, '');
    if (text.includes(interruptKey)) onKey(interruptKey);
    else if (more.length > 0) return;
    else if (key === suspendKey) {
      stdin.setRawMode(false);
      process.kill(process.pid, 'SIGTSTP');
      // The system stops nothing that no shell could let go on.
      stdin.setRawMode(true);
    } else onKey(key);
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdin.resume();
  process.on('SIGCONT', goOn);
  await new Promise((resolve) => setTimeout(resolve, typeAheadMs));
  isListening = true;
  return () => {
    process.off('SIGCONT', goOn);
    stdin.off('data', onData);
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
