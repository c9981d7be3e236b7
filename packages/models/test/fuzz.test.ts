import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicStream, openaiChatStream } from '../src/testing/wire-answers.ts';
import { read, readText, type Wire } from './streams.ts';

const answer = {
  thinking: 'Let me see.',
  text: ['Grüße ', 'an 👋 alle', '.'],
  calls: [{ tool: 'read', input: { path: 'a.txt' } }, { tool: 'list' }],
  usage: { inputTokens: 10, outputTokens: 20 },
};
const streams: { wire: Wire; text: string }[] = [
  { wire: 'anthropic', text: anthropicStream(answer, 'm') },
  { wire: 'openai-chat', text: openaiChatStream(answer, 'm') },
];

const eventParts = fc.oneof(
  fc.json(),
  fc.string(),
  fc.constantFrom(
    '{"type":"message_start"}',
    '{"type":"message_start","message":{"usage":null}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":5}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"x","input":[]}}',
    '{"type":"content_block_delta","index":0,"delta":null}',
    '{"type":"content_block_delta","index":"0","delta":{"type":"text_delta","text":{}}}',
    '{"type":"content_block_stop"}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":-5}}',
    '{"type":"message_stop"}',
    '{"type":"error"}',
    '{"choices":null}',
    '{"choices":[null]}',
    '{"choices":[{"delta":{"tool_calls":[{"function":null},{"index":3},{"function":{"name":"f","arguments":3}}]}}]}',
    '{"choices":[{"delta":{"content":[{"type":"thinking","thinking":"x"},null]},"finish_reason":5}]}',
    '{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1e400}}',
    '{"error":null}',
    '{"error":"no"}',
    '[DONE]',
    'null',
    '\0',
  ),
);
const wireName = fc.constantFrom<Wire>('anthropic', 'openai-chat');

function isOneOutcome({ message, error }: { message: unknown; error: string | null }): boolean {
  return (message === null) !== (error === null);
}

describe('what is no proper stream', () => {
  it('ends in a message or a typed error when it is made of any bytes', () => {
    fc.assert(
      fc.property(wireName, fc.array(fc.uint8Array()), (wire, chunks) => isOneOutcome(read(wire, chunks))),
      { numRuns: 2000 },
    );
  });

  it('ends in a message or a typed error when it is made of any events', () => {
    fc.assert(
      fc.property(wireName, fc.array(eventParts), (wire, events) =>
        isOneOutcome(readText(wire, events.map((data) => `data: ${data}\n\n`).join(''))),
      ),
      { numRuns: 5000 },
    );
  });

  it('ends in a message or a typed error when bytes of a good one are damaged, doubled or lost', () => {
    const damage = fc.record({
      stream: fc.constantFrom(...streams),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(200),
      kind: fc.constantFrom('lose', 'double', 'nul', 'garbage'),
    });
    fc.assert(
      fc.property(damage, fc.uint8Array({ maxLength: 50 }), ({ stream, at, length, kind }, garbage) => {
        const bytes = Buffer.from(stream.text);
        const start = Math.floor(at * bytes.length);
        const middle = bytes.subarray(start, start + length);
        const put = {
          lose: [],
          double: [middle, middle],
          nul: [Buffer.alloc(length), middle],
          garbage: [garbage, middle],
        };
        return isOneOutcome(
          read(stream.wire, [bytes.subarray(0, start), ...put[kind], bytes.subarray(start + length)]),
        );
      }),
      { numRuns: 5000 },
    );
  });

  it.each(streams)('is passed over where it is a line of garbage between the events of $wire', ({ wire, text }) => {
    const noisy = text.replaceAll('\n\n', '\n\n\0\0\nhello: there\n<html>\n\n');
    expect(readText(wire, noisy).message).toEqual(readText(wire, text).message);
  });

  it.each(streams)('is an event of $wire that is no JSON: bad_stream', ({ wire, text }) => {
    expect(readText(wire, `data: {"oh": no}\n\n${text}`).error).toBe('bad_stream');
  });

  it.each(streams)('is nothing at all on $wire: stream_cut', ({ wire }) => {
    expect(readText(wire, '').error).toBe('stream_cut');
  });

  it('may be an event of 4 MB, which is read', () => {
    const long = { text: 'x'.repeat(4 * 1024 * 1024) };
    const chunks = Buffer.from(openaiChatStream(long, 'm'));
    const pieces = Array.from({ length: Math.ceil(chunks.length / 16_384) }, (_, i) =>
      chunks.subarray(i * 16_384, (i + 1) * 16_384),
    );
    expect(read('openai-chat', pieces).message?.content).toEqual([{ type: 'text', text: long.text }]);
  });
});
