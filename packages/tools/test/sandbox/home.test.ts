import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { probeSandbox } from '../../src/index.ts';
import { absentHomes } from '../../src/sandbox/home.ts';
import { createWorkspace } from '../workspace.ts';

const probe = await probeSandbox();
if (!probe.isAvailable) console.log(`Skipped, what needs a sandbox: ${probe.reason} ${probe.advice}`);

/** Where programs of all kinds keep what lets others act in their user's name. */
const planted = [
  '.git-credentials',
  '.config/git/credentials',
  '.netrc',
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.aws/sso/cache/token.json',
  '.azure/msal_token_cache.json',
  '.config/gcloud/application_default_credentials.json',
  '.kube/config',
  '.docker/config.json',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.gradle/gradle.properties',
  '.nuget/NuGet/NuGet.Config',
  '.composer/auth.json',
  '.pgpass',
  '.my.cnf',
  '.config/rclone/rclone.conf',
  '.config/gh/hosts.yml',
  '.config/glab-cli/config.yml',
  '.huggingface/token',
  '.cache/huggingface/token',
  '.claude/.credentials.json',
  '.claude.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.local/share/opencode/auth.json',
  '.config/github-copilot/apps.json',
  '.config/pawl/config.yaml',
  '.config/sops/age/keys.txt',
  '.gnupg/private-keys-v1.d/key.key',
  '.password-store/mail.gpg',
  '.config/google-chrome/Default/Cookies',
  '.mozilla/firefox/x.default/logins.json',
  '.config/Code/User/globalStorage/state.vscdb',
  '.vscode-server/data/User/secrets.json',
  '.local/share/keyrings/login.keyring',
  '.electrum/wallets/default_wallet',
  '.bitcoin/wallet.dat',
  '.config/solana/id.json',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
  '.bash_history',
  '.python_history',
  '.config/some-program-that-nobody-knows/secret',
];

/** A home outside of what a sandbox replaces anyway, and this process at home in it until the test ends. */
function makeHome(): string {
  const home = realpathSync(mkdtempSync('/var/tmp/pawl-home-'));
  const before = process.env.HOME;
  process.env.HOME = home;
  onTestFinished(() => {
    process.env.HOME = before;
    rmSync(home, { recursive: true, force: true });
  });
  return home;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('P10: the home of a contained command', () => {
  it.skipIf(!probe.isAvailable)('holds none of the keys that lie in it, by whatever name or link', async () => {
    const home = makeHome();
    for (const path of planted) put(join(home, path), `planted-${path}`);
    mkdirSync(join(home, 'work'));
    symlinkSync(home, join(home, 'work', 'up'));
    const { call } = createWorkspace({}, join(home, 'work'));
    const words = planted.map((path) => `'${path}'`).join(' ');
    const { content } = await call('bash', {
      command: `for p in ${words}; do cat ~/"$p" "up/$p" "../$p" /proc/self/root${home}/"$p" 2>/dev/null; done; grep -rl planted ~ ${home} 2>/dev/null; tar cf - -C ~ . 2>/dev/null | tr -d '\\0' | grep -ao 'planted-[a-z.]*'; ls -A ~`,
    });
    expect(content).toBe('work');
    const readOnly = await call('bash', { command: 'find ~ -type f; cat ~/.netrc' }, { mode: 'plan' });
    expect(readOnly.content).not.toContain('planted');
  });

  it.skipIf(!probe.isAvailable)('cannot be written, nor what is shown of it', async () => {
    const home = makeHome();
    put(join(home, '.cargo/bin/x'), 'x');
    const { call } = createWorkspace();
    const { content } = await call('bash', {
      command: 'cat ~/.cargo/bin/x; for p in ~/new ~/.cargo/new ~/.cargo/bin/x; do echo no > $p; done',
    });
    expect(content.startsWith('x')).toBe(true);
    expect(content.match(/Read-only file system/g)).toHaveLength(3);
    expect(existsSync(join(home, 'new'))).toBe(false);
  });

  it.skipIf(!probe.isAvailable)(
    'has what the settings add, and settings of git only while no key is in them',
    async () => {
      const home = makeHome();
      put(join(home, '.gitconfig'), '[user]\n\tname = Ann\n\temail = a@b\n[credential]\n\thelper = store\n');
      put(join(home, 'lib/x'), 'shared');
      put(join(home, '.aws/config'), 'region');
      const { call } = createWorkspace({ sandbox: { shownOfHome: ['lib', '~/.aws'] } });
      const command = 'git config user.name; cat ~/lib/x ~/.aws/config';
      expect((await call('bash', { command })).content).toBe('Ann\nsharedregion');
      for (const key of [
        '[url "https://ann:tok123@github.com/"]\n\tinsteadOf = https://github.com/',
        '[http]\n\textraHeader = Authorization: Basic abc',
        '[github]\n\ttoken = abcdef',
        '[sendemail]\n\tsmtpPass = hunter2',
        '[url "https://ghp_abcdefghijklmnop@github.com/"]',
      ]) {
        put(join(home, '.gitconfig'), `[user]\n\tname = Ann\n${key}\n`);
        expect((await call('bash', { command: 'cat ~/.gitconfig' })).isError).toBe(true);
      }
    },
  );

  it.skipIf(!probe.isAvailable)(
    'has the repository that the folder is a part of, and worktrees and submodules theirs',
    async () => {
      const home = makeHome();
      const top = join(home, 'code');
      const git = (folder: string, ...words: string[]) =>
        execFileSync(
          'git',
          ['-c', 'user.name=n', '-c', 'user.email=e@e', '-c', 'protocol.file.allow=always', ...words],
          {
            cwd: folder,
            stdio: 'pipe',
          },
        );
      put(join(top, 'pkg/a'), 'a');
      put(join(home, 'other/secret'), 'planted');
      git(top, 'init', '-q');
      git(top, 'add', '-A');
      git(top, 'commit', '-qm', 'first');
      git(top, 'worktree', 'add', '-q', join(home, 'tree'));
      git(top, 'submodule', 'add', '-q', top, 'sub');
      for (const folder of [join(top, 'pkg'), join(home, 'tree'), join(top, 'sub')]) {
        const { call } = createWorkspace({}, folder);
        const { content } = await call('bash', { command: 'git log --format=%s; cat ~/other/secret' });
        expect(content).toContain('first');
        expect(content).not.toContain('planted');
      }
      mkdirSync(join(home, 'evil'));
      writeFileSync(join(home, 'evil/.git'), `gitdir: ${home}/other\n`);
      const { call } = createWorkspace({}, join(home, 'evil'));
      expect((await call('bash', { command: 'cat ~/other/secret' })).content).not.toContain('planted');
    },
  );

  it('is there where it holds the folder or the system', () => {
    const options = { shown: [], environment: {} };
    const home = makeHome();
    expect(absentHomes(home, { ...options, homes: [home] })).toEqual([]);
    expect(absentHomes('/work', { ...options, homes: ['/'] })).toEqual([]);
    expect(absentHomes('/work', { ...options, homes: [home] })).toEqual([{ path: home, seen: [] }]);
  });

  it('shows programs that are on the path, and no link that leads to the home itself', () => {
    const home = makeHome();
    put(join(home, 'tools/bin/x'), '');
    put(join(home, 'elsewhere/go/pkg/y'), '');
    symlinkSync(home, join(home, '.nvm'));
    chmodSync(join(home, 'tools/bin/x'), 0o755);
    const environment = { PATH: `${home}:${home}/tools/bin:/usr/bin`, GOPATH: `${home}/elsewhere/go` };
    const [absent] = absentHomes('/work', { shown: [], environment, homes: [home] });
    expect(absent?.seen.map(({ seenAt }) => seenAt.slice(home.length + 1))).toEqual(['elsewhere/go/pkg', 'tools/bin']);
  });

  it.skipIf(!probe.isAvailable).each([
    ['npm', 'npm --version'],
    ['git', 'git init -q r && cd r && echo x > a && git add a && git -c user.name=n -c user.email=e@e commit -qm x'],
    ['cargo', 'cargo init -q --name x c && cd c && cargo build -q --offline'],
    ['pip', 'pip --version && python3 -c "print(1)"'],
    ['go', 'go version'],
  ])('leaves %s to work, as far as it is here', async (name, command) => {
    try {
      execFileSync('/bin/bash', ['-c', `command -v ${name}`], { stdio: 'pipe' });
    } catch {
      console.log(`Skipped: there is no ${name} here.`);
      return;
    }
    const { call } = createWorkspace();
    const outcome = await call('bash', { command });
    expect(outcome).toMatchObject({ isError: false });
  });
});
