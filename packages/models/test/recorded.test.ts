import type { ModelPart } from '@pawl/engine';
import { describe, expect, it } from 'vitest';
import {
  hasRecordings,
  type Outcome,
  type Recording,
  read,
  readText,
  recordedStreams,
  sse,
  streamed,
  wireNames,
  wires,
} from './streams.ts';

if (!hasRecordings) console.warn('Skipped: the streams that real providers sent are not beside this repository.');

const cases = wireNames.flatMap(recordedStreams);
const short = cases.filter(({ events }) => events.join('').length < 4000);
const encoder = new TextEncoder();

/** One-byte chunks are every split at once. */
function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function expectedOf({ wire, name }: Recording) {
  const expected = wires[wire].expected[name];
  if (expected === undefined) throw new Error(`Nothing is expected of ${wire} ${name}.`);
  return expected;
}

describe.skipIf(!hasRecordings)('M1: streams that real providers sent', () => {
  it.each(wireNames)('of %s all have an expectation, and every expectation has its stream', (wire) => {
    const names = recordedStreams(wire).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(Object.keys(wires[wire].expected)));
  });

  it.each(cases)('$wire $name is read right', (recording) => {
    const wanted = expectedOf(recording);
    const outcome = readText(recording.wire, sse(recording.events));
    if ('error' in wanted) {
      expect(outcome.error).toBe(wanted.error);
      return;
    }
    const message = messageOf(outcome);
    expect(message.stopReason).toBe(wanted.stop);
    const { inputTokens, cacheReadTokens, outputTokens, reasoningTokens } = message.usage;
    expect([inputTokens, cacheReadTokens, outputTokens, reasoningTokens]).toEqual(wanted.tokens);
    // Thoughts that show nothing are there only to go back.
    const shown = message.content.filter((part) => part.type === 'tool_call' || part.text !== '');
    expect(shown.map((part, index) => briefly(part, wanted.parts[index]))).toEqual(wanted.parts);
    const texts = (type: 'text' | 'thinking') =>
      message.content.map((part) => (part.type === type ? part.text : '')).join('');
    expect(streamed(outcome.events, 'text')).toBe(texts('text'));
    expect(streamed(outcome.events, 'thinking')).toBe(texts('thinking'));
  });

  it.each(cases)('$wire $name is read the same in pieces of any size, with any line end and any noise', (recording) => {
    const { wire, events } = recording;
    const whole = readText(wire, sse(events));
    const noise = ': keep-alive\nevent: whatever\nid: 7\nretry: 10\n';
    for (const newline of ['\n', '\r\n', '\r']) {
      for (const extra of ['', noise.replaceAll('\n', newline), newline]) {
        const bytes = encoder.encode(sse(events, newline, extra));
        for (const size of [1, 2, 3, 7, 64, 1000]) expect(read(wire, pieces(bytes, size))).toEqual(whole);
      }
    }
  });

  it.each(short)('$wire $name is read the same when cut in two at any byte', ({ wire, events }) => {
    const bytes = encoder.encode(sse(events, '\r\n'));
    const whole = read(wire, [bytes]);
    for (let at = 1; at < bytes.length; at++) {
      expect(read(wire, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
  });

  it.each(short)('$wire $name, ending at any byte, is either whole or cut', ({ wire, events }) => {
    const bytes = encoder.encode(sse(events));
    const { message, error } = read(wire, [bytes]);
    for (let at = 0; at < bytes.length; at++) {
      const cut = read(wire, [bytes.subarray(0, at)]);
      // The last chunk of some dialects has the usage after the reason to stop.
      if (cut.error === null) expect(cut.message?.content).toEqual(message?.content);
      else expect(['stream_cut', error]).toContain(cut.error);
    }
  });
});

function messageOf({ message, error }: Outcome) {
  if (message === null) throw new Error(`There is no message but ${error}.`);
  return message;
}

/** As long as what is wanted of it. */
function briefly(part: ModelPart, wanted: string | object | undefined): string | object {
  if (part.type === 'tool_call') return { tool: part.tool, input: part.input };
  return typeof wanted === 'string' ? part.text.slice(0, wanted.length) : part.text;
}
