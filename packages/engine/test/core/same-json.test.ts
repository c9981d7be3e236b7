import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, isSameJson } from '../../src/core/index.ts';

test('two values are the same JSON exactly when their canonical texts are', () => {
  const values = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(values, values, (left, right) => {
      expect(isSameJson(left, right)).toBe(canonicalJson(left) === canonicalJson(right));
      expect(isSameJson(left, JSON.parse(JSON.stringify(left)))).toBe(true);
    }),
  );
});

test('the order of keys and keys without a value make no other JSON', () => {
  expect(isSameJson({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2, d: undefined }], a: 1 })).toBe(true);
  expect(isSameJson({ a: null }, {})).toBe(false);
  expect(isSameJson({ a: undefined }, { b: undefined })).toBe(true);
  expect(isSameJson([1, 2], [1])).toBe(false);
  expect(isSameJson([], {})).toBe(false);
  expect(isSameJson(undefined, null)).toBe(true);
});
