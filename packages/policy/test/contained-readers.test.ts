import { describe, expect, it } from 'vitest';
import { judgeByRules, prepareCommand, reachesOutside, readsOnly, readsWhereContained } from '../src/index.ts';

await prepareCommand('more than; plain words');

const reading = [
  'git status',
  'git status --short --branch',
  'git log --oneline -5 -- src',
  'git --no-pager diff HEAD~1 --stat',
  "git log -S'Options' --format='%h %s' | head -3",
  'git show HEAD:src/a.ts',
  'git blame -L 1,9 a.ts',
  'git -C packages/core log -3',
  'git grep -n TODO -- src',
  'git branch',
  'git branch -vv --sort=-committerdate',
  "git branch --list 'x*'",
  'git branch --contains abc',
  'git tag',
  "git tag -l 'v*'",
  'git remote -v',
  'git stash list',
  'git reflog',
  'git config user.name',
  'git config --get core.autocrlf',
  'cd src && git status && git diff 2>&1 | tail -5',
];

const everywhere = [
  'git log --oneline -5 -- src',
  'git -C packages/core log -3',
  'git branch',
  'git branch -vv --sort=-committerdate',
  'git tag',
  'git remote -v',
  'git stash list',
  'git config user.name',
  'git config --get core.autocrlf',
];

const changing = [
  'git',
  'git commit -m x',
  'git branch new',
  'git branch -D x',
  'git branch -a -m x',
  'git tag v1',
  'git tag -d v1',
  'git remote add x y',
  'git remote show origin',
  'git stash',
  'git stash pop',
  'git reflog expire --all',
  'git config user.name x',
  'git config --list',
  'git config http.extraheader',
  'git log --output=x',
  'git diff --no-index a b',
  'git grep -Oless x',
  'git -c core.pager=x log',
  'git --git-dir=x log',
  'GIT_DIR=x git log',
  'git $X',
  'git log > x',
  'git status && make',
];

describe('P2: commands that read for certain only where a sandbox lets nothing be changed', () => {
  it('are told from those that are meant to change something, and count as reading nowhere else', () => {
    expect(reading.filter((command) => !readsWhereContained(command))).toEqual([]);
    expect(changing.filter(readsWhereContained)).toEqual([]);
    // What shows no contents of files, whose drivers have names of their own, reads everywhere.
    expect(reading.filter(readsOnly)).toEqual(everywhere);
    expect(changing.filter(readsOnly)).toEqual([]);
    expect(['ls | wc -l', 'git --version'].filter((command) => !readsWhereContained(command))).toEqual([]);
  });

  it('reach outside where they name a place there', () => {
    for (const command of [
      'git diff ../x',
      'git log -- /etc',
      'git show -O/etc/hosts',
      'git -C /elsewhere log',
      'git -C .. log',
      'cd /etc && git status',
    ])
      expect([command, reachesOutside(command, '/repo')]).toEqual([command, true]);
    expect(reading.filter((command) => reachesOutside(command, '/repo'))).toEqual([]);
  });

  it('need no question there; a deny or an ask still counts', () => {
    const judge = (command: string, rules: { deny?: string[]; ask?: string[] }, containment = 'read-only' as const) =>
      judgeByRules({
        cwd: '/repo',
        home: '/home/ann',
        layers: [{ name: 'user', rules: { deny: [], ask: [], allow: [], ...rules } }],
        tool: 'bash',
        subjects: [{ kind: 'command', value: command }],
        mode: 'manual',
        effect: 'idempotent',
        toolAsks: false,
        containment,
      });
    expect(judge('git log | head', {})).toMatchObject({ verdict: 'allow', rule: 'commands that only read' });
    expect(judge('git log', { deny: ['bash(git *)'] }).verdict).toBe('deny');
    expect(judge('git log', { ask: ['bash(git log *)'] }).verdict).toBe('ask');
    expect(judge('git show HEAD:.env', { deny: ['read(**/.env)'] }).verdict).toBe('ask');
  });
});
