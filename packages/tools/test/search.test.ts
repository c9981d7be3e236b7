import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { createWorkspace, temporaryFolder } from './workspace.ts';

function fill(folder: string, files: { [path: string]: string }): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const tree = {
  '.gitignore': 'ignored/\n*.log\n',
  'a.ts': 'const todo = 1\n// TODO: one\n',
  'src/b.ts': 'let x\n// TODO: two\nlet y\n',
  'src/deep/c.js': 'nothing\n',
  'ignored/d.ts': '// TODO: hidden\n',
  'e.log': 'TODO\n',
  '.hidden/f.ts': '// TODO: three\n',
  '.git/config': 'TODO\n',
};

describe('T3: list', () => {
  it('names everything in a folder, folders with a slash', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, tree);
    symlinkSync('src', join(folder, 'link'));
    symlinkSync('nowhere', join(folder, 'broken'));
    expect((await call('list', {})).content.split('\n')).toEqual([
      '.git/',
      '.gitignore',
      '.hidden/',
      'a.ts',
      'broken',
      'e.log',
      'ignored/',
      'link/',
      'src/',
    ]);
    expect((await call('list', { path: 'src' })).content).toBe('b.ts\ndeep/');
    await expect(call('list', { path: 'a.ts' })).rejects.toMatchObject({ code: 'not_folder' });
    await expect(call('list', { path: 'none' })).rejects.toMatchObject({ code: 'not_found' });
    mkdirSync(join(folder, 'empty'));
    expect((await call('list', { path: 'empty' })).content).toBe('(empty)');
  });
});

describe('T3: glob', () => {
  it.each([
    ['**/*.ts', ['.hidden/f.ts', 'a.ts', 'src/b.ts']],
    ['*.ts', ['.hidden/f.ts', 'a.ts', 'src/b.ts']],
    ['./*.ts', ['.hidden/f.ts', 'a.ts', 'src/b.ts']],
    ['src/**', ['src/b.ts', 'src/deep/c.js']],
    ['src/', ['src/b.ts', 'src/deep/c.js']],
    ['src/*', ['src/b.ts']],
    ['**/*.{js,ts}', ['.hidden/f.ts', 'a.ts', 'src/b.ts', 'src/deep/c.js']],
    ['**/*.log', []],
    ['.git/**', []],
    ['b.ts', ['src/b.ts']],
  ])('%s', async (pattern, expected) => {
    const { folder, call } = createWorkspace();
    fill(folder, tree);
    expect((await call('glob', { pattern })).content).toBe(expected.join('\n') || 'No files match.');
  });

  it('looks in a folder below, beside, or given in the pattern', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, tree);
    const outside = temporaryFolder();
    fill(outside, { 'x/y.ts': '' });
    expect((await call('glob', { pattern: '*.js', path: 'src' })).content).toBe('src/deep/c.js');
    expect((await call('glob', { pattern: `${folder}/src/*.ts` })).content).toBe('src/b.ts');
    expect((await call('glob', { pattern: '*.ts', path: outside })).content).toBe(join(outside, 'x/y.ts'));
    await expect(call('glob', { pattern: '/etc/*' })).rejects.toMatchObject({ code: 'bad_pattern' });
    await expect(call('glob', { pattern: '../*' })).rejects.toMatchObject({ code: 'bad_pattern' });
    await expect(call('glob', { pattern: '*', path: 'a.ts' })).rejects.toMatchObject({ code: 'not_folder' });
  });

  it('finds what the pattern means, whatever ripgrep is asked to leave out before', async () => {
    const { folder, call } = createWorkspace();
    const names = ['a', 'b.a', '.a', 'a.b', '{a}', 'ab.a', 'a-b', 'B.a', '.b.a', 'a,b', 'b..a'];
    const files = names.flatMap((name) => [name, `a.b.d/${name}`, `.d/c/${name}`]);
    fill(folder, Object.fromEntries(files.map((file) => [file, ''])));
    const part = fc.array(fc.constantFrom('a', 'b', '.', '*', '?', '{a,b}', '{*.a,a}', '{a}', '[ab]', '-', ','), {
      minLength: 1,
      maxLength: 4,
    });
    const patterns = fc
      .tuple(fc.constantFrom('', '**/', 'a.b.d/', '*/', '.d/*/'), part)
      .map(([before, parts]) => before + parts.join(''))
      .filter((pattern) => !/(?:^|\/)\.*$|\*{2}|(?:\*.*){4}/.test(pattern.replace('**/', '')));
    await fc.assert(
      fc.asyncProperty(patterns, async (pattern) => {
        const isMatch = picomatch(pattern, {
          dot: true,
          nonegate: true,
          noextglob: true,
          basename: !pattern.includes('/'),
        });
        expect((await call('glob', { pattern })).details).toEqual({
          count: files.filter((file) => isMatch(file)).length,
        });
      }),
      { numRuns: 150 },
    );
  });

  it.each(['.gitignore', '.ignore', '.rgignore'])(
    'keeps to a %s in a folder above the one it looks in',
    async (rules) => {
      const { folder, call } = createWorkspace();
      const inner = join(folder, 'in', 'ner');
      mkdirSync(inner, { recursive: true });
      fill(inner, { 'a.ts': '', 'b.log': '', 'c/d.log': '' });
      expect((await call('glob', { pattern: '**/*', path: inner })).details).toEqual({ count: 3 });
      writeFileSync(join(folder, rules), '*.log\n');
      expect((await call('glob', { pattern: '**/*', path: inner })).details).toEqual({ count: 1 });
    },
  );

  it('goes into no folder beside the one that the pattern begins with, and follows no link to find that', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, {
      '.gitignore': 'dist/\n',
      'src/a.ts': '',
      'src/in/b.ts': '',
      'srcs/c.ts': '',
      'dist/d.ts': '',
      'a/src/e.ts': '',
    });
    symlinkSync('/usr', join(folder, 'link'));
    const found = async (pattern: string) => (await call('glob', { pattern })).content.split('\n');
    expect(await found('src/**/*.ts')).toEqual(['src/a.ts', 'src/in/b.ts']);
    expect(await found('src/*')).toEqual(['src/a.ts']);
    expect(await found('dist/**')).toEqual(['No files match.']);
    expect(await found('link/**')).toEqual(['No files match.']);
    expect(await found('none/*.ts')).toEqual(['No files match.']);
    expect(await found('s*/*.ts')).toEqual(['src/a.ts', 'srcs/c.ts']);
  });

  it('answers for 20 000 files with their number, sorted and cut', async () => {
    const { folder, call } = createWorkspace();
    for (let group = 0; group < 100; group++) {
      mkdirSync(join(folder, `d${group}`));
      for (let index = 0; index < 200; index++)
        writeFileSync(join(folder, `d${group}`, `f${index}.txt`), index === 7 ? 'needle\n' : '');
    }
    const started = performance.now();
    const outcome = await call('glob', { pattern: '**/*.txt' });
    const globMs = Math.round(performance.now() - started);
    expect(outcome.details).toEqual({ count: 20_000 });
    expect(outcome.content).toMatch(/\(300 of 20000 files; narrow the pattern\)$/);
    const found = await call('grep', { pattern: 'needle' });
    expect(found.details).toEqual({ matches: 100 });
    console.info(`glob over 20 000 files took ${globMs} ms`);
  });
});

describe('T3: glob under rules', () => {
  it('names nothing in a folder that they keep, and asks about each folder once', async () => {
    const { folder, call } = createWorkspace();
    for (const name of ['kept', 'free'])
      for (let count = 0; count < 40; count++) fill(folder, { [`${name}/${count}.ts`]: '' });
    const asked: string[] = [];
    const barredIn = () => (path: string) => {
      asked.push(path);
      return path === join(folder, 'kept');
    };
    const { content, details } = await call('glob', { pattern: '**/*.ts' }, { barredIn });
    expect(details).toEqual({ count: 40 });
    expect(content).not.toContain('kept');
    expect(asked).toHaveLength(2);
    expect(asked).toEqual(expect.arrayContaining([join(folder, 'free'), join(folder, 'kept')]));
  });
});

describe('T3: grep', () => {
  it('shows path, line and text, sorted, without ignored files and git itself', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, tree);
    expect((await call('grep', { pattern: 'TODO' })).content).toBe(
      '.hidden/f.ts:1:// TODO: three\na.ts:2:// TODO: one\nsrc/b.ts:2:// TODO: two',
    );
    expect((await call('grep', { pattern: 'todo', ignoreCase: true, path: 'a.ts' })).content).toBe(
      'a.ts:1:const todo = 1\na.ts:2:// TODO: one',
    );
    expect((await call('grep', { pattern: 'TODO', path: 'src' })).content).toBe('src/b.ts:2:// TODO: two');
    expect((await call('grep', { pattern: 'TODO', glob: '*.js' })).content).toBe('No matches.');
    expect((await call('grep', { pattern: 'TODO', path: 'src', context: 1 })).content).toBe(
      'src/b.ts-1-let x\nsrc/b.ts:2:// TODO: two\nsrc/b.ts-3-let y',
    );
  });

  it('limits what it shows and says what there is', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, { a: 'x\n'.repeat(1000), b: 'x\n' });
    expect((await call('grep', { pattern: 'x', limit: 2 })).content).toBe(
      'a:1:x\na:2:x\n(2 of 1001 matches; narrow the search)',
    );
    fill(folder, { big: `needle ${'y'.repeat(300)}\n`.repeat(50_000), wide: 'needle'.padEnd(1_000_000, 'z') });
    const outcome = await call('grep', { pattern: 'needle' });
    expect(outcome.content).toMatch(/\(200 of more than \d+ matches; narrow the search\)$/);
    expect((await call('grep', { pattern: 'needle', path: 'wide' })).content.length).toBeLessThan(600);
  });

  it('separates groups of lines with context', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, { a: '1\nx\n3\n4\n5\n6\nx\n8\n', b: 'x\n' });
    expect((await call('grep', { pattern: 'x', context: 1 })).content).toBe(
      'a-1-1\na:2:x\na-3-3\n--\na-6-6\na:7:x\na-8-8\nb:1:x',
    );
  });

  it('explains a pattern that is none', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, tree);
    await expect(call('grep', { pattern: 'foo(' })).rejects.toMatchObject({
      code: 'bad_pattern',
      message: expect.stringContaining('unclosed group'),
    });
    await expect(call('grep', { pattern: 'a', glob: '{' })).rejects.toMatchObject({ code: 'bad_pattern' });
    await expect(call('grep', { pattern: 'a', path: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes patterns, globs and names for nothing else, whatever they look like (scenario 48)', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, { '--pre=touch x': '--files\n', '-e': 'x\n', 'we:ird\nname': 'y\n', a: '--pre\n$(touch pwned)\n' });
    expect((await call('grep', { pattern: '--pre=touch' })).content).toBe('No matches.');
    expect((await call('grep', { pattern: '--files' })).content).toBe('--pre=touch x:1:--files');
    expect((await call('grep', { pattern: 'x', path: '-e' })).content).toBe('-e:1:x');
    expect((await call('grep', { pattern: '--pre', glob: '--files' })).content).toBe('No matches.');
    expect((await call('grep', { pattern: 'y' })).content).toBe('we:ird\\u{a}name:1:y');
    expect((await call('grep', { pattern: '\\$\\(touch' })).content).toBe('a:2:$(touch pwned)');
    expect((await call('list', {})).content).not.toMatch(/^pwned$/m);
  });

  it('is not swayed by a settings file of ripgrep, and hands no keys on', async () => {
    const { folder, call } = createWorkspace({
      environment: { ...process.env, RIPGREP_CONFIG_PATH: '/dev/null/none' },
    });
    fill(folder, tree);
    expect((await call('grep', { pattern: 'one' })).content).toBe('a.ts:2:// TODO: one');
  });

  it('leaves binary files out, also when it learns late that they are', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, { 'a.bin': `foo\n${'x\n'.repeat(60_000)}\0`, 'b.bin': 'foo\0', 'c.txt': 'foo\n' });
    expect((await call('grep', { pattern: 'foo' })).content).toBe('a.bin:1:foo\nc.txt:1:foo');
    expect((await call('grep', { pattern: 'foo', path: 'b.bin' })).content).toBe('No matches.');
  });

  it('shows no escape sequence of a file it found', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, { a: 'x\u001b]52;c;AAAA\u0007y\u001b[31mz\n' });
    expect((await call('grep', { pattern: 'x' })).content).toBe('a:1:xyz');
  });

  it('ends at once when cancelled', async () => {
    const { folder, call } = createWorkspace();
    fill(folder, tree);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(call('grep', { pattern: 'x' }, { signal })).rejects.toThrow('stop');
    await expect(call('glob', { pattern: '*' }, { signal })).rejects.toThrow('stop');
  });
});
