import type { PermissionMode, RuleSet } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { type Containment, judgeByRules, prepareCommand } from '../src/index.ts';

await prepareCommand('more than; plain words');

const judge = (command: string, mode: PermissionMode, containment: Containment, rules: Partial<RuleSet> = {}) =>
  judgeByRules({
    cwd: '/repo',
    home: '/home/ann',
    layers: [{ name: 'user', rules: { deny: [], ask: [], allow: [], ...rules } }],
    tool: 'bash',
    subjects: [{ kind: 'command', value: command }],
    mode,
    effect: 'external',
    toolAsks: true,
    containment,
  });
const verdictOf = (...question: Parameters<typeof judge>) => judge(...question).verdict;

describe('P10: what a sandbox holds needs no question where edits need none', () => {
  it('in accept-edits, also for what cannot be read with certainty', () => {
    for (const command of [
      'npm test',
      'make && ./run.sh',
      'echo x > a',
      'node -e "$X"',
      '/usr/bin/make',
      'touch /tmp/x',
      'cd /repo && make',
    ]) {
      expect([command, verdictOf(command, 'accept-edits', 'workspace')]).toEqual([command, 'allow']);
      expect([command, verdictOf(command, 'accept-edits', 'read-only')]).toEqual([command, 'allow']);
      expect([command, verdictOf(command, 'manual', 'workspace')]).toEqual([command, 'ask']);
    }
    expect(judge('npm test', 'accept-edits', 'workspace').rule).toBe('mode accept-edits, in the sandbox');
  });

  it('but what reads elsewhere, or writes what other programs obey, is asked', () => {
    for (const command of [
      'node /home/ann/x.js',
      'cp ../other/x .',
      'make -f ~/Makefile',
      'python3 /etc/x.py',
      'echo x > .github/workflows/x.yml',
      'echo x > .envrc',
      'cp a .envrc',
      'rm -r .git',
      'mkdir -p x/.vscode',
      'sed -i s/a/b/ .github/workflows/ci.yml',
    ]) {
      expect([command, verdictOf(command, 'accept-edits', 'workspace')]).toEqual([command, 'ask']);
    }
  });

  it('in plan mode only where it can change nothing', () => {
    expect(verdictOf('npm test', 'plan', 'read-only')).toBe('allow');
    expect(verdictOf('node /home/ann/x.js', 'plan', 'read-only')).toBe('ask');
    for (const containment of ['none', 'workspace', 'escape'] as const)
      expect(verdictOf('npm test', 'plan', containment)).toBe('deny');
  });

  it('and rules go on to decide', () => {
    expect(verdictOf('npm test', 'accept-edits', 'workspace', { deny: ['bash(npm *)'] })).toBe('deny');
    expect(verdictOf('npm test', 'accept-edits', 'workspace', { ask: ['bash(npm *)'] })).toBe('ask');
    expect(verdictOf('eval "$X"', 'accept-edits', 'workspace', { deny: ['bash(npm *)'] })).toBe('ask');
  });
});

describe('P10: leaving the sandbox', () => {
  it('is always asked, whatever mode or rule allows the command', () => {
    for (const mode of ['manual', 'accept-edits', 'auto'] as const) {
      for (const allow of [[], ['bash'], ['bash(npm test)'], ['*']]) {
        expect(judge('npm test', mode, 'escape', { allow })).toMatchObject({ verdict: 'ask' });
      }
      expect(verdictOf('npm test', mode, 'escape', { deny: ['bash(npm *)'] })).toBe('deny');
    }
    expect(verdictOf('ls', 'auto', 'escape')).toBe('ask');
    expect(judge('npm test', 'auto', 'escape').rule).toBe('leaving the sandbox');
  });
});
