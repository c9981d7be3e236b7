import { describe, expect, it } from 'vitest';
import { prepareCommand, reachesOutside, readsOnly } from '../src/index.ts';

await prepareCommand('more than; plain words');

describe('commands that only read', () => {
  it.each([
    'ls',
    'ls -la src',
    'cat package.json',
    'pwd',
    'head -n 20 a.txt',
    'tail -20 a.txt',
    'wc -l a b',
    'grep -rn TODO src',
  ])('%s', (command) => {
    expect(readsOnly(command)).toBe(true);
  });

  // Scenario 42 and its variants.
  it.each([
    'rm x',
    'find . -exec rm x',
    'find . -fprint x',
    'find . -delete',
    'sed -i s/a/b/ x',
    'sort -o x y',
    'git status',
    'git log -p',
    'git log --stat -Sx',
    'git ls-files -m',
    'git describe --dirty',
    'git show',
    'git diff',
    'git branch -D main',
    'git -c core.pager=touch log',
    'git -C /x status',
    'git diff --output=x',
    'git diff --outpu=x',
    'git diff --ext-diff',
    'git log --textconv',
    'git show -O x',
    'git push',
    'git config core.pager x',
    'git --exec-path=x log',
    'export PAGER=x',
    'LD_PRELOAD=x ls',
    'GIT_SSH_COMMAND=x git status',
    'env',
    'date -s x',
    'tail -f x',
    'tail -nf x',
    'tail --follow x',
    'file -C -m x',
    'diff -l a b',
    '/tmp/ls',
    './cat',
    'ls; rm x',
    'ls > x',
    'ls $(rm x)',
    'cat `x`',
    'ls $(touch x)',
    'toString',
    '__proto__',
    'git constructor',
    'git',
    '',
  ])('not %j', (command) => {
    expect(readsOnly(command)).toBe(false);
  });

  it('knows where the names begin that find hands on', () => {
    const isQuiet = (command: string) => readsOnly(command) && !reachesOutside(command, '/repo');
    for (const command of [
      'find src -type f -exec wc -l {} +',
      "find . -name '*.ts' -exec grep -l foo {} \\;",
      'find \\( -name a -o -name b \\) -exec head -n 5 {} +',
      'find /repo/src -exec cat {} +',
    ])
      expect({ command, isQuiet: isQuiet(command) }).toEqual({ command, isQuiet: true });
    for (const command of [
      'find /etc -exec cat {} +',
      'find .. -exec cat {} +',
      'find ~ -exec cat {} +',
      'find "$X" -exec cat {} +',
      'find src /etc -exec cat {} +',
      'find src -execdir cat {} +',
      'find src -exec cat /etc/{} +',
      'find src -exec grep -f{} x +',
      'find src -exec sh -c "cat {}" \\;',
      'find src -exec {} +',
      'find src -exec rm {} +',
      'find -files0-from x -exec cat {} +',
      'find -D exec /etc -exec cat {} +',
      'find src -exec uniq {} +',
    ])
      expect({ command, isQuiet: isQuiet(command) }).toEqual({ command, isQuiet: false });
  });

  it('tells when a path in it may lead outside the folder', () => {
    const outside =
      'cat /etc/passwd|cat ../x|cat a/../../x|grep -f/etc/x y|grep -nf/etc/x y|grep -nf../x y|diff -urX/etc/x a b|hexdump -vf../x y|ls --x=/etc|ls ..|cat ~/x|cat /repo-evil/x|echo /etc/*|echo ../*';
    for (const command of [...outside.split('|'), 'cat /repo/../x', 'cd /repo/.. && ls', 'cd /etc && cat passwd']) {
      expect({ command, isOutside: reachesOutside(command, '/repo') }).toEqual({ command, isOutside: true });
    }
    const inside = ['cat a/b', 'ls', 'cat a..b/c', 'head -n 5 .env', 'cat /repo/a', 'ls /repo', 'grep -f/repo/x y'];
    for (const command of [...inside, 'cd /repo && ls', 'cd /repo/src && cat a.ts | head']) {
      expect({ command, isOutside: reachesOutside(command, '/repo') }).toEqual({ command, isOutside: false });
    }
  });
});
