import { StringDecoder } from 'node:string_decoder';
import { stripTerminal } from '../escape.ts';

const intervalMs = 100;
const longestText = 2000;

/**
 * Passes output on as it comes, at most ten times a second and then only its latest part. That begins with a whole
 * word, so that no half of a secret is in it that nobody would know for one.
 */
export function progressReporter(report: (update: { text: string }) => void): {
  add(chunk: Buffer): void;
  stop(): void;
} {
  const decoder = new StringDecoder('utf8');
  // One for all that comes: a gigabyte of output would be as much of garbage.
  const latest = Buffer.allocUnsafe(longestText);
  let length = 0;
  let isCut = false;
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    timer = null;
    const written = decoder.write(latest.subarray(0, length));
    const text = stripTerminal(isCut ? written.replace(/^\S*/, '') : written);
    length = 0;
    isCut = false;
    if (text !== '') report({ text });
  };
  return {
    add(chunk) {
      const last = chunk.subarray(Math.max(0, chunk.length - longestText));
      const kept = Math.min(length, longestText - last.length);
      isCut ||= kept < length || last.length < chunk.length;
      latest.copyWithin(0, length - kept, length);
      last.copy(latest, kept);
      length = kept + last.length;
      timer ??= setTimeout(flush, intervalMs).unref();
    },
    /** Nothing is reported any more; the result itself follows. */
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
