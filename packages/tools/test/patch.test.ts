import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHunks } from '../src/files/patch/hunks.ts';
import { parsePatch } from '../src/files/patch/parse.ts';
import { fingerprint } from './fingerprint.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

const envelope = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('T3: patch, in the form without line numbers', () => {
  it('changes, adds, deletes and moves files in one go, after showing all of it', async () => {
    const { folder, plan, call } = createWorkspace();
    writeFileSync(join(folder, 'a.ts'), 'function a() {\n  return 1\n}\n');
    writeFileSync(join(folder, 'b.ts'), 'one\ntwo\n');
    chmodSync(join(folder, 'b.ts'), 0o750);
    writeFileSync(join(folder, 'c.ts'), 'gone\n');
    const patch = envelope(
      '*** Update File: a.ts',
      '@@ function a() {',
      '-  return 1',
      '+  return 2',
      '*** Update File: b.ts',
      '*** Move to: lib/b.ts',
      '@@',
      ' one',
      '-two',
      '+2',
      '*** Add File: new/d.ts',
      '+first',
      '+',
      '+last',
      '*** Delete File: c.ts',
    );
    const judged = await plan('patch', { patch });
    expect(judged.paths).toEqual(['a.ts', 'b.ts', 'lib/b.ts', 'new/d.ts', 'c.ts'].map((name) => join(folder, name)));
    expect(judged.plan.preview).toMatchObject({ kind: 'diff', added: 5, removed: 3, createdFiles: ['new/d.ts'] });
    expect(judged.plan.preview?.text).toContain('--- b.ts\n+++ lib/b.ts');
    expect(existsSync(join(folder, 'lib'))).toBe(false);
    const outcome = await call('patch', { patch });
    expect(outcome.content).toBe('Changed a.ts, moved b.ts to lib/b.ts, created new/d.ts, deleted c.ts (+5 -3 lines).');
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe('function a() {\n  return 2\n}\n');
    expect(readFileSync(join(folder, 'lib/b.ts'), 'utf8')).toBe('one\n2\n');
    expect(statSync(join(folder, 'lib/b.ts')).mode & 0o777).toBe(0o750);
    expect(readFileSync(join(folder, 'new/d.ts'), 'utf8')).toBe('first\n\nlast\n');
    expect(existsSync(join(folder, 'b.ts'))).toBe(false);
    expect(existsSync(join(folder, 'c.ts'))).toBe(false);
  });

  it('can go on editing what it patched, and is refused on a file that changed since it was read', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\n');
    const patch = envelope('*** Update File: a', '-one', '+two');
    await call('patch', { patch });
    await call('edit', { path: 'a', old: 'two', new: 'three' });
    writeFileSync(join(folder, 'a'), 'one\n');
    await expect(call('patch', { patch })).rejects.toMatchObject({ code: 'stale' });
  });

  it.each([
    ['does not fit', ['*** Update File: a', '-missing line', '+x'], /does not fit/],
    ['fits twice', ['*** Update File: a', '-same', '+x'], /fits at 2 places, on lines 2, 4/],
    [
      'has an anchor that is nowhere',
      ['*** Update File: a', '@@ class None', '-same', '+x'],
      /begins with "@@ class None"/,
    ],
    ['updates what is not there', ['*** Update File: none', '-a', '+b'], /none does not exist/],
    ['adds what is there', ['*** Add File: a', '+x'], /a exists already/],
    ['moves onto what is there', ['*** Update File: a', '*** Move to: b'], /b exists already/],
    ['deletes what is not there', ['*** Delete File: none'], /none does not exist/],
    ['is out of order', ['*** Update File: a', '@@', '-last', '+x', '@@', '-first', '+y'], /order of the file/],
    ['names no file', ['*** Update File: ', '-a', '+b'], /path is missing/],
    ['has a line of no kind', ['*** Update File: a', '@@', 'first', '+x'], /begins with a space, - or \+/],
    ['is of another kind of file', ['*** Rename File: a'], /expected "\*\*\* Add File/],
    ['is empty', [], /changes no file/],
  ])('that %s changes nothing, and says why', async (_, lines, reason) => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'first\nsame\nmiddle\nsame\nlast\n');
    writeFileSync(join(folder, 'b'), 'b\n');
    const before = fingerprint(folder);
    const first = lines.length === 0 ? [] : ['*** Update File: b', '-b', '+changed'];
    await expect(call('patch', { patch: envelope(...first, ...lines) })).rejects.toThrow(reason);
    expect(fingerprint(folder)).toEqual(before);
  });

  it('finds a hunk behind its anchors where context alone fits twice', () => {
    const text = 'class A\n  def f\n    pass\nclass B\n  def f\n    pass\n';
    const [file] = parsePatch(envelope('*** Update File: a', '@@ class B', '@@   def f', '-    pass', '+    go'));
    if (file?.kind !== 'update') throw new Error('no update');
    expect(applyHunks(text, file.hunks, 'a')).toBe('class A\n  def f\n    pass\nclass B\n  def f\n    go\n');
  });

  it('is taken inside a fence, with Windows line ends, without its frame, and with blank lines between files', () => {
    const body = ['*** Update File: a', ' x', '-y', '+z', '', '*** Delete File: b'];
    const wanted = parsePatch(envelope(...body));
    expect(wanted).toHaveLength(2);
    expect(parsePatch(`\`\`\`diff\n${envelope(...body)}\n\`\`\`\n`)).toEqual(wanted);
    expect(parsePatch(envelope(...body).replaceAll('\n', '\r\n'))).toEqual(wanted);
    expect(parsePatch(body.join('\n'))).toEqual(wanted);
  });

  it('sees its own changes: a file may be added and then changed, changed twice, or deleted and made anew', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\n');
    await call('patch', {
      patch: envelope(
        ...['*** Update File: a', '-one', '+two', '*** Update File: a', '-two', '+three'],
        ...['*** Add File: b', '+x', '*** Update File: b', '-x', '+y'],
      ),
    });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('three\n');
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('y\n');
    await call('patch', { patch: envelope('*** Delete File: a', '*** Add File: a', '+new') });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new\n');
  });

  it('shows every change, also of a file that was moved away and made anew, or whose name another took', async () => {
    const { folder, plan, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\n');
    writeFileSync(join(folder, 'b'), 'two\n');
    const shadow = ['*** Update File: a', '*** Move to: t', '*** Add File: a', '+EVIL'];
    const { preview } = (await plan('patch', { patch: envelope(...shadow) })).plan;
    expect(preview?.text).toContain('--- a\n+++ a\n@@ -1,1 +1,1 @@\n-one\n+EVIL');
    expect(preview).toMatchObject({ added: 2, removed: 1, createdFiles: ['t'] });
    const swap = ['a', 'b', 't'].flatMap((name, index) => [
      `*** Update File: ${name}`,
      `*** Move to: ${['t', 'a', 'b'][index]}`,
    ]);
    const outcome = await call('patch', { patch: envelope(...swap) });
    expect(outcome.content).toBe('Changed a, changed b (+2 -2 lines).');
    const idle = ['*** Add File: q', '+x', '*** Delete File: q'];
    expect((await call('patch', { patch: envelope(...idle) })).content).toBe('Nothing is different.');
  });

  it('refuses what it would make something else of: symlinks, submodules and modes', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), 'one\n');
    const hunk = ['--- a/a', '+++ b/a', '@@ -1 +1 @@', '-one', '+two'];
    for (const [lines, reason] of [
      [['new file mode 120000', '--- /dev/null', '+++ b/a', '@@ -0,0 +1 @@', '+/etc/passwd'], 'symlinks are not made'],
      [['new file mode 160000', '--- /dev/null', '+++ b/a', '@@ -0,0 +1 @@', '+Subproject'], 'submodules are not made'],
      [['index 1234567..89abcde 120000', ...hunk], 'symlinks are not made'],
      [['old mode 100644', 'new mode 100755', ...hunk], 'modes are not changed'],
    ] as const) {
      const patch = ['diff --git a/a b/a', ...lines].join('\n');
      await expect(call('patch', { patch })).rejects.toThrow(reason);
    }
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('one\n');
  });

  it('does not delete or move through a symlink', async () => {
    const { folder, call } = createWorkspace();
    const outside = join(temporaryFolder(), 'real');
    writeFileSync(outside, 'x\n');
    symlinkSync(outside, join(folder, 'link'));
    for (const lines of [['*** Delete File: link'], ['*** Update File: link', '*** Move to: b']]) {
      await expect(call('patch', { patch: envelope(...lines) })).rejects.toMatchObject({ code: 'is_link' });
    }
    expect(readFileSync(outside, 'utf8')).toBe('x\n');
  });

  it('tells the rules of every place that it would touch (scenario 32)', async () => {
    const { folder, tool, context } = createWorkspace();
    const outside = temporaryFolder();
    symlinkSync(outside, join(folder, 'link'));
    mkdirSync(join(folder, 'd'));
    const patch = envelope(
      ...['*** Add File: link/x', '+x', '*** Add File: d/../../up', '+x'],
      ...['*** Update File: a', '*** Move to: link/y', '*** Delete File: link/z'],
    );
    expect(await tool('patch').paths?.({ patch }, context())).toEqual([
      join(outside, 'x'),
      join(folder, '../up'),
      join(folder, 'a'),
      join(outside, 'y'),
      join(outside, 'z'),
    ]);
  });
});

describe('T3: patch, as a unified diff', () => {
  it('takes what git makes: changes, a new program, a removal, a move, names with blanks and accents', async () => {
    const { folder, call } = createWorkspace();
    const source = temporaryFolder();
    const git = (...args: string[]) => {
      const done = spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: source,
        encoding: 'utf8',
      });
      if (done.status !== 0) throw new Error(done.stderr);
      return done.stdout;
    };
    const lines = (mark: string) => Array.from({ length: 30 }, (_, index) => `${mark} ${index}\n`).join('');
    const files = {
      'a.txt': lines('a'),
      'b c.txt': 'one\ntwo',
      'é.txt': lines('e'),
      'gone.txt': 'x\n',
      'old.txt': lines('o'),
    };
    git('init', '-q');
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(source, name), text);
      writeFileSync(join(folder, name), text);
    }
    git('add', '-A');
    git('commit', '-qm', 'x');
    writeFileSync(join(source, 'a.txt'), lines('a').replace('a 3\n', 'a three\n').replace('a 25\n', ''));
    writeFileSync(join(source, 'b c.txt'), 'one\n2\n');
    writeFileSync(join(source, 'é.txt'), `${lines('e')}end`);
    writeFileSync(join(source, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(source, 'run.sh'), 0o755);
    git('rm', '-q', 'gone.txt');
    git('mv', 'old.txt', 'new.txt');
    writeFileSync(join(source, 'new.txt'), lines('o').replace('o 7', 'seven'));
    git('add', '-A');
    await call('patch', { patch: git('diff', '--cached', '-M') });
    for (const name of ['a.txt', 'b c.txt', 'é.txt', 'run.sh', 'new.txt']) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(source, name), 'utf8'));
    }
    expect(existsSync(join(folder, 'gone.txt'))).toBe(false);
    expect(existsSync(join(folder, 'old.txt'))).toBe(false);
    expect(statSync(join(folder, 'run.sh')).mode & 0o111).not.toBe(0);
  });

  it('believes the context and not the numbers, which models get wrong', () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join('');
    const wrong = '--- a/x\n+++ b/x\n@@ -3,9 +3,2 @@ f()\n line 20\n-line 21\n+changed\n line 22\n';
    const [file] = parsePatch(wrong);
    if (file?.kind !== 'update') throw new Error('no update');
    expect(applyHunks(text, file.hunks, 'x')).toBe(text.replace('line 21\n', 'changed\n'));
  });

  it('lets the numbers decide between places that fit alike, and asks where they do not', () => {
    const text = 'x\nsame\nx\nsame\nx\n';
    const patchAt = (line: number) => `--- x\n+++ x\n@@ -${line} +${line} @@\n-same\n+other\n`;
    const apply = (patch: string) => {
      const [file] = parsePatch(patch);
      if (file?.kind !== 'update') throw new Error('no update');
      return applyHunks(text, file.hunks, 'x');
    };
    expect(apply(patchAt(4))).toBe('x\nsame\nx\nother\nx\n');
    expect(() => apply(patchAt(3))).toThrow('fits at 2 places');
  });

  it('refuses what it cannot do', () => {
    expect(() => parsePatch('diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\n')).toThrow('binary');
    expect(() => parsePatch('diff --git a/x b/y\ncopy from x\ncopy to y\n')).toThrow('copies');
    expect(() => parsePatch('please change x to y')).toThrow('expected "*** Begin Patch"');
    expect(() => parsePatch('@@ -1 +1 @@\n-a\n+b\n')).toThrow('expected "--- path"');
    expect(() => parsePatch('')).toThrow('expected');
  });
});

/* ---------------------------------------------------------------- generated */

const word = fc.constantFrom('a', 'b', '', ' ', 'x y', '\tz', '-', '+', '@@', '--- q', '+++ q', '*** End Patch', '\\');
const someLines = fc.array(word, { maxLength: 14 });
const textOf = (lines: readonly string[], end: string, isEnded: boolean) =>
  lines.join(end) + (isEnded && lines.length > 0 ? end : '');

describe('T3: patches of generated texts', () => {
  it('as unified diffs turn the one text into the other, byte for byte', () => {
    fc.assert(
      fc.property(
        someLines,
        someLines,
        fc.constantFrom('\n', '\r\n'),
        fc.tuple(fc.boolean(), fc.boolean()),
        fc.integer({ min: 0, max: 4 }),
        (one, other, end, [isOneEnded, isOtherEnded], context) => {
          const [from, to] = [textOf(one, '\n', isOneEnded), textOf(other, '\n', isOtherEnded)];
          fc.pre(from !== to && from !== '' && to !== '');
          const patch = createTwoFilesPatch('a/x', 'b/x', from, to, '', '', { context });
          const [file] = parsePatch(patch);
          if (file?.kind !== 'update') throw new Error(`no update: ${patch}`);
          const withEnds = (text: string) => text.replaceAll('\n', end);
          // A text of one line says nothing about line ends.
          fc.pre(end === '\n' || from.includes('\n'));
          expect(applyHunks(withEnds(from), file.hunks, 'x')).toBe(withEnds(to));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('without line numbers turn the one into the other where they fit once, and else refuse', () => {
    fc.assert(
      fc.property(someLines, fc.nat(), fc.nat(), someLines, fc.boolean(), (lines, at, count, added, isEnded) => {
        // Without a line end, an empty last line would be none.
        fc.pre(lines.length > 0 && (isEnded || lines.at(-1) !== ''));
        const start = at % lines.length;
        const end = Math.min(lines.length, start + (count % 3) + 1);
        const removed = lines.slice(start, end);
        const around = (from: number, to: number) => lines.slice(Math.max(0, from), to).map((line) => ` ${line}`);
        const hunk = [
          ...around(start - 2, start),
          ...removed.map((line) => `-${line}`),
          ...added.map((line) => `+${line}`),
          ...around(end, end + 2),
        ];
        const [file] = parsePatch(['*** Begin Patch', '*** Update File: x', '@@', ...hunk, '*** End Patch'].join('\n'));
        if (file?.kind !== 'update') throw new Error('no update');
        const text = textOf(lines, '\n', isEnded);
        fc.pre(text !== '');
        const rest = [...lines.slice(0, start), ...added, ...lines.slice(end)];
        let result: string | null = null;
        try {
          result = applyHunks(text, file.hunks, 'x');
        } catch (error) {
          expect(error).toMatchObject({ code: 'many_matches' });
        }
        const endsAsBefore = text.endsWith('\n');
        if (result !== null) expect(result).toBe(textOf(rest, '\n', endsAsBefore));
      }),
      { numRuns: 3000 },
    );
  });

  it('never hang or crash on what is no patch', () => {
    const junk = fc.array(
      fc.constantFrom(
        ...[
          '*** Begin Patch',
          '*** Update File: a',
          '*** Add File: a',
          '*** Delete File: a',
          '*** Move to: b',
          '@@',
          '@@ -1,2 +1 @@',
        ],
        ...[
          '--- a/x',
          '+++ b/x',
          'diff --git a/x b/x',
          'rename from x',
          '*** End of File',
          '-',
          '+',
          ' ',
          '',
          'x',
          '*** End Patch',
          '```',
        ],
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(junk, (lines) => {
        try {
          expect(parsePatch(lines.join('\n')).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_patch' });
        }
      }),
      { numRuns: 5000 },
    );
  });
});
