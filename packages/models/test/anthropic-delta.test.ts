import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainDelta } from '../src/wires/anthropic/delta.ts';

const deltaOf = (index: number, text: string) =>
  JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });

describe('the short way to read a delta of Anthropic', () => {
  it('reads a plain text, whatever space the API leaves before the end', () => {
    const expected = { index: 3, delta: { type: 'text_delta', text: ' wörd 🙂' } };
    expect(readPlainDelta(deltaOf(3, ' wörd 🙂'))).toEqual(expected);
    expect(readPlainDelta(deltaOf(3, ' wörd 🙂').replace(/\}$/, '     }'))).toEqual(expected);
  });

  it('says the same as parsing the whole, or nothing', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('"', '\\', '\n', '\u2028', '"}}'),
    );
    const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.nat({ max: 20_000 }), text, (index, said) => {
        const data = deltaOf(index, said);
        const { type: _, ...parsed } = JSON.parse(data);
        expect([null, parsed]).toContainEqual(readPlainDelta(data));
      }),
    );
  });

  it.each([
    ['an escaped text', deltaOf(0, 'a "b"')],
    [
      'the arguments of a call',
      '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1"}}',
    ],
    [
      'a field that it does not know',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","x":1}}',
    ],
    ['a character that JSON does not allow', deltaOf(0, 'a-b').replace('-', '\t')],
    ['a number that JSON does not allow', deltaOf(7, 'a').replace('7', '07')],
    ['half of an event', deltaOf(0, 'word').slice(0, -1)],
  ])('leaves %s to the long way', (_, data) => {
    expect(readPlainDelta(data)).toBeNull();
  });
});
