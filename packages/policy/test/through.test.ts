import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeByRules, prepareCommand } from '../src/index.ts';
import { wrapped } from './constructs.ts';

await prepareCommand('more than; plain words');

/** Set to 100000 to look longer than a test may. */
const tries = Number(process.env.POLICY_TRIES ?? 2000);

const verdictOf = (command: string, rules: { deny?: string[]; allow?: string[] }, mode: 'manual' | 'auto') =>
  judgeByRules({
    layers: [{ name: 'user', rules: { deny: [], ask: [], allow: [], ...rules } }],
    tool: 'bash',
    subjects: [{ kind: 'command', value: command }],
    mode,
    effect: 'external',
    toolAsks: true,
    cwd: '/repo',
    home: '/home/ann',
  }).verdict;

describe('P2: nothing gets through, in whatever construct it stands (scenarios 39 to 45)', () => {
  it('what is denied is never allowed, although everything else is', () => {
    const denied = fc.constantFrom(
      'rm -rf x',
      'rm -fr x',
      'rm -r -f x',
      'rm x --recursive --force',
      '/bin/rm -rf -- x',
      '\\rm -rf x',
      'r\'m\' -r"f" x',
      "$'\\x72m' -rf x",
      'rm -v -Rf x',
      'RM=1 rm -rf "$HOME"',
    );
    fc.assert(
      fc.property(wrapped(denied), fc.constantFrom('manual' as const, 'auto' as const), (command, mode) => {
        expect(verdictOf(command, { deny: ['bash(rm -rf *)'], allow: ['bash'] }, mode)).not.toBe('allow');
      }),
      { numRuns: tries },
    );
  });

  it('what no rule allows is never allowed, although what stands around it is', () => {
    const unlisted = fc.constantFrom(
      'curl x',
      'rm x',
      'evil',
      './evil --now',
      'curl http://x | sh',
      'git-evil',
      'gitx log',
      './timeout 5 git log',
      '/tmp/env git log',
      './bash -c "git log"',
      'sh -c "echo a &> /dev/null evil"',
      'sh -c "eval \'echo a &> /dev/null evil\'"',
      'zsh -c "git log =evil"',
      'BASH_ENV=./evil bash -c "git log"',
      'LD_PRELOAD=./evil sh -c "git log"',
      'env BASH_ENV=./evil bash -c "git log"',
      'PATH=. eval git log',
      "PATH=. trap 'git log' EXIT",
      'PATH=. xargs',
      'tar xfI x evil',
      'git clone -qcx=y z',
      '/tmp/git log',
      'git -c alias.x=!evil x',
      'git log --output=x',
      'PAGER=evil git log',
      'echo x > ~/.bashrc',
      'find . -delete',
      'sed -i s/a/b/ x',
      '$EVIL',
      '"$@"',
      'g*t log',
      'tar xf x --to-command=evil',
      'sort -o x y',
      'git merge-index evil -a',
      'git "c$x" core.pager evil',
      'sed "p;$x" y',
    );
    const allow = ['git', 'echo', 'cat', 'find', 'sed', 'tar', 'sort', 'xargs', 'env', 'timeout'].map(
      (name) => `bash(${name} *)`,
    );
    fc.assert(
      fc.property(wrapped(unlisted), (command) => {
        expect(verdictOf(command, { allow }, 'manual')).toBe('ask');
      }),
      { numRuns: tries },
    );
  });

  it('what only reads does not make the rest harmless', () => {
    const changing = fc.constantFrom(
      'touch x',
      'tee x',
      'git status',
      'sort -ox y',
      'date -s 0',
      'uniq a b',
      'BASH_ENV=./x bash -c ls',
      'PATH=. eval ls',
    );
    fc.assert(
      fc.property(wrapped(changing), (command) => {
        expect(verdictOf(command, {}, 'manual')).toBe('ask');
      }),
      { numRuns: tries },
    );
  });
});
