import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateOutput } from '../src/runtime/truncate-output.ts';

const numbered = (count: number, width = 0) =>
  Array.from({ length: count }, (_, index) => `${index + 1}${'x'.repeat(width)}\n`).join('');

describe('T2: a long output', () => {
  it('stays whole up to 600 lines and 50 000 bytes', () => {
    for (const text of ['', 'a', 'a\n', numbered(600), 'x'.repeat(50_000), `${'x\n'.repeat(599)}x`]) {
      expect(truncateOutput(text)).toMatchObject({
        content: text,
        isTruncated: false,
        details: { truncation: 'none' },
      });
    }
    expect(truncateOutput('ü\nb').details).toEqual({ outputBytes: 4, outputLines: 2, truncation: 'none' });
  });

  it('of many lines keeps the first and the last 200 and counts the rest', () => {
    const { content, isTruncated, details } = truncateOutput(numbered(1000));
    const lines = content.split('\n');
    expect(lines.slice(0, 200)).toEqual(numbered(200).trimEnd().split('\n'));
    expect(lines[200]).toBe('... [600 lines / 2400 bytes omitted] ...');
    expect(lines.slice(201, 203)).toEqual(['801', '802']);
    expect(content.endsWith('\n999\n1000\n')).toBe(true);
    expect({ isTruncated, details }).toEqual({
      isTruncated: true,
      details: { outputBytes: 3893, outputLines: 1000, truncation: 'head_tail' },
    });
  });

  it('of one giant line keeps both ends by bytes', () => {
    const { content, details } = truncateOutput(`begin${'x'.repeat(1_000_000)}end`);
    expect(content).toMatch(/^beginx+\n\.\.\. \[0 lines \/ \d+ bytes omitted\] \.\.\.\nx+end$/);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(50_000);
    expect(details.truncation).toBe('bytes');
  });

  it('of many wide lines is cut by bytes too', () => {
    const { content, details } = truncateOutput(numbered(700, 500));
    expect(details.truncation).toBe('bytes');
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(50_000);
    expect(
      content
        .split('\n')
        .filter((line) => line !== '')
        .every((line) => /^(\d+x{500}|\.\.\. .*)$/.test(line)),
    ).toBe(true);
  });

  it('that is an error stays whole up to 64 KiB', () => {
    expect(truncateOutput(numbered(5000), { isError: true }).isTruncated).toBe(false);
    const { content, isTruncated } = truncateOutput('x'.repeat(70_000), { isError: true });
    expect(isTruncated).toBe(true);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(65_536);
  });

  it('never breaks a character, exceeds its limit or loses an end', () => {
    const piece = fc.constantFrom('x', 'ü', '€', '😀', '\n', 'word '.repeat(50), '😀'.repeat(200));
    const text = fc
      .tuple(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.nat(400))
      .map(([pieces, times]) => pieces.join('').repeat(times + 1));
    fc.assert(
      fc.property(text, fc.boolean(), (whole, isError) => {
        const { content, isTruncated } = truncateOutput(whole, { isError });
        expect(content.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(content)).toBeLessThanOrEqual(isError ? 65_536 : 50_100);
        expect(whole.startsWith(content.slice(0, 100)) || !isTruncated || content.indexOf('... [') < 100).toBe(true);
        expect(whole.endsWith(content.slice(-2).trimStart())).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
