import { describe, expect, it } from 'vitest';
import { textWidth } from '../src/text/width.ts';
import { wrapTable, wrapText } from '../src/text/wrap.ts';

describe('plain text in rows', () => {
  it('breaks between words, within one that is too wide, and never between a key and what it does', () => {
    expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapText('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrapText('y once · x\u00a0stop', 10)).toEqual(['y once ·', 'x\u00a0stop']);
    for (const row of wrapText('漢字漢字 漢字漢字漢字', 5)) expect(textWidth(row)).toBeLessThanOrEqual(5);
  });

  it('goes on below what a name means, or a little in where the name is wide', () => {
    expect(wrapTable('  Esc  cancel the turn', 16)).toEqual(['  Esc  cancel', '       the turn']);
    expect(wrapTable('  Shift-Tab  the next mode', 18)).toEqual(['  Shift-Tab  the', '      next mode']);
  });
});
