import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ModelEvent, ModelMessage } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';
import { createDecoder as anthropicDecoder } from '../src/wires/anthropic-stream.ts';
import { createDecoder as openaiChatDecoder } from '../src/wires/openai-chat-stream.ts';
import { createStreamReader } from '../src/wires/reader.ts';

export type Wire = 'anthropic' | 'openai-chat';

const recordings = new URL('../../../../shared/streams/', import.meta.url);

/** Whether the streams that real providers sent are on this machine; they are not ours to ship. */
export const hasRecordings = existsSync(recordings);

/** Recorded streams of a wire: name, and the events' data in order. */
export function recordedStreams(wire: Wire): { name: string; events: string[] }[] {
  if (!hasRecordings) return [];
  return readdirSync(new URL(`${wire}/`, recordings)).map((file) => ({
    name: file.replace(/(?:\.1)?\.jsonl$/, ''),
    events: readFileSync(new URL(`${wire}/${file}`, recordings), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  }));
}

/** Events as the provider would send them. */
export function sse(events: readonly string[], newline = '\n', noise = ''): string {
  return events.map((data) => `${noise}data: ${data}${newline}${newline}`).join('');
}

export type Outcome = { events: ModelEvent[]; message: ModelMessage | null; error: string | null };

/** Reads an answer that comes in these chunks. An outcome is a message or the code of a typed error, never both. */
export function read(wire: Wire, chunks: Iterable<Uint8Array>): Outcome {
  const events: ModelEvent[] = [];
  const emit = (event: ModelEvent) => events.push(event);
  const decoder = wire === 'anthropic' ? anthropicDecoder(emit, () => null) : openaiChatDecoder(emit, () => null);
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
