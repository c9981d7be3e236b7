/** Lines of JSON in both directions. */
import type { Readable, Writable } from 'node:stream';

/** The longest line that is read, in characters: an image in base64 fits. */
const longestLine = 64 * 2 ** 20;

/** A line that was read: a value, or why it is none. */
export type Line = { number: number } & ({ value: unknown } | { problem: string });

/** What connects a client with whoever drives its sessions: a socket, or anything that carries lines. */
export interface Connection {
  /** Resolves when there is room for more, also when nobody is there any more. */
  send(line: object): Promise<void>;
  /** What comes, until the other side is gone. To be read once. */
  lines(): AsyncIterable<Line>;
  close(): void;
}

/** Lines as they come; bad ones are told of and passed over, and empty ones are nothing. The last needs no line end. */
export async function* readLines(input: Readable): AsyncIterable<Line> {
  const decoder = new TextDecoder('utf-8');
  let pieces: string[] = [];
  let length = 0;
  let number = 0;
  const take = (rest: string): Line | null => {
    number += 1;
    const text = length + rest.length > longestLine ? null : pieces.join('') + rest;
    pieces = [];
    length = 0;
    if (text === null) return { number, problem: `It is longer than ${longestLine} characters.` };
    return text.trim() === '' ? null : { number, ...parsed(text) };
  };
  const add = (piece: string) => {
    length += piece.length;
    // Of what is too long nothing is kept but that it is.
    if (length <= longestLine) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = take(text.slice(from, end));
      if (line !== null) yield line;
      from = end + 1;
    }
    add(text.slice(from));
  }
  const last = take(decoder.decode());
  if (last !== null) yield last;
}

function parsed(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'It is no JSON. Write one JSON object a line.' };
  }
}

/** Over a stream of bytes, such as a socket. */
export function lineConnection(stream: Readable & Writable): Connection {
  const noError = () => undefined;
  // That the other side is gone is seen by the end of its lines.
  stream.on('error', noError);
  return {
    send(line) {
      if (stream.destroyed || stream.writableEnded || stream.write(`${JSON.stringify(line)}\n`))
        return Promise.resolve();
      return new Promise((resolve) => {
        const go = () => {
          stream.off('drain', go);
          stream.off('close', go);
          resolve();
        };
        stream.on('drain', go);
        stream.on('close', go);
      });
    },
    async *lines() {
      try {
        yield* readLines(stream);
      } catch {
        // Cut off: whoever reads sees the end of it.
      }
    },
    close: () => {
      stream.end();
      stream.destroySoon?.();
    },
  };
}

declare module 'node:stream' {
  interface Writable {
    /** Of sockets: ends it, and closes it when all is written. */
    destroySoon?(): void;
  }
}
