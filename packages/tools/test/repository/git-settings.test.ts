import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disabledDrivers, gitEnvironment } from '../../src/repository/environment.ts';
import { temporaryFolder } from '../workspace.ts';
import { createBusyRepository, createRepository, type TestRepository } from './repository.ts';

const calls: [string, JsonObject][] = [
  ['git_status', {}],
  ['git_diff', {}],
  ['git_diff', { staged: true }],
  ['git_diff', { revisions: 'HEAD' }],
  ['git_log', {}],
  ['git_log', { paths: ['a.txt'] }],
  ['git_commit', { message: 'Staged' }],
  ['git_commit', { message: 'Rest', paths: ['new.txt'] }],
];

/** Every tool once; what one of them refuses is no matter here, what it runs is. */
async function useAll({ call }: TestRepository): Promise<string[]> {
  const refused: string[] = [];
  for (const [name, input] of calls) {
    await call(name, input).catch((error: unknown) =>
      refused.push(`${name}: ${error instanceof Error ? error.message : error}`),
    );
  }
  return refused;
}

/** Settings that make git run a program; what stands for the program is the trap. */
const settings = [
  'core.fsmonitor',
  'core.pager',
  'core.editor',
  'core.askPass',
  'core.sshCommand',
  'core.gitProxy',
  'core.alternateRefsCommand',
  'pager.status',
  'pager.diff',
  'pager.log',
  'diff.external',
  'diff.evil.command',
  'diff.evil.textconv',
  'filter.evil.clean',
  'filter.evil.smudge',
  'filter.evil.process',
  'filter.a=b.c.clean',
  'merge.evil.driver',
  'gpg.program',
  'gpg.ssh.program',
  'gpg.x509.program',
  'gpg.ssh.defaultKeyCommand',
  'credential.helper',
  'interactive.diffFilter',
  'sequence.editor',
  'trailer.evil.command',
  'trailer.evil.cmd',
  'hook.evil.command',
  'uploadpack.packObjectsHook',
  'difftool.evil.cmd',
  'alias.diff',
  'alias.status',
  'alias.log',
  'alias.commit-tree',
  'man.evil.cmd',
  'browser.evil.cmd',
  'sendemail.tocmd',
  'web.browser',
  'remote.origin.uploadpack',
  'remote.origin.vcs',
];
const flags: [string, string][] = [
  ['filter.evil.required', 'true'],
  ['log.showSignature', 'true'],
  ['commit.gpgSign', 'true'],
  ['gpg.format', 'ssh'],
  ['user.signingKey', 'x'],
  ['core.untrackedCache', 'true'],
  ['submodule.recurse', 'true'],
  ['status.submoduleSummary', 'true'],
  ['diff.submodule', 'log'],
  ['diff.ignoreSubmodules', 'none'],
  ['hook.evil.event', 'post-index-change'],
  ['gc.auto', '1'],
  ['maintenance.auto', 'true'],
  ['color.ui', 'always'],
  ['column.ui', 'always'],
  ['status.short', 'true'],
  ['core.quotePath', 'true'],
  ['log.follow', 'true'],
  ['format.pretty', 'raw'],
  ['diff.noprefix', 'true'],
  ['core.worktree', '/'],
  ['core.commentChar', 'x'],
];
const hooks = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-index-change',
  'reference-transaction',
  'fsmonitor-watchman',
  'pre-auto-gc',
  'post-rewrite',
  'post-checkout',
  'post-merge',
  'pre-push',
];

function setTrap(repository: TestRepository, key: string): void {
  const script = repository.trap(key.replaceAll('.', '-'));
  repository.git('config', key, key.startsWith('alias.') ? `!${script}` : script);
}

describe('T9, scenario 47: a repository whose settings name programs', () => {
  it('the traps work: git itself, as a person runs it, springs them', () => {
    const repository = createBusyRepository();
    for (const key of ['core.fsmonitor', 'diff.external', 'filter.evil.clean']) setTrap(repository, key);
    repository.write('.gitattributes', '* filter=evil diff=evil\n');
    repository.git('status');
    repository.git('--no-pager', 'diff', '--ext-diff');
    expect(new Set(repository.sprung())).toEqual(new Set(['core-fsmonitor', 'diff-external', 'filter-evil-clean']));
  });

  // Some settings hide others (a filter's process its clean), so each stands in a round with few.
  const rounds = Array.from({ length: 8 }, (_, round) => settings.filter((_key, index) => index % 8 === round));
  it.each(rounds.map((keys) => [keys.join(' '), keys] as const))('none of these is run: %s', async (_, keys) => {
    const repository = createBusyRepository();
    repository.write('.gitattributes', '* filter=evil diff=evil merge=evil\n*.ts filter=a=b.c\n');
    for (const [name, value] of flags) repository.git('config', name, value);
    for (const key of keys) setTrap(repository, key);
    const refused = await useAll(repository);
    expect(repository.sprung()).toEqual([]);
    // Everything works all the same, but for the file that a filter would have to be run for.
    expect(refused).toEqual([expect.stringContaining('new.txt is stored through the filter evil')]);
  });

  it.each([
    ['where they are by default', null],
    ['where a setting says', '.githooks'],
  ])('no hook is run, %s', async (_, place) => {
    const repository = createBusyRepository();
    const folder = join(repository.folder, place ?? '.git/hooks');
    mkdirSync(folder, { recursive: true });
    for (const hook of hooks) {
      cpSync(repository.trap(hook), join(folder, hook));
      chmodSync(join(folder, hook), 0o755);
    }
    if (place !== null) repository.git('config', 'core.hooksPath', place);
    expect(await useAll(repository)).toEqual([]);
    expect(repository.sprung()).toEqual([]);
    repository.git('commit', '-qam', 'By a person');
    expect(repository.sprung()).toContain('pre-commit');
  });

  it('all of them together, in any order, with settings included from elsewhere and of the working tree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...settings), { minLength: 3, maxLength: 12 }), async (keys) => {
        const repository = createBusyRepository();
        repository.write('.gitattributes', '* filter=evil diff=evil\n');
        for (const key of keys) setTrap(repository, key);
        const config = join(repository.folder, '.git/config');
        const [base = '', ...rest] = readFileSync(config, 'utf8').split(/(?=^\[)/m);
        const half = Math.floor(rest.length / 2);
        writeFileSync(join(repository.folder, 'shared.config'), rest.slice(half).join(''));
        writeFileSync(config, `${base}${rest.slice(0, half).join('')}[include]\n\tpath = ../shared.config\n`);
        await useAll(repository);
        expect(repository.sprung()).toEqual([]);
      }),
      { numRuns: 2 },
    );
  });

  it('settings of the environment are not taken over either', () => {
    const repository = { top: '/w', gitFolder: '/w/.git', commonFolder: '/w/.git' };
    const hostile = {
      GIT_DIR: '/evil',
      GIT_EXTERNAL_DIFF: '/evil',
      GIT_SSH_COMMAND: '/evil',
      GIT_CONFIG_COUNT: '9',
      GIT_CONFIG_GLOBAL: '/evil',
      GIT_CONFIG_PARAMETERS: "'core.pager'='evil'",
      GIT_TRACE: '/evil',
      GIT_EXEC_PATH: '/evil',
      LD_PRELOAD: '/evil',
      PAGER: '/evil',
      PATH: '/w/node_modules/.bin:.::bin:/usr/bin',
      OPENAI_API_KEY: 'secret',
      GIT_TEMPLATE_DIR: '/evil',
      SSH_ASKPASS: '/evil',
    };
    const environment = gitEnvironment(hostile, repository, []);
    expect(JSON.stringify(environment)).not.toMatch(/evil|secret|"9"/);
    expect(environment.PATH).toBe('/usr/bin');
  });

  it('a program called git in the project is not taken for git', async () => {
    const folder = temporaryFolder();
    const repository = createRepository(folder, { PATH: `${folder}/bin:${process.env.PATH}` });
    mkdirSync(join(folder, 'bin'));
    cpSync(repository.trap('git'), join(folder, 'bin/git'));
    repository.write('x', 'x');
    expect((await repository.call('git_status')).content).toContain('?? x');
    expect(repository.sprung()).toEqual([]);
  });

  it('driver settings are found however they are called', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        for (const key of [
          `filter.${name}.clean`,
          `filter.${name}.process`,
          `diff.${name}.textconv`,
          `hook.${name}.command`,
        ])
          expect(disabledDrivers([key])).toHaveLength(1);
      }),
    );
    expect(disabledDrivers(['core.bare', 'user.name', 'filter.clean', 'diff.renames'])).toEqual([]);
  });

  it.each<[string, (trap: string) => Buffer[]]>([
    [
      'after more settings than can be listed',
      (trap) => [
        Buffer.from(`[a "${'x'.repeat(900)}"]\n${Array.from({ length: 10_000 }, (_, n) => `k${n} = 1\n`).join('')}`),
        Buffer.from(`[filter "evil"]\n\tclean = ${trap}\n`),
      ],
    ],
    [
      'under a name that is no text',
      (trap) => [Buffer.from('[filter "evil'), Buffer.from([0xff]), Buffer.from(`"]\n\tclean = ${trap}\n`)],
    ],
    [
      'among more drivers than could be disabledDrivers',
      (trap) => Array.from({ length: 3000 }, (_, n) => Buffer.from(`[filter "evil${n || ''}"]\n\tclean = ${trap}\n`)),
    ],
  ])('a program that is named %s is not run', async (_, settings) => {
    const repository = createBusyRepository();
    const name = Buffer.from('* filter=evil');
    const odd = Buffer.from([0xff]);
    appendFileSync(join(repository.folder, '.git/config'), Buffer.concat(settings(repository.trap('late'))));
    writeFileSync(
      join(repository.folder, '.gitattributes'),
      Buffer.concat([name, Buffer.from('\n*.txt filter=evil'), odd]),
    );
    for (const [tool, input] of calls)
      await expect(repository.call(tool, input), tool).rejects.toMatchObject({ code: 'odd_repository' });
    expect(repository.sprung()).toEqual([]);
  });

  it('a missing object of a partial clone is not fetched', async () => {
    const repository = createBusyRepository();
    const trap = repository.trap('fetch');
    repository.git('config', 'core.repositoryFormatVersion', '1');
    repository.git('config', 'extensions.partialClone', 'origin');
    repository.git('config', 'remote.origin.promisor', 'true');
    repository.git('config', 'remote.origin.url', `ext::${trap} %S`);
    repository.git('config', 'protocol.ext.allow', 'always');
    const blob = repository.git('rev-parse', 'HEAD:a.txt').trim();
    const object = join(repository.folder, '.git/objects', blob.slice(0, 2), blob.slice(2));
    renameSync(object, `${object}.gone`);
    await expect(repository.call('git_diff')).rejects.toThrow('git diff failed');
    expect(repository.sprung()).toEqual([]);
  });

  it('a submodule’s own settings are not run', async () => {
    const origin = createBusyRepository();
    const repository = createBusyRepository();
    repository.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', origin.folder, 'sub');
    repository.git('commit', '-qm', 'With a submodule');
    const sub = createRepository(join(repository.folder, 'sub'));
    sub.git('config', 'core.fsmonitor', sub.trap('sub-fsmonitor'));
    sub.git('config', 'user.email', 'a@example.com');
    writeFileSync(join(sub.folder, 'a.txt'), 'changed within\n');
    repository.git('config', 'diff.submodule', 'diff');
    repository.git('config', 'status.submoduleSummary', '1');
    await useAll(repository);
    expect(sub.sprung()).toEqual([]);
    sub.git('commit', '-qam', 'Within');
    expect((await repository.call('git_status')).content).toContain(' M sub');
    // A session that lies in the submodule itself.
    expect((await sub.call('git_log')).content).toContain('Within');
  });

  it('a file that a filter keeps in another form is not committed in this one', async () => {
    const repository = createBusyRepository();
    repository.write('.gitattributes', '*.bin filter=lfs\n');
    repository.write('big.bin', 'big');
    await expect(repository.call('git_commit', { message: 'x', paths: ['.'] })).rejects.toThrow(
      'big.bin is stored through the filter lfs',
    );
    repository.write('.gitattributes', '');
    await repository.call('git_commit', { message: 'x', paths: ['.'] });
  });
});
