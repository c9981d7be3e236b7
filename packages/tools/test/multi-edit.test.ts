import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceText } from '../src/files/text/replace.ts';
import { fingerprint } from './fingerprint.ts';
import { createWorkspace } from './workspace.ts';

describe('T3: multi_edit', () => {
  it('makes its edits in order, each on what the one before left, shown as one diff', async () => {
    const { folder, plan, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\r\ntwo\r\nthree\r\n');
    await call('read', { path: 'a' });
    const edits = [
      { old: 'one', new: 'two' },
      { old: 'two\ntwo', new: 'both' },
      { old: 'e', new: 'E', all: true },
    ];
    const judged = await plan('multi_edit', { path: 'a', edits });
    expect(judged.plan.preview).toMatchObject({ added: 2, removed: 3 });
    await call('multi_edit', { path: 'a', edits });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('both\r\nthrEE\r\n');
  });

  it('makes none if one fails, and says which', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one two two\n');
    await call('read', { path: 'a' });
    const before = fingerprint(folder);
    const edits = [
      { old: 'one', new: '1' },
      { old: 'two', new: '2' },
    ];
    await expect(call('multi_edit', { path: 'a', edits })).rejects.toThrow(
      /^Edit 2 of 2: old occurs 2 times in a.*Nothing was changed\.$/,
    );
    await expect(
      call('multi_edit', {
        path: 'a',
        edits: [
          { old: 'one', new: '1' },
          { old: 'one', new: '2' },
        ],
      }),
    ).rejects.toThrow(/^Edit 2 of 2: old does not occur/);
    expect(fingerprint(folder)).toEqual(before);
  });

  it('wants the file read before, and read again after others changed it', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\n');
    const input = { path: 'a', edits: [{ old: 'one', new: 'two' }] };
    await expect(call('multi_edit', input)).rejects.toMatchObject({ code: 'not_read' });
    await call('read', { path: 'a' });
    writeFileSync(join(folder, 'a'), 'one\n\n');
    await expect(call('multi_edit', input)).rejects.toMatchObject({ code: 'stale' });
  });

  it('gives what one edit after another gives, for generated texts and edits, or leaves the file alone', async () => {
    const piece = fc.stringMatching(/^[ab\n]{0,4}$/);
    const edit = fc.record({ old: piece, new: piece, all: fc.boolean() });
    const { folder, call } = createWorkspace();
    const file = join(folder, 'a');
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[ab\n]{1,20}$/),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        async (text, edits) => {
          writeFileSync(file, text);
          await call('read', { path: 'a' });
          let expected: string | null = text;
          try {
            for (const each of edits) expected = replaceText(expected, each, 'a');
          } catch {
            expected = null;
          }
          const { mtimeNs } = statSync(file, { bigint: true });
          const done = await call('multi_edit', { path: 'a', edits }).catch(() => null);
          expect(done === null).toBe(expected === null);
          expect(readFileSync(file, 'utf8')).toBe(expected ?? text);
          if (done === null) expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeNs);
        },
      ),
      { numRuns: 150 },
    );
  });
});
