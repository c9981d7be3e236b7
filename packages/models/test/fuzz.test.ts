import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasRecordings,
  type Outcome,
  read,
  readText,
  recordedStreams,
  sse,
  type Wire,
  wireNames,
  wires,
} from './streams.ts';

const answer = {
  thinking: 'Let me see.',
  text: ['Grüße ', 'an 👋 alle', '.'],
  calls: [{ tool: 'read', input: { path: 'a.txt' } }, { tool: 'list' }],
  usage: { inputTokens: 10, outputTokens: 20 },
};
const streams = wireNames.map((wire) => ({ wire, text: wires[wire].stream(answer, 'm') }));

/** Events that are nearly right, of any wire. */
const oddEvents: { readonly [wire in Wire]: readonly string[] } = {
  anthropic: [
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
  ],
  'openai-chat': [
    '{"choices":null}',
    '{"choices":[null]}',
    '{"choices":[{"delta":{"tool_calls":[{"function":null},{"index":3},{"function":{"name":"f","arguments":3}}]}}]}',
    '{"choices":[{"delta":{"content":[{"type":"thinking","thinking":"x"},null]},"finish_reason":5}]}',
    '{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":1e400}}',
    '{"error":null}',
    '{"error":"no"}',
    '[DONE]',
  ],
  'openai-responses': [
    '{"type":"response.created"}',
    '{"type":"response.output_item.added","output_index":0}',
    '{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","summary":5}}',
    '{"type":"response.output_item.added","output_index":"0","item":{"type":"function_call","name":[]}}',
    '{"type":"response.output_item.added","item":{"type":"function_call","name":"parallel"}}',
    '{"type":"response.output_item.added","output_index":1,"item":{"type":"web_search_call"}}',
    '{"type":"response.function_call_arguments.delta","output_index":0,"delta":{}}',
    '{"type":"response.function_call_arguments.done","arguments":[{"tool_uses":null}]}',
    '{"type":"response.output_text.delta","output_index":1,"delta":"x"}',
    '{"type":"response.reasoning_summary_text.delta","summary_index":-1,"delta":"x"}',
    '{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[null],"content":{}}}',
    '{"type":"response.output_item.done","item":{"type":"message","content":[{"text":1},{"refusal":"no"}]}}',
    '{"type":"response.completed"}',
    '{"type":"response.completed","response":{"output":[null,{"type":"function_call"}],"usage":{"input_tokens":-1}}',
    '{"type":"response.incomplete","response":{"incomplete_details":"max"}}',
    '{"type":"response.failed"}',
  ],
  google: [
    '{"candidates":null}',
    '{"candidates":[{"content":{"parts":[null,5,{"text":5},{"text":"x"}]}}]}',
    '{"candidates":[{"content":{"parts":[{"text":"x","thought":true},{"text":"","thoughtSignature":"s"}]}}]}',
    '{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":[]},{"functionCall":null}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"},"thoughtSignature":"s"}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":"{"}},{"functionCall":{"name":"g","args":[]}}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a.b[0]","stringValue":"x","willContinue":true}],"willContinue":true}}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a[4294967295]","boolValue":true},null,{"jsonPath":"$"}]}}]}}]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}',
    '{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":-1,"candidatesTokenCount":1e400}}',
    '{"candidates":[{"finishReason":"MAX_TOKENS"}]}',
    '{"candidates":[{"finishReason":"SAFETY","content":null}]}',
    '{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(default_api.f(x"}]}',
    '{"candidates":[{"finishReason":"UNEXPECTED_TOOL_CALL"}]}',
    '{"promptFeedback":{"blockReason":"OTHER"}}',
    '{"error":{"code":"x","status":"UNAVAILABLE"}}',
  ],
};
const eventParts = fc.oneof(
  fc.json(),
  fc.string(),
  fc.constantFrom(...wireNames.flatMap((wire) => oddEvents[wire]), 'null', '\0'),
);
const wireName = fc.constantFrom(...wireNames);

function isOneOutcome({ message, error }: Outcome): boolean {
  return (message === null) !== (error === null);
}

/** Bytes with some of them lost, doubled, or with something before them. */
function damaged(
  bytes: Buffer,
  kind: Damage['kind'],
  start: number,
  length: number,
  garbage: Uint8Array,
): Uint8Array[] {
  const middle = bytes.subarray(start, start + length);
  const put = { lose: [], double: [middle, middle], nul: [Buffer.alloc(length), middle], garbage: [garbage, middle] };
  return [bytes.subarray(0, start), ...put[kind], bytes.subarray(start + length)];
}

type Damage = { at: number; length: number; kind: 'lose' | 'double' | 'nul' | 'garbage' };
const damage = fc.record<Damage>({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(200),
  kind: fc.constantFrom('lose', 'double', 'nul', 'garbage'),
});

describe('what is no proper stream', () => {
  it('ends in a message or a typed error when it is made of any bytes', () => {
    fc.assert(
      fc.property(wireName, fc.array(fc.uint8Array()), (wire, chunks) => isOneOutcome(read(wire, chunks))),
      { numRuns: 2000 },
    );
  });

  it('ends in a message or a typed error when it is made of any events', () => {
    fc.assert(
      fc.property(wireName, fc.array(eventParts), (wire, events) => isOneOutcome(readText(wire, sse(events)))),
      { numRuns: 6000 },
    );
  });

  it.each(wireNames)('ends in a message or a typed error when it is made of odd events of %s in any order', (wire) => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...oddEvents[wire]), { maxLength: 30 }), (events) =>
        isOneOutcome(readText(wire, sse(events))),
      ),
      { numRuns: 1500 },
    );
  });

  it.each(streams)(
    'ends in a message or a typed error when bytes of a good one of $wire are damaged, doubled or lost',
    ({ wire, text }) => {
      const bytes = Buffer.from(text);
      fc.assert(
        fc.property(damage, fc.uint8Array({ maxLength: 50 }), ({ at, length, kind }, garbage) =>
          isOneOutcome(read(wire, damaged(bytes, kind, Math.floor(at * bytes.length), length, garbage))),
        ),
        { numRuns: 2000 },
      );
    },
  );

  it.skipIf(!hasRecordings).each(wireNames)(
    'ends in a message or a typed error when one that %s sent is damaged or its events are shuffled',
    (wire) => {
      const recordings = recordedStreams(wire);
      const shuffled = fc.constantFrom(...recordings).chain(({ events }) =>
        // A few events lost, doubled or out of place.
        fc
          .array(fc.tuple(fc.nat(events.length - 1), fc.nat(events.length), fc.nat(1)), { minLength: 1, maxLength: 5 })
          .map((moves) => {
            const all = [...events];
            for (const [from, to, removed] of moves)
              all.splice(to, 0, ...all.splice(from, removed), events[from] ?? '');
            return all;
          }),
      );
      fc.assert(
        fc.property(shuffled, damage, fc.uint8Array({ maxLength: 50 }), (events, { at, length, kind }, garbage) => {
          const bytes = Buffer.from(sse(events));
          return (
            isOneOutcome(readText(wire, sse(events))) &&
            isOneOutcome(read(wire, damaged(bytes, kind, Math.floor(at * bytes.length), length, garbage)))
          );
        }),
        { numRuns: 150 },
      );
    },
  );

  it.each(streams)('is passed over where it is a line of garbage between the events of $wire', ({ wire, text }) => {
    const noisy = text.replaceAll('\n\n', '\n\n\0\0\nhello: there\n<html>\n\n');
    expect(readText(wire, noisy).message).toEqual(readText(wire, text).message);
  });

  it.each(streams)('is passed over where it is an event of $wire that nobody knows', ({ wire, text }) => {
    const noisy = text.replaceAll('\n\n', '\n\ndata: {"type":"keepalive","sequence_number":7,"x":[null]}\n\n');
    expect(readText(wire, noisy).message).toEqual(readText(wire, text).message);
  });

  it.each(streams)('is an event of $wire that is no JSON: bad_stream', ({ wire, text }) => {
    expect(readText(wire, `data: {"oh": no}\n\n${text}`).error).toBe('bad_stream');
  });

  it.each(streams)('is nothing at all on $wire: stream_cut', ({ wire }) => {
    expect(readText(wire, '').error).toBe('stream_cut');
  });

  it.each(wireNames)('may be an event of %s of 4 MB, which is read', (wire) => {
    const long = { text: 'x'.repeat(4 * 1024 * 1024) };
    const bytes = Buffer.from(wires[wire].stream(long, 'm'));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 16_384) }, (_, i) =>
      bytes.subarray(i * 16_384, (i + 1) * 16_384),
    );
    expect(read(wire, pieces).message?.content).toEqual([{ type: 'text', text: long.text }]);
  });
});
