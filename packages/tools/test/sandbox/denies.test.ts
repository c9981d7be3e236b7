import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { probeSandbox } from '../../src/index.ts';
import { createWorkspace } from '../workspace.ts';

const probe = await probeSandbox();
if (!probe.isAvailable) console.log(`Skipped, what needs a sandbox: ${probe.reason} ${probe.advice}`);

const key = 'deep-secret-of-a-denied-file';
const git = (folder: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@e', ...words], { cwd: folder, stdio: 'pipe' });

/** A folder with what rules deny, called with these rules. */
function denying(denies: { read?: string[]; edit?: string[] }) {
  const { folder, call } = createWorkspace();
  const run = async (command: string) =>
    (await call('bash', { command }, { denies: () => ({ read: [], edit: [], ...denies }) })).content;
  return { folder, run };
}

describe.skipIf(!probe.isAvailable)('P10: a deny of reading, in the sandbox', () => {
  it.each([
    ['a name', ['.env']],
    ['a pattern', ['**/.env']],
    ['another case', ['.ENV']],
    ['a pattern with a star in the name', ['.en*']],
  ])('holds by %s, whatever way leads to the file', async (_, read) => {
    const { folder, run } = denying({ read });
    writeFileSync(join(folder, '.env'), `KEY=${key}\n`);
    symlinkSync('.', join(folder, 'round'));
    symlinkSync('.env', join(folder, 'alias'));
    linkSync(join(folder, '.env'), join(folder, 'hard'));
    const said = await run(`
cat .env ./round/.env alias hard "$PWD"/round/round/.env /proc/self/cwd/.env /proc/self/root$PWD/.env
ln -s . d; cat d/.env; ln .env e; cat e; cp -r . /tmp/q; cat /tmp/q/.env /tmp/q/hard
mv .env f; cat f; tar cf - . | tr -d '\\0'; gcc -E - <<< '#include ".env"'
git init -q g 2>/dev/null; cd g; git add -f ../.env; git hash-object -w ../.env; cd ..
python3 -c 'print(open(".env").read())'; perl -pe1 .env; awk 1 .env; grep -r . .; umount .env; cat .env; rm -f .env; cat .env`);
    expect(said).not.toContain(key);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toContain(key);
  });

  it('holds for folders, and for what lies deep in them', async () => {
    const { folder, run } = denying({ read: ['private/**', 'a/**/*.pem'] });
    mkdirSync(join(folder, 'private/x'), { recursive: true });
    mkdirSync(join(folder, 'a/b/c'), { recursive: true });
    for (const path of ['private/x/y', 'a/b/c/k.pem', 'a/k.pem']) writeFileSync(join(folder, path), key);
    writeFileSync(join(folder, 'a/open.txt'), 'open');
    const said = await run('grep -r . .; mv private moved; mv a moved2; cat moved*/x/y moved*/b/c/*; cat a/open.txt');
    expect(said).toContain('open');
    expect(said).not.toContain(key);
  });

  it('holds against git, whose history has it: that is not seen, and it is said where git is', async () => {
    const { folder, run } = denying({ read: ['.env'] });
    git(folder, 'init', '-q');
    writeFileSync(join(folder, '.env'), key);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'first');
    git(folder, 'rm', '-q', '.env');
    git(folder, 'commit', '-qm', 'second');
    const said = await run(
      'git log -p; git show HEAD~1:.env; git cat-file --batch --batch-all-objects; git stash list',
    );
    expect(said).not.toContain(key);
    expect(said).toContain('The history of this repository holds what a rule denies to be read');
  });

  it('leaves git alone where the history does not have it', async () => {
    const { folder, run } = denying({ read: ['.env'] });
    git(folder, 'init', '-q');
    writeFileSync(join(folder, '.gitignore'), '.env\n');
    writeFileSync(join(folder, '.env'), key);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'first');
    expect(await run('git log --format=%s; git status --short')).toBe('first');
    // As soon as somebody commits it, that is over.
    git(folder, 'add', '-f', '.env');
    git(folder, 'commit', '-qm', 'second');
    expect(await run('git log -p')).not.toContain(key);
  });
});

describe.skipIf(!probe.isAvailable)('P10: a deny of editing, in the sandbox', () => {
  it('holds whatever way leads there: links, git, archives', async () => {
    const { folder, run } = denying({ edit: ['src/locked/**', '**/*.lock'] });
    mkdirSync(join(folder, 'src/locked'), { recursive: true });
    writeFileSync(join(folder, 'src/locked/x'), 'one\n');
    writeFileSync(join(folder, 'a.lock'), 'one\n');
    git(folder, 'init', '-q');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'first');
    writeFileSync(join(folder, 'src/locked/x'), 'two\n');
    writeFileSync(join(folder, 'a.lock'), 'two\n');
    await run(`
ln -s src s; echo no > s/locked/x; git checkout -f HEAD -- .; git restore .; git stash; git reset -q --hard; git read-tree -u --reset HEAD
mv src moved; mkdir -p src/locked; echo no > src/locked/x; mv moved/locked/x y; rm -rf src; sed -i s/two/no/ a.lock; mv a.lock b; echo no > a.lock
mkdir -p /tmp/t/src/locked; echo no > /tmp/t/src/locked/x; tar cf /tmp/x.tar -C /tmp/t .; tar xf /tmp/x.tar; ln -f /tmp/x.tar a.lock; echo new > src/locked/new`);
    expect(readFileSync(join(folder, 'a.lock'), 'utf8')).toBe('two\n');
    expect(readFileSync(join(folder, 'src/locked/x'), 'utf8')).toBe('two\n');
    expect(existsSync(join(folder, 'src/locked/new'))).toBe(false);
  });

  it('sets aside what is made under a denied name that is not there yet', async () => {
    const { folder, run } = denying({ edit: ['deploy.yaml'] });
    expect(await run('echo evil > deploy.yaml')).toContain('deploy.yaml was renamed');
    expect(existsSync(join(folder, 'deploy.yaml'))).toBe(false);
  });
});

describe.skipIf(!probe.isAvailable)('P10: other repositories below the folder', () => {
  it('have hooks, settings and modules that no command changes, and none that it makes', async () => {
    const { folder, run } = denying({});
    const nested = join(folder, 'packages/lib');
    mkdirSync(nested, { recursive: true });
    git(nested, 'init', '-q');
    git(folder, 'init', '-q');
    const bare = join(folder, 'mirror.git');
    execFileSync('git', ['init', '-q', '--bare', bare]);
    const config = readFileSync(join(nested, '.git/config'), 'utf8');
    await run(`
echo evil > packages/lib/.git/hooks/pre-commit; chmod +x packages/lib/.git/hooks/pre-commit; git -C packages/lib config core.fsmonitor evil
mkdir -p .git/modules/x; printf '[core]\\n\\tfsmonitor = evil\\n' > .git/modules/x/config
echo evil > mirror.git/hooks/post-receive; git --git-dir=mirror.git config core.fsmonitor evil
mv packages moved; mkdir -p packages/lib/.git; echo evil > packages/lib/.git/config`);
    expect(existsSync(join(nested, '.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(join(nested, '.git/config'), 'utf8')).toBe(config);
    expect(existsSync(join(folder, '.git/modules'))).toBe(false);
    expect(existsSync(join(bare, 'hooks/post-receive'))).toBe(false);
    expect(readFileSync(join(bare, 'config'), 'utf8')).not.toContain('evil');
  });

  it('are set aside if a command made them and they would run something; else they stay', async () => {
    const { folder, run } = denying({});
    await run('git init -q good; git init -q evil; git -C evil config core.fsmonitor ./x');
    // On a busy machine looking for them took long, and so they are looked for a little after its end.
    while (existsSync(join(folder, 'evil/.git'))) await wait(10);
    expect(existsSync(join(folder, 'evil/.git.set-aside'))).toBe(true);
    expect(existsSync(join(folder, 'good/.git/config'))).toBe(true);
  });

  it('keep what programs of editors and agents obey from coming into being', async () => {
    const { folder, run } = denying({});
    await run(
      'mkdir .vscode; echo evil > .vscode/tasks.json; echo evil > .envrc; mkdir -p .claude && echo evil > .claude/settings.json',
    );
    for (const name of ['.vscode', '.envrc', '.claude']) expect(existsSync(join(folder, name))).toBe(false);
    expect(await run('git --version >/dev/null; git config safe.bareRepository')).toBe('explicit');
  });
});
