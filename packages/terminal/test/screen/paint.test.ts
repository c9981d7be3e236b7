import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, nothingPainted, type Painted, paint, unpaint } from '../../src/screen/paint.ts';
import { createEmulator } from './emulator.ts';

const size = { columns: 20, rows: 8 };

const row = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^[a-c ]{0,20}$/).map((text) => text.trimEnd()),
  fc.stringMatching(/^[a-c]{1,8}$/).map((text) => `\u001b[1m${text}\u001b[22m ${text}`),
  fc.constant('漢字と猫'),
  fc.constant('x'.repeat(50)),
);
const frame: fc.Arbitrary<Frame> = fc.record({
  frozen: fc.array(row, { maxLength: 12 }),
  live: fc.array(row, { minLength: 1, maxLength: 10 }),
  cursor: fc.constant({ row: 0, column: 0 }),
});

/** Of a frame's live rows, those that fit, cut to the width. */
const seen = (live: readonly string[], { columns, rows }: typeof size) =>
  live.slice(-(rows - 1)).map((text) => {
    const plain = stripVTControlCharacters(text);
    return plain.length > columns ? `${plain.slice(0, columns - 1)}…` : plain;
  });

describe('a frame', () => {
  it('shows the live rows below all that was frozen, each of which is written once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
        const emulator = createEmulator(size.columns, size.rows);
        await emulator.write('$ pawl\r\n');
        let painted: Painted = nothingPainted(size.columns);
        const frozen = ['$ pawl'];
        for (const next of frames) {
          const { output, painted: after } = paint(painted, next, size);
          painted = after;
          await emulator.write(output);
          for (const clearing of ['\u001b[2J', '\u001b[3J', '\u001b[H', '\u001b[?1049'])
            expect(output).not.toContain(clearing);
          for (const text of next.frozen) {
            const plain = stripVTControlCharacters(text);
            frozen.push(...(plain.length > size.columns ? (plain.match(/.{1,20}/g) ?? []) : [plain]));
          }
          const shown = emulator.all();
          while (shown.at(-1) === '') shown.pop();
          const wanted = [...frozen, ...seen(next.live, size)];
          while (wanted.at(-1) === '') wanted.pop();
          expect(shown).toEqual(wanted);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('that is the same again writes nothing', () => {
    const same: Frame = { frozen: [], live: ['a', 'b'], cursor: { row: 1, column: 1 } };
    const { painted } = paint(nothingPainted(20), same, size);
    expect(paint(painted, same, size).output).toBe('');
  });

  it('with one more word costs little more than the word', () => {
    const before: Frame = { frozen: [], live: ['The quick brown', '', '›', 'status'], cursor: { row: 2, column: 2 } };
    const { painted } = paint(nothingPainted(80), before, { columns: 80, rows: 24 });
    const { output } = paint(
      painted,
      { ...before, live: ['The quick brown fox', '', '›', 'status'] },
      { columns: 80, rows: 24 },
    );
    expect(output.length).toBeLessThan(28);
  });

  it('leaves no trace of the live rows when the terminal becomes narrower or wider', async () => {
    for (const columns of [12, 33]) {
      const emulator = createEmulator(20, 10);
      await emulator.write('$ pawl\r\n');
      const live = ['1234567890123456789', 'ab', '› draft', 'status'];
      const first = paint(
        nothingPainted(20),
        { frozen: ['frozen'], live, cursor: { row: 2, column: 7 } },
        { columns: 20, rows: 10 },
      );
      await emulator.write(first.output);
      emulator.resize(columns, 10);
      const second = paint(first.painted, { frozen: [], live, cursor: { row: 2, column: 7 } }, { columns, rows: 10 });
      await emulator.write(second.output);
      const shown = emulator.all().filter((text) => text !== '');
      expect(shown.filter((text) => text === 'status')).toHaveLength(1);
      expect(shown.filter((text) => text === '› draft')).toHaveLength(1);
      expect(shown.slice(0, 2)).toEqual(['$ pawl', 'frozen']);
      await emulator.write(unpaint(second.painted, { columns, rows: 10 }).output);
      expect(emulator.all().filter((text) => text !== '')).toEqual(['$ pawl', 'frozen']);
    }
  });
});
