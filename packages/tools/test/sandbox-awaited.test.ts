import { execFileSync, fork, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { probeSandbox } from '../src/index.ts';
import { areHarmlessSettings } from '../src/sandbox/harmless-settings.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { finishInterruptedWatches } from '../src/sandbox/watch-absent.ts';
import { runShell } from '../src/shell/shell.ts';
import { soakParallelShells } from './soak/parallel-shells.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

const probe = await probeSandbox();
if (!probe.isAvailable) console.log(`Skipped, what needs a sandbox: ${probe.reason} ${probe.advice}`);
const contained = describe.skipIf(!probe.isAvailable);

const git = (folder: string, ...words: string[]) =>
  execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

/** All paths below a folder. */
const listing = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

function createRepository() {
  const workspace = createWorkspace();
  git(workspace.folder, 'init', '-q');
  return workspace;
}

async function until(path: string): Promise<void> {
  await expect.poll(() => existsSync(path), { timeout: 20_000, interval: 10 }).toBe(true);
}

/** Runs a command of which the first `started` file tells that it has begun, and `go` lets it end. */
async function whileRunning(
  { folder, call }: ReturnType<typeof createWorkspace>,
  work: () => unknown,
  before = 'true',
  after = 'true',
) {
  const command = `${before}; touch started; while ! test -e go; do sleep 0.02; done; rm started go; ${after}`;
  const slow = call('bash', { command });
  await until(join(folder, 'started'));
  await work();
  writeFileSync(join(folder, 'go'), '');
  return slow;
}

contained('P10, D3: the user’s folder', () => {
  it('has nothing in it but its own, while commands run and after them', async () => {
    const workspace = createRepository();
    const { folder, call } = workspace;
    rmSync(join(folder, '.git', 'hooks'), { recursive: true });
    const before = listing(folder);
    let during: string[] = [];
    await whileRunning(workspace, async () => {
      await call('bash', { command: 'true; :' });
      during = listing(folder);
    });
    expect(new Set(during)).toEqual(new Set([...before, 'started']));
    expect(listing(folder)).toEqual(before);
    const bare = createWorkspace();
    await whileRunning(bare, () => {
      during = listing(bare.folder);
    });
    expect(during).toEqual(['started']);
    expect(listing(bare.folder)).toEqual([]);
  });

  it('can lose a guarded place, or gain one, between the look at it and the start of the command', async () => {
    const { folder } = createRepository();
    mkdirSync(join(folder, '.vscode'));
    writeFileSync(join(folder, '.envrc'), 'mine\n');
    const sandbox = createSandbox({}, { notice: () => undefined });
    const launch = await sandbox.launch('s', folder);
    rmSync(join(folder, '.vscode'), { recursive: true });
    rmSync(join(folder, '.envrc'));
    mkdirSync(join(folder, '.github'));
    const before = listing(folder);
    const run = await runShell({
      command: 'echo ran',
      cwd: folder,
      environment: { PATH: process.env.PATH ?? '' },
      launch,
      timeoutMs: 10_000,
      killGraceMs: 100,
      maxOutputBytes: 1000,
      signal: new AbortController().signal,
      onOutput: () => undefined,
    });
    expect(await launch?.release()).toBeNull();
    expect({ text: run.output.text(), code: run.exitCode }).toEqual({ text: 'ran\n', code: 0 });
    expect(listing(folder)).toEqual(before);
  });

  it('a command is run, and once, though what is hidden comes and goes meanwhile', async () => {
    const place = temporaryFolder(homedir());
    const keys = join(place, 'keys');
    const source = `const fs = require('fs'); for (;;) { fs.mkdirSync(process.argv[1]); fs.rmdirSync(process.argv[1]); }`;
    const flap = spawn(process.execPath, ['-e', source, keys], { stdio: 'ignore' });
    try {
      const { folder, call } = createWorkspace({ sandbox: { hiddenPaths: [keys] } });
      for (let index = 0; index < 25; index++) {
        const { content, isError } = await call('bash', { command: 'echo x >> ran' });
        expect({ content, isError }).toEqual({ content: '(no output)', isError: false });
      }
      expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('x\n'.repeat(25));
    } finally {
      flap.kill('SIGKILL');
    }
  });
});

contained('P10, D3: what a command makes in a guarded place that did not exist', () => {
  it.each([
    ['a folder of settings of Pawl', '.pawl', 'mkdir .pawl; echo "mode: auto" > .pawl/config.yaml'],
    ['a link', '.pawl', 'mkdir evil; ln -s evil .pawl'],
    [
      'hooks',
      '.git/hooks',
      'rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
    ],
    ['a pointer to another repository', '.git/commondir', 'mkdir evil; echo ../evil > .git/commondir'],
    ['a pointer that git cannot read', '.git/commondir', 'mkdir .git/commondir'],
    ['what its settings include', 'more', 'printf "[core]\\n\\tfsmonitor = touch sprung\\n" > more'],
  ])('is moved aside, and said: %s', async (_, place, command) => {
    const { folder, call } = createRepository();
    rmSync(join(folder, '.git', 'hooks'), { recursive: true });
    git(folder, 'config', 'include.path', '../more');
    const { content } = await call('bash', { command });
    expect(content).toContain(`While it ran, ${place} came into being`);
    expect(content).toContain(`so ${place} was renamed to ${place.replace(/.*\//, '')}.set-aside`);
    expect(existsSync(join(folder, place))).toBe(false);
    expect(listing(folder)).toContain(`${place}.set-aside`);
    git(folder, 'status');
    expect(existsSync(join(folder, 'sprung'))).toBe(false);
  });

  it.each([
    ['a file that leads to one elsewhere', 'mkdir x; echo "gitdir: x" > .git'],
    ['one with settings that start something', 'git init -q; git config core.fsmonitor "touch sprung"'],
    ['one with hooks', 'git init -q; echo evil > .git/hooks/post-commit; chmod +x .git/hooks/post-commit'],
    ['one in another’s name', 'git init -q; git config include.path ../more'],
  ])('is moved aside, and said: a repository, %s', async (_, command) => {
    const { folder, call } = createWorkspace();
    const { content } = await call('bash', { command });
    expect(content).toContain('so .git was renamed to .git.set-aside');
    expect(existsSync(join(folder, '.git'))).toBe(false);
  });

  it('stays where nobody would obey it: a repository as git init makes it', async () => {
    const { folder, call } = createWorkspace();
    const { content, isError } = await call('bash', {
      command:
        'git init -q && git config user.name n && git config user.email e@e && git remote add origin https://example.com/x && echo x > a && git add a && git commit -qm one && mkdir -p .pawl',
    });
    expect({ content, isError }).toEqual({ content: '(no output)', isError: false });
    expect(git(folder, 'log', '--format=%s')).toBe('one\n');
  });

  it('is moved aside while the command runs, and the command is ended when it does so again', async () => {
    const { folder, call } = createRepository();
    const { content } = await call('bash', {
      command: 'while :; do mkdir -p .pawl; echo x > .pawl/config.yaml; sleep 0.01; done 2>/dev/null',
    });
    expect(content).toContain('It did so again, and was ended.');
    expect(existsSync(join(folder, '.pawl'))).toBe(false);
  });

  it('is moved aside of a background process', async () => {
    const workspace = createRepository();
    const { folder, call } = workspace;
    const { details } = await call('bash', {
      command: 'mkdir .pawl; echo x > .pawl/config.yaml; while :; do sleep 1; done',
      background: true,
    });
    await until(join(folder, '.pawl.set-aside', 'config.yaml'));
    await call('process', { action: 'stop', id: String(details?.process) });
    expect(existsSync(join(folder, '.pawl'))).toBe(false);
  });

  it('is not what lies behind a link that it made', async () => {
    const { folder, call } = createRepository();
    const outside = temporaryFolder(homedir());
    mkdirSync(join(outside, 'hooks'));
    writeFileSync(join(outside, 'hooks', 'pre-commit'), 'mine');
    chmodSync(join(outside, 'hooks', 'pre-commit'), 0o755);
    git(folder, 'config', 'core.hooksPath', 'made/hooks');
    const { content } = await call('bash', { command: `ln -s ${outside} made` });
    expect(content).toContain('so made was renamed to made.set-aside');
    expect(readdirSync(outside)).toEqual(['hooks']);
  });

  it('is not what Pawl itself writes there for a person meanwhile', async () => {
    const workspace = createRepository();
    const { folder, call } = workspace;
    const outcome = await whileRunning(workspace, async () => {
      await call('write', { path: '.pawl/config.yaml', content: 'mode: plan\n' });
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    expect(outcome.content).toBe('(no output)');
    expect(readFileSync(join(folder, '.pawl', 'config.yaml'), 'utf8')).toBe('mode: plan\n');
  });

  it('is looked at by the next start, if its Pawl was killed; what a person makes after that stays', async () => {
    const folders = [createRepository(), createRepository()].map(({ folder }) => folder) as [string, string];
    const temporary = temporaryFolder();
    const command =
      'touch started; while ! test -e go; do sleep 0.01; done; mkdir .pawl; echo x > .pawl/config.yaml; touch made; sleep 60';
    const children = folders.map((folder) =>
      fork(join(import.meta.dirname, 'soak', 'one-command.ts'), [folder, command], {
        env: { ...process.env, TMPDIR: temporary },
      }),
    );
    for (const folder of folders) await until(join(folder, 'started'));
    // It does not see what its command makes.
    for (const { pid = 0 } of children) process.kill(pid, 'SIGSTOP');
    writeFileSync(join(folders[0], 'go'), '');
    await until(join(folders[0], 'made'));
    for (const child of children) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    }
    for (const name of readdirSync(temporary)) {
      const place = join(temporary, name);
      const [record = ''] = readdirSync(place).filter((each) => each.startsWith('run-'));
      if (record === '' || !readFileSync(join(place, record), 'utf8').includes(folders[1])) continue;
      // As if it had been killed a while ago.
      const then = new Date(Date.now() - 60_000);
      utimesSync(place, then, then);
    }
    mkdirSync(join(folders[1], '.pawl'));
    writeFileSync(join(folders[1], '.pawl', 'config.yaml'), 'mine');
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const said = finishInterruptedWatches();
    expect(said).toEqual([
      expect.stringContaining(
        `In ${folders[0]}, of a command whose Pawl was killed: While it ran, .pawl came into being`,
      ),
    ]);
    expect(existsSync(join(folders[0], '.pawl'))).toBe(false);
    expect(readFileSync(join(folders[1], '.pawl', 'config.yaml'), 'utf8')).toBe('mine');
    expect(finishInterruptedWatches()).toEqual([]);
  });
});

contained('P10, D3: what an earlier version left in a repository', () => {
  it.each([['.\n'], ['']])('is taken away by the next command, and said: a commondir with %j', async (text) => {
    const { folder, call } = createRepository();
    writeFileSync(join(folder, '.git', 'commondir'), text);
    const { content } = await call('bash', { command: 'git rev-parse --git-dir; touch x' });
    expect(content).toContain('was a leftover of an earlier version of Pawl');
    expect(content).toMatch(/^\.git\n/);
    expect(existsSync(join(folder, '.git', 'commondir'))).toBe(false);
  });

  it('does not keep the git tools from it', async () => {
    const { folder, call } = createRepository();
    writeFileSync(join(folder, '.git', 'commondir'), '');
    const { content } = await call('git_status', {});
    expect(content).toContain('Nothing has changed.');
    expect(content).toContain('was a leftover of an earlier version of Pawl');
    expect((await call('git_status', {})).content).not.toContain('leftover');
  });
});

describe('P10, D3: settings of git', () => {
  it.each([
    ['[core]\n\trepositoryformatversion = 0\n\tbare = false\n', true],
    ['# x\n[remote "origin"]\n\turl = git@github.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n', true],
    ['[core]\n\tfsmonitor = x\n', false],
    ['[core] fsmonitor = x\n', false],
    ['[core "x"]\n\thooksPath = x\n', false],
    ['[user]\n\tname = a\\\n[core]\n\tfsmonitor = x\n', false],
    ['[remote "o"]\n\turl = ext::sh -c x\n', false],
    ['[remote "o"]\n\turl = ../x\n', false],
    ['[alias]\n\tst = !x\n', false],
    ['[constructor]\n\tname = x\n', false],
    ['[core]\n\tworktree = /\n', false],
    ['[core]\n\tbare\n', false],
    ['\u0000', false],
  ])('%j are harmless: %s', (text, isHarmless) => expect(areHarmlessSettings(text)).toBe(isHarmless));
});

contained('P10, D3: parallel commands of several Pawls in one repository', () => {
  it('do not fail by each other, by a person’s git or by a kill, and leave the folder as it was', {
    timeout: 120_000,
  }, async () => {
    const report = await soakParallelShells({ commands: 120, shells: 12, pawls: 3, kills: 2 });
    expect(report).toMatchObject({ failures: [], changed: [], left: [], kills: 2 });
    expect(report.git.failures).toEqual([]);
  });
});
