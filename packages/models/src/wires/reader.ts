import type { ModelMessage } from '@pawl/engine';
import { isPawlError, messageOf, type PawlError } from '@pawl/protocol';
import { createParser } from 'eventsource-parser';
import { modelError } from '../errors.ts';

/** Reads one answer of one wire. What it throws ends the call. */
export type Decoder = {
  /** The data of one event of the stream; true when it was the last that matters. */
  read(data: string): boolean;
  /** An answer that was not streamed. */
  readWhole(body: string): void;
  /** Whether what comes next may take as long as a thought. */
  isThinking(): boolean;
  /** Whether the answer may stand if nothing more comes. */
  isWhole(): boolean;
  finish(): ModelMessage;
};

/** Takes the bytes of an answer as they come, split anywhere. */
export type Reader = {
  /** True when the answer has ended; nothing after it is read. @throws `bad_stream`, and what the provider reports. */
  feed(chunk: Uint8Array): boolean;
  /** No more bytes come. @throws `stream_cut` if the answer was not whole. */
  end(): void;
};

/** No event of a model is longer (characters); a line without end would fill the memory. */
const longestEvent = 64 * 1024 * 1024;

/** A reader of server-sent events. Comments, unknown fields and lines of garbage are ignored (WHATWG HTML §9.2.6). */
export function createStreamReader(decoder: Decoder): Reader {
  const text = new TextDecoder();
  /** The decoder must have this chunk: what it has so far is incomplete, or a byte order mark may come first. */
  let needsDecoder = true;
  let isDone = false;
  const parser = createParser({
    maxBufferSize: longestEvent,
    onEvent({ data }) {
      if (!isDone) isDone = decoder.read(data);
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw badStream(error);
    },
  });
  return {
    feed(chunk) {
      // A chunk that ends between characters, after one that did, is read without the decoder's slower memory.
      const endsCut = (chunk.at(-1) ?? 0) > 0x7f;
      const isWhole = !needsDecoder && !endsCut;
      needsDecoder = endsCut;
      parser.feed(isWhole ? bytesToText(chunk) : text.decode(chunk, { stream: true }));
      return isDone;
    },
    end() {
      // The last event may lack its blank line, or be cut in the middle.
      try {
        parser.feed(`${text.decode()}\n\n`);
      } catch (error) {
        if (!isPawlError(error, 'bad_stream')) throw error;
        if (!decoder.isWhole()) throw streamCut(error);
      }
      if (!isDone && !decoder.isWhole()) throw streamCut();
    },
  };
}

const bytesToText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** A reader of an answer in one piece. */
export function createWholeReader(decoder: Decoder): Reader {
  const chunks: Uint8Array[] = [];
  return {
    feed(chunk) {
      chunks.push(chunk);
      return false;
    },
    end() {
      decoder.readWhole(Buffer.concat(chunks).toString('utf8'));
      if (!decoder.isWhole()) throw streamCut();
    },
  };
}

/** The JSON of one event. @throws `bad_stream`. */
export function parseEvent(data: string): { [key: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw badStream(error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badStream(new Error(`an event is ${data.slice(0, 60)}`));
  }
  return value as { [key: string]: unknown };
}

export function badStream(cause: unknown): PawlError {
  const sentence = `The provider's stream cannot be read: ${messageOf(cause)}. Check that the base URL speaks this wire.`;
  return modelError('bad_stream', sentence, {}, { cause });
}

function streamCut(cause?: unknown): PawlError {
  return modelError('stream_cut', 'The answer stopped before its end. Try again.', {}, { cause });
}
