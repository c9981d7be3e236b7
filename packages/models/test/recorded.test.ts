import type { ModelPart } from '@pawl/engine';
import type { StopReason } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { hasRecordings, read, readText, recordedStreams, sse, streamed, type Wire } from './streams.ts';

if (!hasRecordings) console.warn('Skipped: the streams that real providers sent are not beside this repository.');

type Expected = {
  stop: StopReason;
  /** Input outside the cache, read from it, output, reasoning. */
  tokens: [number, number, number, number];
  /** Beginnings of texts and thoughts, and the calls. */
  parts: (string | { tool: string; input: object })[];
};

/** Read off the recordings by hand. */
const expected: { [name: string]: Expected } = {
  'anthropic-clear-thinking': {
    stop: 'end',
    tokens: [69, 0, 53, 0],
    parts: ['The previous result was 925. Now I need', '925 ÷ 5 = 185'],
  },
  'anthropic-code-execution-20250825': {
    stop: 'end',
    tokens: [8050, 0, 771, 0],
    parts: ["I'll create a Python script", "Now let's execute the script", 'Perfect! The script has been created'],
  },
  'anthropic-json-other-tool': {
    stop: 'tool_calls',
    tokens: [843, 0, 28, 0],
    parts: [{ tool: 'weather', input: { location: 'San Francisco' } }],
  },
  'anthropic-json-tool': {
    stop: 'tool_calls',
    tokens: [849, 0, 47, 0],
    parts: [
      {
        tool: 'json',
        input: { elements: [{ location: 'San Francisco', temperature: 58, condition: 'sunny' }] },
      },
    ],
  },
  'anthropic-message-delta-input-tokens': { stop: 'end', tokens: [61, 0, 2, 0], parts: ['pong'] },
  'anthropic-refusal': { stop: 'refusal', tokens: [18, 0, 5, 0], parts: [] },
  'anthropic-text': { stop: 'end', tokens: [12, 0, 30, 0], parts: ["Hello! I'm doing well"] },
  'anthropic-tool-no-args': {
    stop: 'tool_calls',
    tokens: [565, 0, 48, 0],
    parts: ["I'll update the issue list for you.", { tool: 'updateIssueList', input: {} }],
  },
  'anthropic-web-search-tool': {
    stop: 'end',
    tokens: [15665, 0, 795, 0],
    parts: ['Based on my search results, here are the key tech news'],
  },
  'azure-model-router': { stop: 'end', tokens: [15, 0, 78, 64], parts: ['Capital of Denmark.'] },
  'deepseek-tool-call': {
    stop: 'tool_calls',
    tokens: [19, 320, 83, 39],
    parts: ['The user is asking for the weather', { tool: 'weather', input: { location: 'San Francisco' } }],
  },
  'groq-tool-call': { stop: 'tool_calls', tokens: [210, 0, 15, 0], parts: [{ tool: 'weather', input: {} }] },
  'mistral-incremental-tool-call': {
    stop: 'tool_calls',
    tokens: [43, 128, 14, 0],
    parts: [{ tool: 'webSearchTool', input: { query: 'current Berlin weather' } }],
  },
  'moonshotai-stream': { stop: 'end', tokens: [9, 0, 12, 7], parts: ['Thinking aloud. ', 'Hello!'] },
  'xai-tool-call': {
    stop: 'tool_calls',
    // This provider counts reasoning beside the completion's tokens, not in them.
    tokens: [1, 290, 222, 196],
    parts: ['First, the user is', { tool: 'weather', input: { location: 'San Francisco' } }],
  },
};

const wires: Wire[] = ['anthropic', 'openai-chat'];
const cases = wires.flatMap((wire) => recordedStreams(wire).map((stream) => ({ wire, ...stream })));
const encoder = new TextEncoder();

function ended(wire: Wire): string[] {
  return wire === 'openai-chat' ? ['[DONE]'] : [];
}

/** One-byte chunks are every split at once. */
function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

describe.skipIf(!hasRecordings)('streams that real providers sent', () => {
  it('all have an expectation, and every expectation has its stream', () => {
    expect(new Set(cases.map(({ name }) => name))).toEqual(new Set(Object.keys(expected)));
  });

  it.each(cases)('$wire $name is read right', ({ wire, name, events }) => {
    const { message, error, events: seen } = readText(wire, sse([...events, ...ended(wire)]));
    expect(error).toBeNull();
    const wanted = expected[name];
    if (message === null || wanted === undefined) throw new Error('no message');
    expect(message.stopReason).toBe(wanted.stop);
    const { inputTokens, cacheReadTokens, outputTokens, reasoningTokens } = message.usage;
    expect([inputTokens, cacheReadTokens, outputTokens, reasoningTokens]).toEqual(wanted.tokens);
    expect(message.content.map((part, index) => shown(part, wanted.parts[index]))).toEqual(wanted.parts);
    const texts = (type: 'text' | 'thinking') =>
      message.content.map((part) => (part.type === type ? part.text : '')).join('');
    expect(streamed(seen, 'text')).toBe(texts('text'));
    expect(streamed(seen, 'thinking')).toBe(texts('thinking'));
  });

  it.each(cases)('$wire $name is read the same in pieces of any size, with any line end and any noise', (stream) => {
    const { wire, events } = stream;
    const all = [...events, ...ended(wire)];
    const whole = readText(wire, sse(all));
    const noise = ': keep-alive\nevent: whatever\nid: 7\nretry: 10\n';
    for (const newline of ['\n', '\r\n', '\r']) {
      for (const extra of ['', noise.replaceAll('\n', newline), newline]) {
        const bytes = encoder.encode(sse(all, newline, extra));
        for (const size of [1, 2, 3, 7, 64, 1000]) expect(read(wire, pieces(bytes, size))).toEqual(whole);
      }
    }
  });

  it.each(cases.filter(({ events }) => events.join('').length < 4000))(
    '$wire $name is read the same when cut in two at any byte',
    ({ wire, events }) => {
      const bytes = encoder.encode(sse([...events, ...ended(wire)], '\r\n'));
      const whole = read(wire, [bytes]);
      for (let at = 1; at < bytes.length; at++) {
        expect(read(wire, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
      }
    },
  );

  it.each(cases.filter(({ events }) => events.join('').length < 4000))(
    '$wire $name, ending at any byte, is either whole or cut',
    ({ wire, events }) => {
      const bytes = encoder.encode(sse([...events, ...ended(wire)]));
      const { message } = read(wire, [bytes]);
      for (let at = 0; at < bytes.length; at++) {
        const cut = read(wire, [bytes.subarray(0, at)]);
        // The last chunk of some dialects has the usage after the reason to stop.
        if (cut.error === null) expect(cut.message?.content).toEqual(message?.content);
        else expect(cut.error).toBe('stream_cut');
      }
    },
  );
});

function shown(part: ModelPart, wanted: Expected['parts'][number] | undefined): Expected['parts'][number] {
  if (part.type === 'tool_call') return { tool: part.tool, input: part.input };
  return typeof wanted === 'string' ? part.text.slice(0, wanted.length) : part.text;
}
