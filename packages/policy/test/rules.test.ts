import { isPawlError } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { parseRule } from '../src/index.ts';
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
    expect(namesTool(parseRule('Bash'), 'bash', { ignoresCase: true })).toBe(true);
    expect(namesTool(parseRule('Bash'), 'bash', { ignoresCase: false })).toBe(false);
  });
});
