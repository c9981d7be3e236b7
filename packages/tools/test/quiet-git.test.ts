import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCommand, readsOnly } from '@pawl/policy';
import { expect, it, onTestFinished } from 'vitest';
import { commandEnvironment } from '../src/environment.ts';
import { readOnlyGitEnvironment } from '../src/repository/environment.ts';

await prepareCommand('more than; plain words');

/** Settings by which a repository makes git run programs. */
const hostile = (program: string) => `
[core]
  fsmonitor = ${program}
  pager = ${program}
  editor = ${program}
  sshCommand = ${program}
  gitProxy = ${program}
  askPass = ${program}
  alternateRefsCommand = ${program}
  hooksPath = hooks
[pager]
  log = ${program}
  branch = ${program}
  tag = ${program}
[diff]
  external = ${program}
[diff "x"]
  textconv = ${program}
  command = ${program}
[filter "x"]
  clean = ${program}
  smudge = ${program}
  process = ${program}
  required = true
[gpg]
  program = ${program}
  format = ssh
[gpg "ssh"]
  program = ${program}
  defaultKeyCommand = ${program}
  allowedSignersFile = /etc/hosts
[gpg "openpgp"]
  program = ${program}
[log]
  showSignature = true
[format]
  pretty = "%h %s"
[alias]
  log = !${program}
  branch = !${program}
[credential]
  helper = ${program}
[remote "origin"]
  url = ext::${program}
  promisor = true
  partialclonefilter = blob:none
  uploadpack = ${program}
  vcs = x
[trailer "x"]
  command = ${program}
  cmd = ${program}
[include]
  path = more
[submodule]
  recurse = true
`;

function repository(): { folder: string; marker: string } {
  const root = mkdtempSync(join(tmpdir(), 'pawl-quiet-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'work');
  mkdirSync(folder);
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words]);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a'), 'a\n');
  git('add', 'a');
  git('commit', '-qm', 'one');
  // A signature that somebody would have to check.
  const tree = git('write-tree').toString().trim();
  const signed = `tree ${tree}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\ngpgsig -----BEGIN SSH SIGNATURE-----\n x\n -----END SSH SIGNATURE-----\n\ntwo\n`;
  const made = execFileSync('git', ['-C', folder, 'hash-object', '-t', 'commit', '-w', '--stdin'], { input: signed });
  git('update-ref', 'refs/heads/main', made.toString().trim());
  writeFileSync(join(folder, 'a'), 'b\n');
  git('stash');
  writeFileSync(join(folder, 'a'), 'b\n');
  writeFileSync(join(folder, '.gitattributes'), '* diff=x filter=x\n');
  const marker = join(root, 'ran');
  const program = join(root, 'evil');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat\n`, { mode: 0o755 });
  for (const hook of ['post-index-change', 'pre-commit', 'reference-transaction', 'fsmonitor-watchman'])
    writeFileSync(join(folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  writeFileSync(join(folder, '.git/config'), `[core]\n  repositoryformatversion = 0\n${hostile(program)}`);
  writeFileSync(join(folder, '.git/more'), hostile(program).replace(/\[include\]\n.*\n/, ''));
  return { folder, marker };
}

it('P2: git that is taken for reading without a sandbox runs nothing that a repository names (scenario 47)', () => {
  const { folder, marker } = repository();
  const commands = [
    'git log --oneline -5',
    'git log --stat --format="%h %s %(trailers)" -- a',
    'git log --graph --all --name-status',
    'git shortlog -s HEAD',
    'git rev-list --all --count',
    'git branch -avv',
    'git tag -l',
    'git stash list',
    'git worktree list',
    'git remote -v',
    'git remote get-url origin',
    'git ls-files -s',
    'git ls-tree -r HEAD',
    'git rev-parse HEAD',
    'git describe --always',
    'git merge-base HEAD main',
    'git show-ref',
    'git config user.name',
    'git -C . log -1',
  ];
  for (const command of commands) {
    expect([command, readsOnly(command)]).toEqual([command, true]);
    const { status } = spawnSync('bash', ['-c', command], {
      cwd: folder,
      env: { ...process.env, ...readOnlyGitEnvironment },
    });
    // That it did something shows that the settings could be read.
    expect([command, status, existsSync(marker)]).toEqual([command, 0, false]);
  }
  // Whose signature it is cannot be told then.
  spawnSync('bash', ['-c', 'git log --format=%G?'], {
    cwd: folder,
    env: { ...process.env, ...readOnlyGitEnvironment },
  });
  expect(existsSync(marker)).toBe(false);
  // The settings do run something where nothing overrules them.
  for (const command of ['git log -1 --format=%G?', 'git status', 'git diff'])
    spawnSync('bash', ['-c', command], { cwd: folder });
  expect(existsSync(marker)).toBe(true);
});

it('P2: a folder that only looks like a repository is none to any command (scenario 47)', () => {
  const { folder, marker } = repository();
  const bare = join(folder, 'r');
  for (const place of ['objects', 'refs/heads']) mkdirSync(join(bare, place), { recursive: true });
  writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(bare, 'config'), hostile(join(folder, '../evil')));
  const own = { ...process.env, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ann' };
  const environment = commandEnvironment({ environment: own, keptVariables: [], secrets: [] });
  for (const [command, env] of [
    ['cd r && git log', { ...environment, ...readOnlyGitEnvironment }],
    ['cd r && git status', environment],
  ] as const) {
    const { stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
    expect(stderr).toContain('safe.bareRepository');
  }
  expect(existsSync(marker)).toBe(false);
  const name = spawnSync('git', ['config', 'user.name'], { cwd: tmpdir(), env: environment, encoding: 'utf8' });
  expect(name.stdout).toBe('Ann\n');
});
