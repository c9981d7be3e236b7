import { describe, expect, it } from 'vitest';
import { statusLine } from '../../src/lines/status.ts';
import { emptyModel } from '../../src/model/model.ts';
import { createStyle } from '../../src/text/style.ts';

describe('the status line', () => {
  it('lets no name of a folder, branch, agent or model act on the terminal, also before the settings are known', () => {
    const evil = '\u001b]0;owned\u0007\u001b[2Jx';
    const standing = { folder: evil, branch: evil, session: null, hint: null };
    const place = { columns: 200, now: 0, style: createStyle(false) };
    const settings = { agent: evil, model: evil, mode: 'manual' as const };
    for (const model of [emptyModel, { ...emptyModel, settings }]) {
      const line = statusLine(model, standing, place);
      expect(line).toContain('x1b]0;owned');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
  });
});
