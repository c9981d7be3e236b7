import { isPawlError } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { judgeByRules, parseRule, type Subject, strayRules } from '../src/index.ts';
import { namesTool } from '../src/rules.ts';

describe('P1: a rule', () => {
  it('is a tool name, or a tool name with a pattern in brackets', () => {
    expect(parseRule('edit')).toEqual({ tool: 'edit', pattern: null, text: 'edit' });
    expect(parseRule(' bash( npm test ) ')).toEqual({ tool: 'bash', pattern: 'npm test', text: 'bash( npm test )' });
    expect(parseRule('write(a (copy).txt)')).toMatchObject({ pattern: 'a (copy).txt' });
    expect(parseRule('mcp__github__*')).toMatchObject({ tool: 'mcp__github__*', pattern: null });
    expect(parseRule('*(**)')).toMatchObject({ tool: '*', pattern: '**' });
  });

  it.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['(npm test)', 'names no tool'],
    ['bash()', 'has an empty pattern'],
    ['bash(npm', 'opens a bracket'],
    ['bash(npm) x', 'opens a bracket'],
    ['bash)', 'closes a bracket'],
    ['b*sh', 'has a * in the tool name'],
    ['**', 'has a * in the tool name'],
    ['ba sh', 'characters that no tool name has'],
    ['bash(a\nb)', 'control character'],
    ['bash(a\0b)', 'control character'],
  ])('that reads %j is refused and told why', (text, why) => {
    try {
      parseRule(text);
    } catch (error) {
      expect(isPawlError(error, 'bad_rule')).toBe(true);
      expect(String(error)).toContain(why);
      return;
    }
    expect.unreachable();
  });

  it('names tools by their whole name or by its beginning, and forgives letter case only where it prohibits', () => {
    expect(namesTool(parseRule('mcp__x__*'), 'mcp__x__go', { ignoresCase: false })).toBe(true);
    expect(namesTool(parseRule('mcp__x__*'), 'mcp__xx__go', { ignoresCase: false })).toBe(false);
    expect(namesTool(parseRule('edit'), 'edit_all', { ignoresCase: true })).toBe(false);
    expect(namesTool(parseRule('EDIT'), 'edit', { ignoresCase: true })).toBe(true);
    expect(namesTool(parseRule('EDIT'), 'edit', { ignoresCase: false })).toBe(false);
  });
});

describe('P1: a rule pasted from elsewhere', () => {
  it.each([
    ['Bash', 'bash', null],
    ['Bash(git *)', 'bash', 'git *'],
    ['Bash(npm run test:*)', 'bash', 'npm run test *'],
    ['Edit(src/**)', 'edit', 'src/**'],
    ['Edit(/src/**)', 'edit', './src/**'],
    ['Read(//etc/**)', 'read', '/etc/**'],
    ['Read(~/.ssh/**)', 'read', '~/.ssh/**'],
    ['Read(.env)', 'read', '**/.env'],
    ['MultiEdit(*.ts)', 'multi_edit', '**/*.ts'],
    ['WebFetch(domain:example.com)', 'web_fetch', 'example.com'],
    ['WebFetch(domain:*.example.com)', 'web_fetch', '*.example.com'],
    ['mcp__github', 'mcp__github__*', null],
    ['mcp__github__create_issue', 'mcp__github__create_issue', null],
  ])('%s is %s(%s)', (text, tool, pattern) => {
    const ours = pattern === null ? tool : `${tool}(${pattern})`;
    expect(parseRule(text)).toEqual({ tool, pattern, text: ours });
    expect(parseRule(ours)).toMatchObject({ tool, pattern });
  });

  it('holds for our tools', () => {
    const verdict = (deny: string, tool: string, value: string, kind: Subject['kind'] = 'path') =>
      judgeByRules({
        layers: [{ name: 'user', rules: { deny: [deny], ask: [], allow: [] } }],
        tool,
        subjects: [{ kind, value }],
        mode: 'auto',
        effect: 'external',
        toolAsks: true,
        cwd: '/repo',
        home: '/home/ann',
      }).verdict;
    expect(verdict('Read(~/.ssh/**)', 'read', '/home/ann/.ssh/id')).toBe('deny');
    expect(verdict('Bash(curl:*)', 'bash', 'curl x', 'command')).toBe('deny');
    expect(verdict('WebFetch(domain:a.org)', 'web_fetch', 'https://a.org/x', 'url')).toBe('deny');
    expect(verdict('mcp__github', 'mcp__github__create_issue', 'x', 'text')).toBe('deny');
    expect(verdict('mcp__github', 'mcp__gitlab__create_issue', 'x', 'text')).toBe('allow');
  });
});

describe('P1: a rule about a tool that there is not', () => {
  it('is reported with its place', () => {
    const tools = ['bash', 'edit', 'read'];
    const rules = { deny: ['bsh(rm *)', 'READ'], ask: ['mcp__x__y', 'e*'], allow: ['bash', 'Edit(src/**)', 'READ'] };
    expect(strayRules(rules, tools)).toEqual([
      { list: 'deny', index: 0, rule: 'bsh(rm *)', tool: 'bsh' },
      { list: 'allow', index: 2, rule: 'READ', tool: 'READ' },
    ]);
  });

  it('about what nothing contains can only allow, and there it is known', () => {
    expect(strayRules({ allow: ['uncontained_reading'] }, ['bash'])).toEqual([]);
    expect(strayRules({ deny: ['uncontained_reading'] }, ['bash'])).toMatchObject([{ tool: 'uncontained_reading' }]);
  });
});
