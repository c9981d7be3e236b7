import type { JsonObject } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../src/wires/fields.ts';
import { createArguments } from '../src/wires/google/arguments.ts';

/** What pieces come to: the text as it was streamed, and the input. */
function put(...pieces: Fields[]) {
  const input = createArguments();
  const streamed = pieces.map((piece) => input.add([piece])).join('');
  const { rest, whole } = input.finish();
  return { streamed: streamed + rest, whole };
}

/** Pieces of a value, its strings cut in two, as the provider sends them. */
function piecesOf(value: unknown, path: string): Fields[] {
  if (typeof value === 'string') {
    const half = Math.ceil(value.length / 2);
    return [
      { jsonPath: path, stringValue: value.slice(0, half), willContinue: true },
      { jsonPath: path, stringValue: value.slice(half) },
    ];
  }
  if (typeof value === 'number') return [{ jsonPath: path, numberValue: value }];
  if (typeof value === 'boolean') return [{ jsonPath: path, boolValue: value }];
  if (value === null) return [{ jsonPath: path, nullValue: 'NULL_VALUE' }];
  if (Array.isArray(value)) {
    const inner = value.flatMap((entry, index) => piecesOf(entry, `${path}[${index}]`));
    return [...inner, { jsonPath: `${path}[]` }];
  }
  const entries = Object.entries(value as object);
  if (entries.length === 0) return [{ jsonPath: path }];
  return entries.flatMap(([key, entry]) => piecesOf(entry, `${path}['${key}']`));
}

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z0-9_$. ]{1,5}$/), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('M1: an input that comes in pieces', () => {
  it('is put together whatever it is, and its text is its JSON', () => {
    const inputs = fc.dictionary(fc.stringMatching(/^[a-z_]{1,6}$/), values, { minKeys: 1, maxKeys: 4 });
    fc.assert(
      fc.property(inputs, (input) => {
        const { streamed, whole } = put(
          ...Object.entries(input).flatMap(([key, value]) => piecesOf(value, `$.${key}`)),
        );
        expect(JSON.parse(whole)).toEqual(JSON.parse(JSON.stringify(input)));
        // A number as a key is sorted first, and half a character is written as an escape: then only the whole counts.
        if (
          JSON.stringify(JSON.parse(whole)) === JSON.stringify(input) &&
          !/\\ud|[\ud800-\udfff]/.test(JSON.stringify(input))
        ) {
          expect(JSON.parse(streamed)).toEqual(JSON.parse(whole));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is streamed as text that grows', () => {
    const input = createArguments();
    expect(input.add([{ jsonPath: '$.path', stringValue: 'a.', willContinue: true }])).toBe('{"path":"a.');
    expect(input.add([{ jsonPath: '$.path', stringValue: 't"xt', willContinue: true }])).toBe('t\\"xt');
    expect(input.add([{ jsonPath: '$.path', stringValue: '' }])).toBe('"');
    expect(input.add([{ jsonPath: '$.lines[0].from', numberValue: 1 }])).toBe(',"lines":[{"from":1');
    expect(input.add([{ jsonPath: '$.lines[1].from', numberValue: 2 }])).toBe('},{"from":2');
    expect(input.add([{ jsonPath: '$.all', boolValue: false }])).toBe('}],"all":false');
    expect(input.finish()).toEqual({
      rest: '}',
      whole: '{"path":"a.t\\"xt","lines":[{"from":1},{"from":2}],"all":false}',
    });
  });

  it('may come out of order: then the whole is right', () => {
    const { whole } = put(
      { jsonPath: '$.a.x', numberValue: 1 },
      { jsonPath: '$.b', numberValue: 2 },
      { jsonPath: '$.a.y', stringValue: 'z' },
      { jsonPath: '$.b', numberValue: 3 },
    );
    expect(JSON.parse(whole)).toEqual({ a: { x: 1, y: 'z' }, b: 3 });
  });

  it('may be empty', () => {
    expect(put()).toEqual({ streamed: '{}', whole: '{}' });
    expect(put({ jsonPath: '$.a' }, { jsonPath: '$.b[]' })).toMatchObject({ whole: '{"a":{},"b":[]}' });
  });

  it.each([
    ['an index far out', { jsonPath: '$.a[7]', numberValue: 1 }],
    ['a member of a text', { jsonPath: '$.text.inner', numberValue: 1 }],
    ['a name in a list', { jsonPath: '$.list.name', numberValue: 1 }],
    ['no path', { jsonPath: '$', numberValue: 1 }],
    ['a path that is none', { jsonPath: '$.a[x', numberValue: 1 }],
    ['a path without end', { jsonPath: `$${'.a'.repeat(500)}`, numberValue: 1 }],
  ])('is no input at all where it has %s', (_what, piece) => {
    const { whole } = put({ jsonPath: '$.text', stringValue: 't' }, { jsonPath: '$.list[0]', numberValue: 1 }, piece);
    expect(() => JSON.parse(whole) as JsonObject).toThrow();
  });

  it('is no input at all where nothing of it made sense', () => {
    expect(put({ jsonPath: '', numberValue: 1 }).whole).toBe('{');
  });

  it('changes nothing but itself, whatever its keys are called', () => {
    const { whole } = put({ jsonPath: '$.__proto__.polluted', boolValue: true });
    expect(whole).toBe('{"__proto__":{"polluted":true}}');
    expect('polluted' in {}).toBe(false);
  });

  it('costs no more the longer it gets', () => {
    const input = createArguments();
    for (let piece = 0; piece < 200_000; piece++) {
      input.add([{ jsonPath: '$.content', stringValue: 'some words ', willContinue: true }]);
    }
    expect(input.finish().whole).toHaveLength('{"content":""}'.length + 200_000 * 11);
  });
});
