import { applyPatch, structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDelta, deltaOf } from '../src/files/delta.ts';
import { structuredDiff } from '../src/files/diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', '', 'c d', '}'), { maxLength: 30 });
const text = fc
  .tuple(lines, fc.boolean())
  .map(([all, isEnded]) => all.join('\n') + (isEnded && all.length > 0 ? '\n' : ''));
/** Texts that have most in common, as before and behind an edit. */
const pair = fc.oneof(
  fc.tuple(text, text),
  fc.tuple(text, text, text, text).map(([head, one, other, tail]) => [head + one + tail, head + other + tail] as const),
);

describe('T3: the diff of a preview', () => {
  it('turns the one text into the other, with the numbers of the whole and no more lines than a diff of all has', async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([old, fresh]) => {
        const patch = await structuredDiff(['x', 'x'], [old, fresh]);
        if (patch === null) throw new Error('no diff');
        // Numbers that are wrong would be found wrong: nothing may be looked for elsewhere.
        expect(applyPatch(old, patch, { fuzzFactor: 0 })).toBe(fresh);
        const whole = structuredPatch('x', 'x', old, fresh, undefined, undefined, { context: 3 });
        const all = old.split('\n');
        for (const { oldStart, lines: shown } of patch.hunks) {
          const before = shown.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1));
          const at = before.length === 0 ? oldStart : oldStart - 1;
          expect(all.slice(at, at + before.length)).toEqual(before);
        }
        const count = ({ hunks }: typeof patch, mark: string) =>
          hunks.flatMap((hunk) => hunk.lines).filter((line) => line.startsWith(mark)).length;
        for (const mark of ['+', '-']) expect(count(patch, mark)).toBeLessThanOrEqual(count(whole, mark));
      }),
      { numRuns: 2000 },
    );
  });

  it('of one line in a large file costs what the line does', async () => {
    const old = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('');
    const fresh = old.replace('line 70000\n', 'changed\n');
    const patch = await structuredDiff(['x', 'x'], [old, fresh]);
    expect(patch?.hunks).toHaveLength(1);
    expect(patch?.hunks[0]).toMatchObject({ oldStart: 69_998, oldLines: 7, newStart: 69_998, newLines: 7 });
  });
});

describe('T3: what is kept for undo', () => {
  it('leads from either content to the other, and from no third', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.uint8Array(), fc.uint8Array(), (head, one, other, tail) => {
        const before = Buffer.concat([head, one, tail]);
        const after = Buffer.concat([head, other, tail]);
        const delta = deltaOf(before, after);
        expect(delta.length).toBeLessThanOrEqual(one.length + other.length + 60);
        expect(applyDelta(delta, after, 'undo')).toEqual(before);
        expect(applyDelta(delta, before, 'redo')).toEqual(after);
      }),
    );
    expect(applyDelta(deltaOf(Buffer.from('one'), Buffer.from('two')), Buffer.from('six'), 'undo')).toBeNull();
    expect(applyDelta(Buffer.from('no delta'), Buffer.from('six'), 'undo')).toBeNull();
  });
});
