import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMatches } from '../src/search/grep-output.ts';

const text = fc.stringMatching(/^[a:\-1. /]{0,6}$/);
const line = fc.record({ isMatch: fc.boolean(), text });
const file = fc.record({
  name: fc.stringMatching(/^[ab.\n:-]{1,6}$/),
  groups: fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
});
const files = fc.uniqueArray(file, { selector: ({ name }) => name, maxLength: 5 });

describe('T3: what grep prints', () => {
  it('is read as it was meant, whatever stands in names and lines, sorted, up to so many matches', () => {
    fc.assert(
      fc.property(files, fc.integer({ min: 1, max: 20 }), (given, most) => {
        let number = 0;
        const printed = given.map(({ name, groups }) => {
          const parts = groups.map((group) =>
            group.map((each) => `./${name}\0${++number}${each.isMatch ? ':' : '-'}${each.text}\n`).join(''),
          );
          return parts.join('--\n');
        });
        const { files: read, total } = readMatches(printed.join('--\n'), most, { isCut: false });
        const isMatch = (each: { isMatch: boolean }) => each.isMatch;
        const count = (groups: readonly (readonly { isMatch: boolean }[])[]) => groups.flat().filter(isMatch).length;
        expect(total).toBe(given.reduce((sum, { groups }) => sum + count(groups), 0));
        const sorted = [...given].sort((one, other) => (one.name < other.name ? -1 : 1));
        let taken = 0;
        const expected = sorted.filter(({ groups }) => {
          const isWanted = taken < most;
          taken += count(groups);
          return isWanted;
        });
        const plain = ({ isMatch: is, text: said }: { isMatch: boolean; text: string }) => ({
          isMatch: is,
          text: said,
        });
        expect(
          read.map(({ file: name, groups }) => ({ name, groups: groups.map((group) => group.map(plain)) })),
        ).toEqual(expected.map(({ name, groups }) => ({ name, groups: groups.map((group) => group.map(plain)) })));
      }),
      { numRuns: 2000 },
    );
  });
});
