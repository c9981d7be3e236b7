import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBusyRepository, createRepository } from './repository.ts';

describe('T9, scenario 48: names that look like something else', () => {
  const names = [
    '$(touch x)',
    '`touch x`',
    '--upload-pack=touch',
    '-c',
    '--output=x',
    ':(exclude)a.txt',
    ':!a.txt',
    ';touch x',
    'a\tb',
    '*',
    '[a]*',
    '\\',
    '"',
    '%s',
    '!x',
    'ü',
    '~',
    '-- x',
  ];

  it('a file is only a file, whatever it is called', async () => {
    const repository = createRepository();
    repository.write('plain.txt', 'plain\n');
    for (const name of names) {
      repository.write(`./${name}`, 'first\n');
      await repository.call('git_commit', { message: name, paths: [`./${name}`] });
      expect(repository.git('show', '--name-only', '-z', '--format=', 'HEAD')).toBe(`${name}\0`);
      expect(repository.git('log', '-1', '--format=%B').trim()).toBe(name);
      repository.write(`./${name}`, 'second\n');
      const { content } = await repository.call('git_diff', { paths: [`./${name}`] });
      expect(content).toContain('+second');
      expect(content.match(/^diff --git/gm)).toHaveLength(1);
      expect((await repository.call('git_log', { paths: [`./${name}`] })).details?.count).toBe(1);
    }
    expect((await repository.call('git_status')).content).toContain('?? plain.txt');
    expect(existsSync(join(repository.folder, 'x'))).toBe(false);
  });

  it.each(['--upload-pack=touch', '--output=x', '-c', '$(touch<x)', '--help', '-p', '--all', '--no-index'])(
    'a branch named %s is only a branch',
    async (name) => {
      const repository = createBusyRepository();
      const hash = repository.git('rev-parse', 'HEAD').trim();
      mkdirSync(join(repository.folder, '.git/refs/heads'), { recursive: true });
      writeFileSync(join(repository.folder, '.git/refs/heads', name), `${hash}\n`);
      const refused: unknown[] = [];
      for (const revisions of [name, `refs/heads/${name}`, `${name}..HEAD`, `HEAD...${name}`]) {
        for (const tool of ['git_log', 'git_diff'])
          await repository.call(tool, { revisions }).catch((error: unknown) => refused.push(error));
      }
      // Git does not believe that every such name is a branch; what it does not believe is not found.
      for (const error of refused) expect(error).toMatchObject({ code: 'bad_revision' });
      expect(
        (await repository.call('git_log', { revisions: `refs/heads/${name}` }).catch(() => null))?.content ??
          'First commit',
      ).toContain('First commit');
      expect(existsSync(join(repository.folder, 'x'))).toBe(false);
    },
  );

  it('a revision that is none is refused, whatever it is', async () => {
    const repository = createBusyRepository();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.constantFrom(
            '--all',
            '-p',
            '--output=x',
            'HEAD\n--output=x',
            'HEAD --output=x',
            '^HEAD',
            ':/First',
            'HEAD^{/x}',
            '@{-1}',
            'HEAD:a.txt',
            '\0',
          ),
        ),
        async (revisions) => {
          const outcome = await repository.call('git_log', { revisions }).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'bad_revision' });
          expect(existsSync(join(repository.folder, 'x'))).toBe(false);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('what a commit says does not act on the terminal', async () => {
    const repository = createBusyRepository();
    repository.git('commit', '-qm', 'evil \u001b]52;c;eA==\u0007 \u202e subject');
    const { content } = await repository.call('git_log');
    expect(content).toContain('evil \\u{1b}]52;c;eA==\\u{7} \\u{202e} subject');
    repository.write('a.txt', '\u001b[31mred\u001b]0;title\u0007\n');
    expect((await repository.call('git_diff')).content).toContain('+red\n');
  });
});
