import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ModelEvent, ModelMessage } from '@pawl/engine';
import { isPawlError, type Usage } from '@pawl/protocol';
import type { ScriptedAnswer } from '../src/testing/index.ts';
import { anthropicStream } from '../src/testing/wire-anthropic.ts';
import { googleStream } from '../src/testing/wire-google.ts';
import { openaiChatStream } from '../src/testing/wire-openai-chat.ts';
import { openaiResponsesStream } from '../src/testing/wire-openai-responses.ts';
import { createDecoder as anthropicDecoder } from '../src/wires/anthropic/stream.ts';
import { createDecoder as googleDecoder } from '../src/wires/google/stream.ts';
import { createDecoder as openaiChatDecoder } from '../src/wires/openai-chat/stream.ts';
import { createDecoder as openaiResponsesDecoder } from '../src/wires/openai-responses/stream.ts';
import { createStreamReader, type Decoder } from '../src/wires/reader.ts';
import { anthropicRecordings } from './recorded/anthropic.ts';
import { googleRecordings } from './recorded/google.ts';
import { openaiChatRecordings } from './recorded/openai-chat.ts';
import { openaiResponsesRecordings } from './recorded/openai-responses.ts';
import type { Expected } from './recorded/types.ts';

/** One wire as the tests of all wires need it. */
type WireRow = {
  createDecoder(emit: (event: ModelEvent) => void, costOf: (usage: Usage) => number | null): Decoder;
  /** A scripted answer as bytes of this wire. */
  stream(answer: ScriptedAnswer, model: string): string;
  /** What ends a stream without being one of its recorded events. */
  ending: readonly string[];
  /** Whether an event is the last of its answer, where a recording holds several. */
  endsAnswer?(event: string): boolean;
  /** What the recordings say, read off by hand, by name. */
  expected: { [name: string]: Expected };
};

const table = {
  anthropic: {
    createDecoder: anthropicDecoder,
    stream: anthropicStream,
    ending: [],
    expected: anthropicRecordings,
  },
  'openai-chat': {
    createDecoder: openaiChatDecoder,
    stream: openaiChatStream,
    ending: ['[DONE]'],
    expected: openaiChatRecordings,
  },
  'openai-responses': {
    createDecoder: openaiResponsesDecoder,
    stream: openaiResponsesStream,
    ending: [],
    endsAnswer: (event) => /^\{"type":"response\.(completed|incomplete|failed)"/.test(event),
    expected: openaiResponsesRecordings,
  },
  google: {
    createDecoder: googleDecoder,
    stream: googleStream,
    ending: [],
    expected: googleRecordings,
  },
} satisfies { [wire: string]: WireRow };

/** The wires by the names of their folders of recordings. */
export type Wire = keyof typeof table;
export const wires: { readonly [name in Wire]: WireRow } = table;
export const wireNames = Object.keys(table) as Wire[];

const recordings = new URL('../../../../shared/streams/', import.meta.url);

/** Whether the streams that real providers sent are on this machine; they are not ours to ship. */
export const hasRecordings = existsSync(recordings);

export type Recording = { wire: Wire; name: string; events: string[] };

/** Recorded answers of a wire: the events' data in order, as they were sent. Answers of one file are numbered from its second. */
export function recordedStreams(wire: Wire): Recording[] {
  if (!hasRecordings) return [];
  const { ending, endsAnswer } = wires[wire];
  return readdirSync(new URL(`${wire}/`, recordings)).flatMap((file) => {
    const lines = readFileSync(new URL(`${wire}/${file}`, recordings), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
    const name = file.replace(/(?:\.1)?\.jsonl$/, '');
    const answers: string[][] = [[]];
    for (const [index, line] of lines.entries()) {
      answers.at(-1)?.push(line);
      if (endsAnswer?.(line) === true && index < lines.length - 1) answers.push([]);
    }
    return answers.map((events, index) => ({
      wire,
      name: index === 0 ? name : `${name} ${index + 1}`,
      events: [...events, ...ending],
    }));
  });
}

/** Events as the provider would send them. */
export function sse(events: readonly string[], newline = '\n', noise = ''): string {
  return events.map((data) => `${noise}data: ${data}${newline}${newline}`).join('');
}

export type Outcome = { events: ModelEvent[]; message: ModelMessage | null; error: string | null };

/** Reads an answer that comes in these chunks. An outcome is a message or the code of a typed error, never both. */
export function read(wire: Wire, chunks: Iterable<Uint8Array>): Outcome {
  const events: ModelEvent[] = [];
  const decoder = wires[wire].createDecoder(
    (event) => events.push(event),
    () => null,
  );
  const reader = createStreamReader(decoder);
  try {
    let isDone = false;
    for (const chunk of chunks) {
      isDone = reader.feed(chunk);
      if (isDone) break;
    }
    if (!isDone) reader.end();
    return { events, message: decoder.finish(), error: null };
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return { events, message: null, error: error.code };
  }
}

export function readText(wire: Wire, text: string): Outcome {
  return read(wire, [Buffer.from(text)]);
}

/** What one kind of delta said in all. */
export function streamed(events: readonly ModelEvent[], type: 'text' | 'thinking' | 'input'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}
