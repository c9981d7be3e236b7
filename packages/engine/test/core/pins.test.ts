/** What is kept of what persons say, and how text is fitted into a budget. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceToBudget } from '../../src/core/compaction/slice.ts';
import { tokensOfText, usableTokens } from '../../src/core/compaction/window.ts';
import { isStanding, pinOf, pinsWithinLimit, shortenMiddle } from '../../src/core/pins/pins.ts';

describe('X3: corrections', () => {
  it.each([
    'Never touch legacy.ts.',
    'Please always run the tests first',
    "don't use jest",
    'From now on answer in French.',
    'No, the other file.',
    'Use pnpm instead of npm.',
    'Leave the migrations alone.',
    'Make sure that it still builds.',
    'Fass die Datei nie an.',
    'Bitte nicht committen.',
    'Ne touche pas à ce fichier.',
    'Nunca uses var.',
    '不要改这个文件',
  ])('are what reads as an instruction that stands: %s', (text) => expect(isStanding(text)).toBe(true));

  it.each([
    'Fix the failing test.',
    'What does this function return?',
    'Add a button to the page.',
    'Thanks!',
    'Go on.',
  ])('are not what is plainly a request: %s', (text) => expect(isStanding(text)).toBe(false));

  it('are kept whole when they steer a turn, and of a long input the lines that instruct', () => {
    const said = (text: string, isSteering = false) => pinOf({ task: 'Paint.' }, { source: 'input', text, isSteering });
    expect(said('Roses.', true)).toEqual({ text: 'Roses.', isCorrection: true });
    expect(said('Roses.')).toEqual({ text: 'Roses.', isCorrection: false });
    const long = `${'Some log line.\n'.repeat(200)}Never paint it red.\n${'More.\n'.repeat(50)}`;
    expect(said(long)).toEqual({ text: 'Never paint it red.', isCorrection: true });
  });

  it('are never dropped: plain inputs go first, then the longest are shortened', () => {
    const inputs = fc.array(fc.record({ length: fc.integer({ min: 1, max: 9000 }), isCorrection: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(inputs, (given) => {
        const pins = given.map(({ length, isCorrection }, seq) => ({
          seq,
          text: `${seq}:${'x'.repeat(length)}`,
          isCorrection,
        }));
        const kept = pinsWithinLimit(pins);
        for (const { seq, isCorrection } of pins)
          if (isCorrection) expect(kept.some((pin) => pin.seq === seq)).toBe(true);
        expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(40_000);
      }),
      { seed: 3, numRuns: 200 },
    );
  });
});

describe('X1: slicing to a budget', () => {
  const entries = fc.array(fc.record({ text: fc.string({ maxLength: 2000 }), isPreserved: fc.boolean() }), {
    maxLength: 12,
  });
  const regions = fc
    .array(entries, { maxLength: 6 })
    .map((all) => all.map((of, priority) => ({ name: `r${priority}`, priority, entries: of })));

  it('stays within it unless what is preserved is too much even when shortened, and drops nothing that is preserved', () => {
    fc.assert(
      fc.property(regions, fc.integer({ min: 0, max: 4000 }), (given, budget) => {
        const { regions: kept } = sliceToBudget(given, budget);
        const all = kept.flatMap((region) => region.entries);
        const preserved = given.flatMap((region) => region.entries).filter(({ isPreserved }) => isPreserved);
        expect(all.filter(({ isPreserved }) => isPreserved)).toHaveLength(preserved.length);
        const tokens = all.reduce((sum, { text }) => sum + tokensOfText(text), 0);
        const isShort = all.every(({ text, isPreserved }) => isPreserved === true && text.length <= 400);
        expect(tokens <= budget || isShort).toBe(true);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('lets what matters least go first, the oldest of it before the others', () => {
    const { regions: kept, dropped } = sliceToBudget(
      [
        { name: 'inputs', priority: 1, entries: [{ text: 'a'.repeat(400) }, { text: 'b'.repeat(400) }] },
        { name: 'files', priority: 2, entries: [{ text: 'c'.repeat(400) }] },
      ],
      200,
    );
    expect(kept.map((region) => region.entries.map(({ text }) => text[0]))).toEqual([['b'], ['c']]);
    expect(dropped.get('inputs')).toBe(1);
  });

  it('shortens to both ends, and never beyond what it is told', () => {
    expect(shortenMiddle('abcdefghijklmnop', 12)).toBe('abc […] nop');
    expect(shortenMiddle('short', 12)).toBe('short');
  });
});

describe('X1: head-room', () => {
  it.each([
    [{ contextTokens: 200_000, outputTokens: 64_000 }, 126_000],
    [{ contextTokens: 1_000_000, outputTokens: 64_000 }, 886_000],
    [{ contextTokens: 40_000, outputTokens: 6000 }, 30_000],
    [{ contextTokens: 128_000, outputTokens: 128_000 }, 51_200],
    [{ contextTokens: 8192, outputTokens: 4096 }, 3277],
  ])('is the larger of 5 % and 4000 tokens, beside the answer: %o', (info, usable) =>
    expect(usableTokens({ ...info, isPriceKnown: true })).toBe(usable),
  );
});
