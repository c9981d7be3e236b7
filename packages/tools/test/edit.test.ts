import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText } from '../src/files/encodings.ts';
import { replaceText } from '../src/files/text/replace.ts';
import { createWorkspace } from './workspace.ts';

const messageOf = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (error) {
    return String(error);
  }
  return 'no error';
};

describe('T3: edit', () => {
  it('replaces one text and nothing else', async () => {
    const { folder, plan, call } = createWorkspace();
    writeFileSync(join(folder, 'a.ts'), 'const a = 1\nconst b = 2\n');
    chmodSync(join(folder, 'a.ts'), 0o640);
    await call('read', { path: 'a.ts' });
    const input = { path: 'a.ts', old: 'b = 2', new: 'b = 3' };
    expect((await plan('edit', input)).plan.preview).toMatchObject({ kind: 'diff', added: 1, removed: 1 });
    const outcome = await call('edit', input);
    expect(outcome.content).toBe('Changed a.ts (+1 -1 lines).');
    expect(outcome.details?.diff).toContain('-const b = 2\n+const b = 3');
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe('const a = 1\nconst b = 3\n');
    expect(statSync(join(folder, 'a.ts')).mode & 0o777).toBe(0o640);
  });

  it('can go on editing what it edited, and what was written, without reading it again', async () => {
    const { folder, call } = createWorkspace();
    await call('write', { path: 'a', content: 'one two' });
    await call('edit', { path: 'a', old: 'one', new: '1' });
    await call('edit', { path: 'a', old: 'two', new: '2' });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('1 2');
  });

  it('wants a file read first, and again after others changed it', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one');
    const edit = () => call('edit', { path: 'a', old: 'one', new: 'two' });
    await expect(edit()).rejects.toMatchObject({ code: 'not_read' });
    await call('read', { path: 'a' });
    writeFileSync(join(folder, 'a'), 'one more');
    await expect(edit()).rejects.toMatchObject({ code: 'stale' });
    await call('read', { path: 'a' });
    await edit();
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('two more');
  });

  it.each([
    ['CRLF', Buffer.from('a\r\nb\r\nc\r\n'), Buffer.from('a\r\nx\r\ny\r\nc\r\n')],
    ['a byte order mark', Buffer.from('\ufeffa\nb\nc\n'), Buffer.from('\ufeffa\nx\ny\nc\n')],
    ['UTF-16 LE', Buffer.from('\ufeffa\nb\nc\n', 'utf16le'), Buffer.from('\ufeffa\nx\ny\nc\n', 'utf16le')],
    [
      'UTF-16 BE',
      Buffer.from('\ufeffa\r\nb\r\nc\r\n', 'utf16le').swap16(),
      Buffer.from('\ufeffa\r\nx\r\ny\r\nc\r\n', 'utf16le').swap16(),
    ],
    ['mixed line ends', Buffer.from('a\nb\nc\r\n\r'), Buffer.from('a\nx\ny\nc\r\n\r')],
    ['lone CR', Buffer.from('a\rb\rc\r'), Buffer.from('a\rx\ry\rc\r')],
    ['tabs and blanks at line ends', Buffer.from('\ta \nb\n \t\n'), Buffer.from('\ta \nx\ny\n \t\n')],
    ['no last line end', Buffer.from('a\nb'), Buffer.from('a\nx\ny')],
  ])('keeps %s', async (_, before, after) => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), before);
    await call('read', { path: 'a' });
    await call('edit', { path: 'a', old: 'b', new: 'x\ny' });
    expect(readFileSync(join(folder, 'a'))).toEqual(after);
  });

  it('refuses bytes that it could not give back, and leaves them', async () => {
    const { folder, call } = createWorkspace();
    for (const bytes of [
      Buffer.from('caf\xe9 one', 'latin1'),
      Buffer.from([0, 1, 2, 0x6f, 0x6e, 0x65]),
      Buffer.from([0xff, 0xfe, 0x61]),
    ]) {
      writeFileSync(join(folder, 'a'), bytes);
      await expect(call('edit', { path: 'a', old: 'one', new: 'two' })).rejects.toMatchObject({ code: 'not_text' });
      expect(readFileSync(join(folder, 'a'))).toEqual(bytes);
    }
    await expect(call('edit', { path: 'none', old: 'a', new: 'b' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('T3: a text to replace', () => {
  const text = 'function one() {\n\treturn 1\n}\n\nfunction two() {\n\treturn 2\n}\n';
  const fail = (replacement: { old: string; new: string }) =>
    messageOf(Promise.resolve().then(() => replaceText(text, replacement, 'a.ts')));

  it('that is missing is answered with what is nearest', async () => {
    expect(await fail({ old: '  return 1', new: 'x' })).toContain(
      'Line 2 differs only in white space. Line 2 really is "\\treturn 1"',
    );
    expect(await fail({ old: 'function two(): void {', new: 'x' })).toContain('nearest is line 5: "function two() {"');
    expect(await fail({ old: '     2\t\treturn 1', new: 'x' })).toContain('begins with a line number');
    expect(await fail({ old: 'zzzzqqqq', new: 'x' })).toContain('Nothing in it is similar');
    expect(await fail({ old: '', new: 'x' })).toContain('old is empty');
    expect(await fail({ old: 'return 1', new: 'return 1' })).toContain('nothing would change');
  });

  it('that is nearly there is answered with what it differs in', async () => {
    const indented = 'if (a) {\n    go()\n}\nconst name = \u201cJos\u00e9\u201d;\ntrailing  \n';
    const near = (old: string, put = 'x') =>
      messageOf(Promise.resolve().then(() => replaceText(indented, { old, new: put }, 'a.ts')));
    expect(await near('if (a) {\n\tgo()\n}')).toContain(
      'Line 1 differs only in white space. Line 2 really is "    go()". It is indented with 4 spaces; old has one tab.',
    );
    expect(await near('trailing\n}')).not.toContain('white space');
    expect(await near('go()\n}\nconst name = "Jos\u00e9";')).toContain('differs only in typographic characters');
    expect(await near('const name = \u201cJose\u0301\u201d;')).toContain('differs only in typographic characters');
    expect(await near('IF (A) {')).toContain('differs only in upper and lower case');
    expect(await near('go()\\n}')).toContain('written out where the file has the characters themselves');
    expect(await near('stop()', 'go()')).toContain('new stands on line 2 already');
    const block = await near('if (a) {\n    gone(1)\n}\nconst name = 1;');
    expect(block).toContain('The nearest place has 2 of its 4 lines.');
    expect(block).toContain('The first line of old that differs is "    gone(1)".');
    expect(block).toContain('\n1\tif (a) {\n2\t    go()\n3\t}\n');
  });

  it('changes only what differs, so that mixed line ends around it stay', () => {
    const mixed = 'a\r\nb\nc\r\nd\n';
    expect(replaceText(mixed, { old: 'a\nb\nc\nd', new: 'a\nB\nc\nd' }, 'a')).toBe('a\r\nB\nc\r\nd\n');
  });

  it('that occurs more than once is answered with how often and where, and replaced everywhere on demand', async () => {
    expect(await fail({ old: 'return', new: 'yield' })).toContain('occurs 2 times in a.ts, on lines 2, 6');
    expect(replaceText(text, { old: 'return', new: 'yield', all: true }, 'a.ts')).toBe(
      text.replaceAll('return', 'yield'),
    );
    expect(replaceText(text, { old: 'return 1', new: '$& $1 $$' }, 'a.ts')).toContain('\t$& $1 $$\n');
  });

  it('is found across line ends of either kind, and everything around it stays byte for byte', () => {
    const piece = fc.stringMatching(/^[ab\n]{0,8}$/);
    fc.assert(
      fc.property(piece, piece, piece, fc.constantFrom('\n', '\r\n'), (before, after, put, end) => {
        const original = `${before}<\n>${after}`.replaceAll('\n', end);
        const expected = `${before}${put}${after}`.replaceAll('\n', end);
        expect(replaceText(original, { old: '<\n>', new: put }, 'a')).toBe(expected);
        expect(replaceText(original, { old: '<\r\n>', new: put }, 'a')).toBe(expected);
      }),
    );
  });

  it('and any text at all survives decoding and encoding', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed()),
        fc.constantFrom('utf8_bom', 'utf16le', 'utf16be'),
        (value, encoding) => {
          expect(decodeText(encodeText({ text: value, encoding }))).toEqual({ text: value, encoding });
        },
      ),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const decoded = decodeText(bytes);
        if (decoded !== null && decoded.encoding === 'utf8') expect(encodeText(decoded)).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
