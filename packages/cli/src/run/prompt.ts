/** The prompt: from the command line, from standard input, or from both. */
import { fstatSync } from 'node:fs';
import { usageError } from '../usage-error.ts';

/** A standard input beside a prompt that neither gives anything nor ends in this time is left alone, ms. */
const patienceMs = 3000;

/**
 * The words of the command line and what is piped in; null if there is neither. Programs often start others with a
 * pipe that nobody writes to, so beside a prompt it must begin within three seconds; `-` for a word waits for ever.
 * @throws `usage`.
 */
export async function readPrompt(words: readonly string[], flag: string | true | undefined): Promise<string | null> {
  if (typeof flag === 'string' && words.some((word) => word !== '-')) {
    throw usageError('The prompt was given twice, with -p and without. Give one, in quotes.');
  }
  const plain = words.filter((word) => word !== '-');
  const written = (typeof flag === 'string' ? flag : plain.join(' ')).trim();
  const isAwaited = written === '' || plain.length < words.length;
  const piped = isPiped() ? await readAll(process.stdin, isAwaited ? null : patienceMs) : '';
  if (piped.trim() === '') return written === '' ? null : written;
  return written === '' ? piped : joinPrompt(written, piped);
}

/** The words of the command line alone, where standard input is for something else. @throws `usage`. */
export function wordsOnly(words: readonly string[], flag: string | true | undefined): string | null {
  if (typeof flag === 'string' && words.length > 0) {
    throw usageError('The prompt was given twice, with -p and without. Give one, in quotes.');
  }
  const written = (typeof flag === 'string' ? flag : words.join(' ')).trim();
  return written === '' ? null : written;
}

/** What is piped in stands in a block, whose end tag does not occur in it. */
export function joinPrompt(written: string, piped: string): string {
  let tag = 'stdin';
  for (let number = 2; piped.includes(`</${tag}>`); number++) tag = `stdin-${number}`;
  return `${written}\n\n<${tag}>\n${piped}${piped.endsWith('\n') ? '' : '\n'}</${tag}>`;
}

/** Whether somebody may have put something there: a pipe, a socket or a file; not a terminal, not `/dev/null`. */
function isPiped(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isSocket() || stdin.isFile();
  } catch {
    // Closed: there is nothing to read.
    return false;
  }
}

/** Everything up to the end; nothing if it has not begun in time. */
function readAll(stdin: NodeJS.ReadStream, patience: number | null): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const giveUp = () => {
      process.stderr.write(
        'pawl: nothing came on standard input, so it is left alone. To wait for it, add - after the prompt.\n',
      );
      stdin.destroy();
      resolve('');
    };
    const timer = patience === null ? undefined : setTimeout(giveUp, patience);
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stdin.on('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    stdin.on('error', reject);
  });
}
