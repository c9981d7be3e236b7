import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { obeyedNames } from '@pawl/policy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Probe, probeSandbox, type SandboxOptions } from '../src/index.ts';
import { bubblewrapArguments } from '../src/sandbox/bubblewrap.ts';
import type { Confinement } from '../src/sandbox/confinement.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { findPlaces } from '../src/sandbox/places.ts';
import { seatbeltProfile } from '../src/sandbox/seatbelt.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

const probe = await probeSandbox();
if (!probe.isAvailable) console.log(`Skipped, what needs a sandbox: ${probe.reason} ${probe.advice}`);
const contained = describe.skipIf(!probe.isAvailable);

const confinement: Confinement = {
  folder: '/w',
  isFolderWritable: true,
  hasNetwork: false,
  temporary: '/host/t',
  hidden: [
    { path: '/h/.ssh', isFolder: true, identity: '' },
    { path: '/h/.netrc', isFolder: false, identity: '' },
  ],
  anchored: ['/w/.git'],
  guarded: [{ path: '/w/.git/hooks', isFolder: true, identity: '' }],
};

describe('P10: how a command is contained', () => {
  const traits = { program: '/usr/bin/bwrap', canSealNamespaces: true, filter: '/host/f' };

  it('is exactly this for bubblewrap', () => {
    expect(bubblewrapArguments(confinement, traits).join(' ')).toBe(
      [
        '/usr/bin/bwrap --json-status-fd 3 --seccomp 4 --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try',
        '--unshare-net --cap-drop ALL --die-with-parent --new-session --ro-bind / / --dev /dev',
        '--proc /proc --remount-ro /proc --tmpfs /run',
        '--ro-bind-try /run/current-system /run/current-system --ro-bind-try /run/wrappers /run/wrappers',
        '--bind /host/t /tmp --bind /w /w --bind-try /w/.git /w/.git --ro-bind-try /w/.git/hooks /w/.git/hooks',
        '--tmpfs /h/.ssh --remount-ro /h/.ssh --ro-bind /dev/null /h/.netrc --chdir /w --',
      ].join(' '),
    );
    const readOnly = bubblewrapArguments({ ...confinement, isFolderWritable: false, hasNetwork: true }, traits).join(
      ' ',
    );
    expect(readOnly).toContain('--ro-bind /w /w');
    expect(readOnly).not.toMatch(/ --bind \/w|--unshare-net/);
    expect(readOnly).toContain('--ro-bind-try /run/systemd/resolve /run/systemd/resolve');
  });

  it('is exactly this for Seatbelt', () => {
    expect(seatbeltProfile({ ...confinement, folder: '/w "x\\' })).toContain('(subpath "/w \\"x\\\\")');
    expect(seatbeltProfile(confinement).split('\n')).toEqual([
      '(version 1)',
      '(allow default)',
      '(deny file-write*)',
      '(allow file-write* (subpath "/host/t") (subpath "/w") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/tty") (literal "/dev/dtracehelper") (regex #"^/dev/fd/"))',
      '(deny file-write* (subpath "/w/.git/hooks"))',
      '(deny file-write-unlink (literal "/w/.git"))',
      '(deny file-read* file-write* (subpath "/h/.ssh") (subpath "/h/.netrc"))',
      '(deny network*)',
      '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd") (global-name "com.apple.coreservices.appleevents") (global-name "com.apple.lsd.open") (global-name "com.apple.lsd.xpc"))',
      '(deny appleevent-send)',
      '(deny job-creation)',
      '(deny signal)',
      '(allow signal (target same-sandbox))',
      '',
    ]);
  });
});

describe('P10: what is guarded', () => {
  const find = (folder: string, options: Partial<SandboxOptions> & { home?: string } = {}) =>
    findPlaces(folder, { protectedPaths: [], hiddenPaths: [], home: '/nowhere', ...options });
  const below = (folder: string, paths: readonly { path: string }[]) =>
    paths
      .map(({ path }) => path.slice(folder.length + 1))
      .filter((name) => !(obeyedNames as readonly string[]).includes(name) || existsSync(join(folder, name)))
      .sort();
  const hiddenIn = (folder: string, { hidden }: Pick<Confinement, 'hidden'>) =>
    hidden.filter(({ path }) => path.startsWith(`${folder}/`));

  it('holds the settings of Pawl and of git, also where they are not yet', async () => {
    const folder = temporaryFolder();
    const empty = await find(folder);
    expect(empty.guarded).toEqual([]);
    expect(below(folder, empty.awaited)).toEqual(['.git', '.pawl']);
    expect(readdirSync(folder)).toEqual([]);

    mkdirSync(join(folder, '.git', 'modules'), { recursive: true });
    writeFileSync(
      join(folder, '.git', 'config'),
      '[core]\n\thooksPath = tools/hooks\n[extensions]\n\tworktreeConfig = true\n',
    );
    mkdirSync(join(folder, 'tools'));
    mkdirSync(join(folder, '.vscode'));
    const places = await find(folder);
    expect(below(folder, places.guarded)).toEqual(['.git/config', '.git/modules', '.vscode']);
    expect(below(folder, places.awaited)).toEqual([
      '.git/commondir',
      '.git/config.worktree',
      '.git/hooks',
      '.git/worktrees',
      '.pawl',
      'tools/hooks',
    ]);
    expect(new Set(places.anchored)).toEqual(new Set([join(folder, '.git'), join(folder, 'tools')]));
    expect(places.gap).toBeNull();
  });

  it('holds what the settings of git include, and hooks wherever they lie, also where they are not yet', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.git'));
    expect(below(folder, (await find(folder)).awaited)).toContain('.git/config');
    writeFileSync(join(folder, '.gitconfig'), '[include]\n\tpath = "conf/git/more" # and more\n');
    writeFileSync(
      join(folder, '.git', 'config'),
      `[includeIf "onbranch:main"] path = ../.gitconfig\n[core]\n\thooksPath = ${folder}/made/hooks\n[include]\npath = .\npath = /elsewhere\n`,
    );
    const places = await find(folder);
    expect(below(folder, places.guarded)).toEqual(['.git/config', '.gitconfig']);
    expect(below(folder, places.awaited)).toEqual([
      '.git/commondir',
      '.git/hooks',
      '.git/modules',
      '.git/worktrees',
      '.pawl',
      'conf/git/more',
      'made/hooks',
    ]);
    expect(places.awaited.map(({ top }) => top)).toEqual(
      expect.arrayContaining([join(folder, 'conf'), join(folder, 'made')]),
    );
  });

  it('takes a worktree’s .git file as it is', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.git'), 'gitdir: /elsewhere\n');
    expect((await find(folder)).guarded).toContainEqual(
      expect.objectContaining({ path: join(folder, '.git'), isFolder: false }),
    );
  });

  it('says that it cannot hold symbolic links, or a whole home', async () => {
    const folder = temporaryFolder();
    symlinkSync('/elsewhere', join(folder, '.git'));
    expect((await find(folder)).gap).toBe(
      `${join(folder, '.git')} is a symbolic link, which the sandbox cannot hold in its place`,
    );
    const home = temporaryFolder();
    const places = await find(home, { home });
    expect(places.gap).toBe('the session’s folder holds the whole home');
    expect(below(home, places.awaited)).toEqual(
      expect.arrayContaining(['.bashrc', '.zshrc', '.profile', '.gitconfig']),
    );
  });

  it('hides keys of the home and what it is told to, unless the work is in there', async () => {
    const folder = temporaryFolder();
    const home = temporaryFolder();
    mkdirSync(join(home, '.ssh'), { recursive: true });
    writeFileSync(join(home, '.netrc'), '');
    mkdirSync(join(home, 'data'));
    expect(find(folder, { home, hiddenPaths: [folder] }).hidden).not.toContainEqual(
      expect.objectContaining({ path: expect.stringContaining(home) }),
    );
    const places = find(home, { home, hiddenPaths: [join(home, 'data'), home] });
    expect(hiddenIn(home, places)).toMatchObject([
      { path: join(home, '.netrc'), isFolder: false },
      { path: join(home, '.ssh'), isFolder: true },
      { path: join(home, 'data'), isFolder: true },
    ]);
  });

  it('hides keys where links lead, also that of the home itself', () => {
    const real = temporaryFolder();
    mkdirSync(join(real, 'dotfiles', 'ssh'), { recursive: true });
    symlinkSync('dotfiles/ssh', join(real, '.ssh'));
    writeFileSync(join(real, 'dotfiles', 'netrc'), '');
    symlinkSync(join(real, 'dotfiles', 'netrc'), join(real, '.netrc'));
    mkdirSync(join(real, '.aws'));
    symlinkSync('nowhere', join(real, '.gnupg'));
    const home = join(temporaryFolder(), 'home');
    symlinkSync(real, home);
    expect(hiddenIn(real, find(real, { home }))).toMatchObject([
      { path: join(real, '.aws'), isFolder: true },
      { path: join(real, 'dotfiles', 'netrc'), isFolder: false },
      { path: join(real, 'dotfiles', 'ssh'), isFolder: true },
    ]);
  });

  it.each([
    ['path that is too long', 'a/'.repeat(3000)],
    ['name that is too long', 'x'.repeat(300)],
    ['path in a circle', 'loop/x'],
  ])('is not stopped by settings that include a %s', (_, path) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.git'));
    symlinkSync('loop', join(folder, '.git', 'loop'));
    writeFileSync(join(folder, '.git', 'config'), `[include]\n\tpath = ${path}\n`);
    expect(below(folder, find(folder).guarded)).toContain('.git/config');
  });

  it('holds the settings of a folder that is a repository itself', () => {
    const folder = temporaryFolder();
    execFileSync('git', ['init', '-q', '--bare', folder]);
    const places = find(folder);
    expect(below(folder, places.guarded)).toEqual(['config', 'hooks']);
    expect(below(folder, places.awaited)).toEqual(['.git', '.pawl', 'commondir', 'modules', 'worktrees']);
  });
});

describe('P10: without a sandbox', () => {
  const none: Probe = {
    isAvailable: false,
    reason: 'bubblewrap is not installed.',
    advice: 'Install it.',
    readers: null,
  };

  it('says so once, and holds nothing', async () => {
    const notices: string[] = [];
    const sandbox = createSandbox({}, { notice: (line) => notices.push(line), find: async () => none });
    expect(notices).toEqual([]);
    const folder = temporaryFolder();
    expect(await sandbox.holdOf(folder)).toEqual({
      kind: 'none',
      advice: 'bubblewrap is not installed. Install it.',
    });
    expect(await sandbox.launch('s', folder)).toBeNull();
    expect(notices).toEqual([
      'There is no sandbox: bubblewrap is not installed. Commands may do all that you may, and are asked about where they would have been contained; those that only read too, until uncontained_reading is allowed, for a session or in the settings. Install it.',
    ]);
  });

  it('says nothing where nobody wants one', async () => {
    const notices: string[] = [];
    const sandbox = createSandbox({ mode: 'off' }, { notice: (line) => notices.push(line), find: async () => none });
    expect(await sandbox.holdOf(temporaryFolder())).toEqual({ kind: 'none', advice: null });
    expect(notices).toEqual([]);
  });
});

contained('P10: a contained command', () => {
  it('writes in the folder and in a temporary one of its session, and nowhere else', async () => {
    const outside = temporaryFolder();
    const { folder, call } = createWorkspace();
    const other = await call('bash', {
      command: `echo 1 > here; mkdir -p a/b; echo 2 > a/b/c; echo 3 > /tmp/pawl-kept; echo $TMPDIR; for p in ${outside}/x /etc/pawl-x ~/pawl-x /usr/pawl-x /var/tmp/pawl-x; do echo no 2>/dev/null > $p && echo wrote $p; done; true`,
    });
    expect(other.content).toContain('/tmp');
    expect(readFileSync(join(folder, 'a', 'b', 'c'), 'utf8')).toBe('2\n');
    expect(readdirSync(outside)).toEqual([]);
    for (const path of ['/etc/pawl-x', '/usr/pawl-x', '/var/tmp/pawl-x', '/tmp/pawl-kept'])
      expect(existsSync(path)).toBe(false);
    expect((await call('bash', { command: 'cat /tmp/pawl-kept' })).content).toBe('3');
    expect((await call('bash', { command: 'ls /tmp' }, { session: 'other' })).content).not.toContain('kept');
  });

  it('is not run where its folder can no longer be held, though that was so a moment ago', async () => {
    const { folder, call, plan } = createWorkspace();
    mkdirSync(join(folder, 'elsewhere'));
    const { plan: judged } = await plan('bash', { command: 'echo 1 > made' });
    symlinkSync(join(folder, 'elsewhere'), join(folder, '.pawl'));
    const acting = call('bash', { command: 'echo 1 > made' }, { basis: judged.basis ?? null });
    await expect(acting).rejects.toMatchObject({ code: 'outdated' });
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it('changes no guarded place by any means, and leaves nothing of ours behind', async () => {
    const { folder, call } = createWorkspace();
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(join(folder, '.envrc'), 'mine\n');
    const config = readFileSync(join(folder, '.git', 'config'), 'utf8');
    const hooks = readdirSync(join(folder, '.git', 'hooks'));
    const places = ['.git/hooks/pre-commit', '.git/config', '.envrc', '.git'];
    const means = [
      (place: string) => `echo evil > ${place}`,
      (place: string) => `mkdir -p $(dirname ${place}); cp evil ${place}`,
      (place: string) => `mv evil2 ${place}; ln -sf $PWD/evil ${place}; ln -f evil ${place}`,
      (place: string) => `rm -rf ${place}; mkdir -p ${place}; echo evil > ${place}/evil`,
      (place: string) => `mv $(dirname ${place}) moved && mkdir -p $(dirname ${place}) && echo evil > ${place}`,
      (place: string) => `umount ${place}; mount -o remount,rw,bind ${place}; echo evil >> ${place}`,
      (place: string) => `unshare -Urm sh -c 'umount -l ${place}; echo evil >> ${place}'`,
      (place: string) => `(cd /proc/1/root$PWD && echo evil >> ${place}); echo evil >> /proc/self/cwd/${place}`,
      (place: string) => `sed -i s/./evil/ ${place}; truncate -s 0 ${place}; dd if=evil of=${place}`,
      (place: string) => `git config core.fsmonitor evil; git config --file ${place} a.b evil`,
      (place: string) => `ln ${place} link; echo evil >> link; exec 9<>${place} && echo evil >&9`,
    ];
    const attempts = places.flatMap((place) => means.map((way) => `( ${way(place)} )`));
    const outcome = await call('bash', {
      command: `echo evil > evil\necho evil > evil2\n${attempts.join('\n')}\necho done`,
    });
    expect(outcome.content).toContain('done');
    expect(readFileSync(join(folder, '.git', 'config'), 'utf8')).toBe(config);
    expect(readdirSync(join(folder, '.git', 'hooks'))).toEqual(hooks);
    expect(readFileSync(join(folder, '.envrc'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(folder, 'evil'), 'utf8')).toContain('evil');
  });

  it('changes nothing that the settings of git include', async () => {
    const { folder, call } = createWorkspace();
    execFileSync('git', ['init', '-q', folder]);
    execFileSync('git', ['config', 'include.path', '../.gitconfig'], { cwd: folder });
    execFileSync('git', ['config', 'core.hooksPath', join(folder, 'made/hooks')], { cwd: folder });
    await call('bash', {
      command:
        'git config --file .gitconfig core.fsmonitor evil; echo evil > .gitconfig; mkdir -p made/hooks && echo evil > made/hooks/pre-commit; chmod +x made/hooks/pre-commit',
    });
    expect(existsSync(join(folder, '.gitconfig'))).toBe(false);
    expect(readdirSync(join(folder, 'made'))).toEqual(['hooks.set-aside']);
  });

  it('commits as before', async () => {
    const { folder, call } = createWorkspace();
    execFileSync('git', ['init', '-q', folder]);
    const outcome = await call('bash', {
      command:
        'echo x > a; git add -A && git -c user.name=n -c user.email=e@e commit -qm one && git status --short && git log --format=%s',
    });
    expect(outcome).toMatchObject({ content: 'one', isError: false });
    expect(execFileSync('git', ['-C', folder, 'log', '--format=%s'], { encoding: 'utf8' })).toBe('one\n');
  });

  it.each([
    ['with a .git that it spoils', true],
    ['without one', false],
  ])('does not make the folder a repository that a person’s git obeys, %s', async (_, hasGit) => {
    const { folder, call } = createWorkspace();
    const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    if (hasGit) git('init', '-q');
    const settings = '[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch sprung; false"\n';
    const plant = `mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; printf '${settings}' > config; rm -f .git/HEAD`;
    const { content } = await call('bash', { command: plant });
    expect(content).toContain('HEAD was renamed to HEAD.set-aside');
    expect(() => git('status')).toThrow('not a git repository');
    const { details } = await call('bash', { command: 'mv HEAD.set-aside HEAD', background: true });
    const { content: ended } = await call('process', { action: 'stop', id: String(details?.process) });
    expect(ended).toBeDefined();
    await expect.poll(() => existsSync(join(folder, 'HEAD'))).toBe(false);
    expect(existsSync(join(folder, 'sprung'))).toBe(false);
  });

  it('of a task changes only folders that are still what they were when they were looked at', async () => {
    const place = temporaryFolder('/var/tmp');
    const folder = join(place, 'a b');
    const outside = join(place, 'outside');
    mkdirSync(join(folder, 'src'), { recursive: true });
    mkdirSync(outside);
    const sandbox = createSandbox({}, { notice: () => undefined });
    const launch = await sandbox.launch('s', folder, { roots: [join(folder, 'src')] });
    const { words: [program = '', ...words] = [] } = launch ?? {};
    const touch = (given: readonly string[]) => {
      const filter = launch?.filter == null ? null : openSync(launch.filter, 'r');
      const ended = spawnSync(program, [...given, 'touch', join(folder, 'src', 'x')], {
        stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...(filter === null ? [] : [filter])],
      });
      if (filter !== null) closeSync(filter);
      return ended;
    };
    expect(touch(words).status).toBe(0);
    // As if a link had stood there while the source was looked up, and no more when it was mounted.
    const bound = words.findIndex((word, index) => word === '--bind' && words[index + 1] === join(folder, 'src'));
    expect(touch(words.with(bound + 1, outside))).toMatchObject({ status: 126 });
    renameSync(join(folder, 'src'), join(folder, 'real'));
    symlinkSync('../outside', join(folder, 'src'));
    const { status, stderr } = touch(words);
    expect(status).toBe(126);
    expect(String(stderr)).toContain('was moved while the sandbox was made, so nothing was run');
    expect(readdirSync(outside)).toEqual([]);
    await launch?.release();
  });

  it('reaches no network, not even this machine, and no socket of a daemon', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { call } = createWorkspace();
    const command = `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo reached; wc -l < /proc/net/dev; find / -xdev -path /proc -prune -o -type s -print 2>/dev/null; ls -A /run`;
    const { content } = await call('bash', { command });
    expect(content).toMatch(/connect: (?:Connection refused|Network is unreachable)/);
    expect(content).not.toContain('reached\n');
    expect(content).not.toMatch(/\.sock/);
  });

  it('has no rights that would let it out, also as root', async () => {
    const { call } = createWorkspace();
    const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    const { content } = await call('bash', {
      command:
        'grep CapEff /proc/self/status; (echo pawl > /proc/sys/kernel/core_pattern) 2>/dev/null && echo wrote; mount -o remount,rw / 2>/dev/null && echo mounted; unshare -Ur true 2>/dev/null && echo unshared; kill -0 1 && ls /proc | grep -c "^[0-9]"; chroot / true 2>/dev/null && echo chroot; mknod x b 8 0 2>/dev/null && echo node; true',
    });
    expect(content).toMatch(/^CapEff:\t0+\n[1-9]$/);
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
  });

  it('sees no keys: not in its environment, not in this process, not where they are hidden', async () => {
    const hidden = temporaryFolder();
    writeFileSync(join(hidden, 'key'), 'sk-hidden');
    const { call } = createWorkspace({
      sandbox: { hiddenPaths: [hidden] },
      environment: { ...process.env, ANTHROPIC_API_KEY: 'sk-key' },
    });
    const { content } = await call('bash', {
      command: `env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; ls -A ${hidden}; cat ${hidden}/key`,
    });
    expect(content).not.toMatch(/sk-key|sk-hidden|ANTHROPIC_API_KEY/);
  });

  it('shows what only reads the folder exactly as it is, and changes nothing', async () => {
    const { folder, call, tool, context } = createWorkspace();
    expect(await tool('bash').containment?.({ command: 'ls -A' }, context())).toBe('read-only');
    expect((await call('bash', { command: 'ls -A' })).content).toBe('(no output)');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('needs no question for what git only reads: what the repository makes git run can change and reach nothing', async () => {
    const { folder, call, tool, context } = createWorkspace();
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(join(folder, 'a'), 'a\n');
    const monitor = join(folder, '.git', 'monitor');
    writeFileSync(monitor, `#!/bin/sh\necho ran >&2; touch '${folder}/canary'; cat /proc/net/dev >&2\n`, {
      mode: 0o755,
    });
    execFileSync('git', ['-C', folder, 'config', 'core.fsmonitor', monitor]);
    for (const command of ['git status --short', 'git --no-pager status --short | head -3']) {
      expect(await tool('bash').approval?.({ command }, context())).toBe(false);
      expect(await tool('bash').containment?.({ command }, context())).toBe('read-only');
      const { content } = await call('bash', { command });
      expect(content).toContain('?? a');
      expect(content).toContain('ran');
      expect(content).not.toMatch(/eth|ens|wlan/);
    }
    expect(existsSync(join(folder, 'canary'))).toBe(false);
    for (const input of [
      { command: 'git commit -m x' },
      { command: 'git status', background: true },
      { command: 'git status', outside: true },
    ])
      expect(await tool('bash').approval?.(input, context())).toBe(true);
  });

  it('asks for what git reads where nothing contains it', async () => {
    for (const sandbox of [{ mode: 'off' }, { network: 'on' }] as const) {
      const { tool, context } = createWorkspace({ sandbox });
      expect(await tool('bash').approval?.({ command: 'git status' }, context())).toBe(true);
    }
  });

  it('changes nothing in plan mode', async () => {
    const { folder, call, tool, context } = createWorkspace();
    expect(await tool('bash').containment?.({ command: 'x' }, context({ mode: 'plan' }))).toBe('read-only');
    const outcome = await call(
      'bash',
      { command: 'touch x; mkdir .git; touch /tmp/y && ls' },
      { mode: 'plan', basis: null },
    );
    expect(outcome.content).toContain('Read-only file system');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends with all that it left behind', async () => {
    const { folder, call } = createWorkspace();
    const outcome = await call('bash', {
      command:
        '(setsid bash -c "while :; do touch beat; sleep 0.01; done" &) ; while ! test -e beat; do sleep 0.01; done; echo ok',
    });
    expect(outcome.content).toBe('ok');
    rmSync(join(folder, 'beat'));
    await call('bash', { command: 'sleep 0.1' });
    expect(existsSync(join(folder, 'beat'))).toBe(false);
  });

  it('can end in order at its time limit, and is ended if it does not', async () => {
    const { folder, call } = createWorkspace({ killGraceMs: 2000 });
    const outcome = await call('bash', {
      command: 'trap "echo bye > left; exit 3" TERM; echo started; sleep 1000 & wait',
      timeoutMs: 500,
    });
    expect(outcome).toMatchObject({ isError: true, details: { isTimedOut: true, exitCode: 3 } });
    expect(outcome.details?.durationMs).toBeLessThan(2000);
    expect(readFileSync(join(folder, 'left'), 'utf8')).toBe('bye\n');
    const stubborn = await createWorkspace({ killGraceMs: 100 }).call('bash', {
      command: "trap '' TERM; echo started; while :; do sleep 0.05; done",
      timeoutMs: 300,
    });
    expect(stubborn.content).toMatch(/\(Not finished after 300 ms/);
  });

  it('is told that it was the sandbox, and runs outside when a person says so', async () => {
    const outside = temporaryFolder();
    const { call, tool, context, plan } = createWorkspace();
    const command = `echo x > ${outside}/x`;
    // The temporary folder is another one inside, so a place that is the same there.
    const blocked = await call('bash', { command: 'echo x > /usr/pawl-test' });
    expect(blocked.content).toContain('outside: true');
    expect((await call('bash', { command: 'exit 1' })).content).toBe('(Exit code 1.)');
    expect(await tool('bash').containment?.({ command }, context())).toBe('workspace');
    expect(await tool('bash').containment?.({ command, outside: true }, context())).toBe('escape');
    expect((await plan('bash', { command, outside: true })).plan.preview?.text).toBe(
      `Outside of the sandbox: it can change and reach all that you can.\n${command}`,
    );
    expect((await call('bash', { command, outside: true })).details).toMatchObject({ exitCode: 0, isContained: false });
    expect(existsSync(join(outside, 'x'))).toBe(true);
  });

  it('does not run where it is not contained as it was judged', async () => {
    const judged = createWorkspace();
    const { plan } = await judged.plan('bash', { command: 'touch x' });
    expect(plan.basis).toBe('containment workspace');
    const free = createWorkspace({ sandbox: { mode: 'off' } }, judged.folder);
    await expect(
      free.tool('bash').run({ command: 'touch x' }, free.context({ basis: plan.basis ?? null })),
    ).rejects.toMatchObject({
      code: 'outdated',
    });
    expect(existsSync(join(judged.folder, 'x'))).toBe(false);
  });
});
