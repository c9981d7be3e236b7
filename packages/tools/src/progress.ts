import { StringDecoder } from 'node:string_decoder';
import { stripTerminal } from './escape.ts';

const intervalMs = 100;
const longestText = 2000;

/** Passes output on as it comes, at most ten times a second and then only its latest part. */
export function progressReporter(report: (update: { text: string }) => void): {
  add(chunk: Buffer): void;
  stop(): void;
} {
  const decoder = new StringDecoder('utf8');
  let pending = Buffer.alloc(0);
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    timer = null;
    const text = stripTerminal(decoder.write(pending));
    pending = Buffer.alloc(0);
    if (text !== '') report({ text });
  };
  return {
    add(chunk) {
      const last = chunk.subarray(Math.max(0, chunk.length - longestText));
      const joined = Buffer.concat([pending, last]);
      pending = joined.subarray(Math.max(0, joined.length - longestText));
      timer ??= setTimeout(flush, intervalMs).unref();
    },
    /** Nothing is reported any more; the result itself follows. */
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
