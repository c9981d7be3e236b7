import { joinParts } from '@pawl/terminal/text/width';
import { describe, expect, it } from 'vitest';

const style = { dim: (text: string) => text };

describe('parts in a row', () => {
  it('begin a new row where the next part does not fit, and are never cut', () => {
    const parts = ['y once', 's session', 'p project', 'u always', 'n deny', 'e edit'];
    expect(joinParts(parts, 40, style)).toBe('y once · s session · p project\nu always · n deny · e edit');
    expect(joinParts(parts, 100, style)).toBe(parts.join(' · '));
    expect(joinParts(parts, 3, style)).toBe(parts.join('\n'));
  });

  it('are measured without their formats', () => {
    const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
    expect(joinParts([bold('once'), bold('deny')], 12, style)).toBe(`${bold('once')} · ${bold('deny')}`);
  });
});
