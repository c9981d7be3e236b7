import { execFileSync } from 'node:child_process';
import type { PermissionMode, RuleSet } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { judgeByRules, limitOfRule, prepareCommand, readsOnly, suggestRules } from '../src/index.ts';
import { isComputed } from '../src/shell/words-of-shell.ts';

await prepareCommand('more than; plain words');

const base = { cwd: '/repo', home: '/home/ann' };
const verdictOf = (command: string, rules: Partial<RuleSet>, mode: PermissionMode = 'manual') =>
  judgeByRules({
    ...base,
    layers: [{ name: 'user', rules: { deny: [], ask: [], allow: [], ...rules } }],
    tool: 'bash',
    subjects: [{ kind: 'command', value: command }],
    mode,
    effect: 'external',
    toolAsks: true,
  }).verdict;

describe('P2: a script in a word is read by its own grammar, wherever the program takes it from (scenario 42)', () => {
  const runs = 'BEGIN{system("touch X")}';
  it.each([
    `awk -F -F '${runs}'`,
    `awk -F -v '${runs}'`,
    `awk -v -F '${runs}'`,
    `timeout 5 awk -F -F '${runs}'`,
    `ls | awk -F -F '${runs}'`,
    `find . -exec awk -F -F '${runs}' {} +`,
    `awk 'BEGIN{system\\\n("touch X")}'`,
    'awk \'BEGIN{system ("touch X")}\'',
    'awk \'{print $1, "a" > "X"}\'',
    'awk \'{print $1,\n"a" > "X"}\'',
    'awk \'{"date" | getline x}\'',
    'awk \'BEGIN{close("x")}\'',
    'awk \'BEGIN{f="system"; @f("x")}\'',
    "awk 'function f(x) {return x} f(1)'",
    'awk \'{print ENVIRON["HOME"]}\'',
    'awk \'/[/]/{print > "X"}\'',
    // Where a slash begins an expression and where it divides: what is a text to one reading runs by the other.
    `awk 'BEGIN{if (1) /"/; system("touch X") #"/\n}'`,
    `awk 'BEGIN{x = 1\n/"/; system("touch X") #"/\n}'`,
    `awk 'BEGIN{$/"/; system("touch X") #"/\n}'`,
    `awk 'BEGIN{"a" /"/; system("touch X") #"/\n}'`,
    `awk 'BEGIN{x++ /"/; system("touch X") #"/\n}'`,
    `awk 'BEGIN{length /"/; system("touch X") #"/\n}'`,
    `awk 'BEGIN{while (0) /"/; system("touch X") #"/\n}'`,
    "sed -e'1e touch X' x",
    "sed --expression='1e touch X' x",
    "sed -e'w X' x",
    "sed -l p '1e touch X' x",
    "sed p -e '1e touch X' x",
    'sed -n -e p -f x y',
  ])('%s is no reading', (command) => {
    expect(readsOnly(command)).toBe(false);
    expect(verdictOf(command, {})).toBe('ask');
    expect(verdictOf(command, { deny: ['bash(touch *)'] }, 'auto')).not.toBe(/touch/.test(command) ? 'allow' : 'never');
  });
});

describe('P1: a star in a rule reaches what is known to be harmless, and nothing else', () => {
  const cases: { readonly [pattern: string]: readonly string[] } = {
    'sed *': ["sed -e'1e touch X' x", "sed --expression='1e touch X' x", "sed -e'w X' x", "sed -l p '1e touch X' x"],
    'git *': [
      'git mailinfo .git/config /dev/null',
      'git apply x.patch',
      'cd .git && git apply x.patch',
      'git am x.patch',
      'git merge-file --theirs x p evil',
      'git interpret-trailers --in-place --trailer a=b /outside',
      'git fast-export --export-marks=/outside HEAD',
      'git submodule--helper foreach x',
      'git diff /dev/null /etc/passwd',
      'git diff --no-index a b',
      'git commit -F /etc/passwd',
      'git commit --file=/etc/passwd',
      'git clone https://a.org/b /elsewhere',
      'git remote add x "ext::sh -c y"',
      'git read-tree -u x',
      'git checkout-index -a',
      'git some-command-of-next-year',
      'git log --some-option-of-next-year',
    ],
    'awk *': ['awk \'BEGIN{system\\\n("touch X")}\'', 'awk -f x.awk', 'awk -i inplace 1 x'],
    'make *': ['make .SHELLFLAGS=x', 'make SHELL=x', 'make A=x', 'make -f x', 'make --eval=x', 'make -C /elsewhere'],
    'gcc *': [
      'gcc -oX a.c',
      'gcc -o X a.c',
      'gcc -MFX a.c',
      'gcc -Wl,-o,X a.c',
      'gcc -Wl,-plugin,./e.so a.c',
      'gcc @x',
    ],
    'tar *': ['tar cf X y', 'tar xf y', 'tar -cfX y', 'tar --create -f X y', 'tar uf X y'],
    'cp *': ['cp a /etc/x', 'cp a ~/.bashrc', 'cp ~/.ssh/id_rsa a', 'cp a .git/hooks/pre-commit', 'cp a .envrc'],
    'rm *': ['rm -r ~/x', 'rm -r ..', 'rm -r /'],
    'cat *': ['cat /etc/passwd', 'cat ~/.ssh/id_rsa', 'cat ../x'],
    'docker *': ['docker run -v /:/x y', 'docker exec x y', 'docker some-command-of-next-year'],
  };
  it.each(Object.entries(cases).flatMap(([pattern, commands]) => commands.map((command) => [pattern, command])))(
    '%s does not cover %j',
    (pattern, command) => {
      expect(verdictOf(command as string, { allow: [`bash(${pattern})`] })).toBe('ask');
    },
  );

  it.each([
    ['git apply *', 'git apply x.patch'],
    ['git diff --no-index *', 'git diff --no-index a b'],
    ['git commit -F /etc/motd', 'git commit -F /etc/motd'],
    ['gcc -o X *', 'gcc -o X a.c'],
    ['tar xf *', 'tar xf y'],
    ['rm -r ../build', 'rm -r ../build'],
    ['make SHELL=*', 'make SHELL=x'],
    ['git fast-export --export-marks=* *', 'git fast-export --export-marks=m HEAD'],
  ])('unless the rule says it: %s covers %j', (pattern, command) => {
    expect(verdictOf(command, { allow: [`bash(${pattern})`] })).toBe('allow');
  });

  it.each([
    ['sed *', "sed -n '1,5p' a"],
    ['git *', 'git log --oneline -5 -- src'],
    ['git *', 'git diff HEAD~1 main..dev -- src'],
    ['git *', 'git push -u origin main'],
    ['git *', 'git checkout -b x'],
    ['git *', 'git stash pop'],
    ['git *', 'git fetch origin +refs/heads/x:refs/remotes/origin/x'],
    ['make *', 'make -j4 test'],
    ['gcc *', 'gcc -Wall -O2 -Iinclude -c a.c'],
    ['cp *', 'cp -r a b'],
    ['cp *', 'cp a /tmp/b'],
    ['tar *', 'tar tf x.tar'],
    ['docker *', 'docker compose -p x up -d --build'],
    ['npm *', 'npm run build -- --minify'],
    ['curl *', 'curl -sSL -H "A: b" https://a.org'],
  ])('and what agents do all day is covered: %s and %j', (pattern, command) => {
    expect(verdictOf(command, { allow: [`bash(${pattern})`] })).toBe('allow');
  });
});

describe('P2: what the shell evaluates is doubt, and does not evade a deny (scenario 43)', () => {
  it.each([
    "[[ -v 'a[$(rm v)]' ]]",
    "[[ 'a[$(rm v)]' -eq 1 ]]",
    '[[ $x -eq 1 ]]',
    '[[ 1 -lt x ]]',
    "y='a[$(rm v)]'; declare -i x=y",
    'declare -i x=y',
    "declare -a 'x=($(rm v))'",
    "export 'x=($(rm v))'",
    "export 'a[$(rm v)]=1'",
    "RANDOM='a[$(rm v)]'",
    "RANDOM='a[$(rm v)]' true",
    "a='[$'; b='(rm v)]'; RANDOM=x$a$b",
    "a='x[$(rm v)]'",
    "printf 'rm v' | bash -",
    "printf 'rm v' | bash -e -",
    "bash -c -- 'rm v'",
    "bash -c -e 'rm v'",
    "bash -o errexit -c 'rm v'",
    "printf -v 'a[$(rm v)]' x",
    'printf -v "$x" y',
    "read 'a[$(rm v)]' <<< x",
    "unset 'a[$(rm v)]'",
    "test -v 'a[$(rm v)]'",
    "[ -v 'a[$(rm v)]' ]",
    "wait -p 'a[$(rm v)]'",
  ])('%s', (command) => {
    expect(verdictOf(command, { deny: ['bash(rm *)'] }, 'auto')).not.toBe('allow');
  });

  it.each([
    '[[ -f a && $x == y ]]',
    '[[ $? -eq 0 ]] && echo y',
    '[ "$x" -eq 1 ]',
    'export A=b',
    'declare -A map',
    'local x=1',
    'x=$(date)',
    'read -r line',
    "bash -c 'ls'",
  ])('but not %s', (command) => {
    expect(verdictOf(command, { deny: ['bash(rm *)'] }, 'auto')).toBe('allow');
  });

  it('bash itself says which variables it computes when they are set', () => {
    const listed = execFileSync('bash', ['-c', 'declare -i'], { encoding: 'utf8', env: {} });
    const names = Array.from(listed.matchAll(/^declare -\w+ (\w+)/gm), ([, name]) => name as string);
    expect(names).toContain('RANDOM');
    for (const name of names) expect([name, isComputed(name, null)]).toEqual([name, true]);
  });
});

describe('P2: what changes files that it does not name is doubt where some may not be changed', () => {
  it.each([
    'git switch x',
    'git checkout x',
    'git merge x',
    'git rebase x',
    'git revert x',
    'git cherry-pick x',
    'git pull',
    'git read-tree -u x',
    'git stash pop',
    'tar xf x.tar',
    'unzip x.zip',
    'patch -p1',
  ])('%s', (command) => {
    expect(verdictOf(command, { deny: ['edit(src/locked/**)'] }, 'auto')).toBe('ask');
  });
});

describe('P3: a rule with a star is offered only for what is known to be fit for one', () => {
  it.each([
    'twine upload dist/x',
    'fly deploy --now',
    'netlify deploy --prod',
    'gh release create v1',
    'redis-cli flushall async',
    'systemctl stop x',
    'stripe charges create',
    'git mailinfo a b',
    'some-program list x',
    'git push origin main',
    'npm publish x',
    'make test',
    'docker run x',
    'kubectl delete pod x',
    'terraform plan',
  ])('and so not for %s', (command) => {
    expect(suggestRules({ ...base, tool: 'bash', subjects: [{ kind: 'command', value: command }] })).toEqual([
      `bash(${command})`,
    ]);
  });

  it('whoever adds one is told what its star does not reach', () => {
    expect(limitOfRule('bash(git log *)')).toBe(
      'The star reaches what is known of git, and not what runs programs, writes a file that is named, or leads out of the folder: a rule has to say that.',
    );
    expect(limitOfRule('bash(mytool *)')).toMatch(/--exec/);
    expect(limitOfRule('bash(git log)')).toBeNull();
    expect(limitOfRule('edit(src/**)')).toBeNull();
  });
});
