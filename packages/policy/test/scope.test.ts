import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside, judgeScope, prepareCommand, scopeRoots } from '../src/index.ts';

await prepareCommand('more than; plain words');

const base = { cwd: '/repo', home: '/home/ann' };
const edit = (scopes: string[][], ...paths: string[]) =>
  judgeScope(scopes, { ...base, tool: 'edit', effect: 'write', subjects: [], paths, isHeld: false });
const bash = (scopes: string[][], command: string, { isHeld = false, links = {} } = {}) =>
  judgeScope(scopes, {
    ...base,
    tool: 'bash',
    effect: 'external',
    subjects: [{ kind: 'command', value: command }],
    paths: [],
    isHeld,
    canonicalPaths: new Map(Object.entries(links)),
  });

describe('scenario 32: a write scope', () => {
  it('covers the folder that it names and all that lies in it, and nothing beside it', () => {
    expect(edit([['src/api']], '/repo/src/api/a.ts')).toBeNull();
    expect(edit([['src/api']], '/repo/src/api')).toBeNull();
    expect(edit([['src/api']], '/repo/src/apis/a.ts')?.verdict).toBe('deny');
    expect(edit([['src/api']], '/repo/src/a.ts')?.reason).toBe(
      'This task may only change src/api. /repo/src/a.ts lies outside of it.',
    );
  });

  it('is held against every path of a call: targets of patches, both ends of moves', () => {
    expect(edit([['src/**']], '/repo/src/a.ts', '/repo/docs/a.md')?.verdict).toBe('deny');
  });

  it('cannot be left with dots in its own patterns, nor widened by the scope of a task below', () => {
    expect(edit([['src/../docs']], '/repo/src/a.ts')?.verdict).toBe('deny');
    expect(edit([['src'], ['**']], '/repo/docs/a.md')?.verdict).toBe('deny');
    expect(edit([['src'], ['src/api']], '/repo/src/b.ts')?.verdict).toBe('deny');
    expect(edit([['src'], ['src/api']], '/repo/src/api/b.ts')).toBeNull();
  });

  it('judges where a redirect really leads, whatever sandbox there is', () => {
    for (const isHeld of [true, false]) {
      expect(bash([['src']], 'echo x > docs/a.md', { isHeld })?.reason).toContain('/repo/docs/a.md lies outside');
      expect(bash([['src']], 'echo x > src/../a', { isHeld })?.verdict).toBe('deny');
      expect(bash([['src']], 'cd docs && echo x > a', { isHeld })?.verdict).toBe('deny');
      expect(bash([['src']], 'echo x > "$WHERE"', { isHeld })?.reason).toContain('not certain');
      const links = { '/repo/src/link': '/etc/passwd' };
      expect(bash([['src']], 'echo x > src/link', { isHeld, links })?.reason).toContain('/etc/passwd lies outside');
    }
    expect(bash([['src']], 'echo x > src/a', { isHeld: true })).toBeNull();
  });

  it('lets no command run that may change something and is held by no sandbox', () => {
    expect(bash([['src']], 'make')?.reason).toContain('No sandbox holds this command');
    expect(bash([['src']], 'make', { isHeld: true })).toBeNull();
  });

  it('refuses a tool of which nobody can tell what it changes, and none that only reads', () => {
    const blind = { ...base, tool: 'mcp', subjects: [], paths: [], isHeld: false };
    expect(judgeScope([['src']], { ...blind, effect: 'external' })?.verdict).toBe('deny');
    expect(judgeScope([['src']], { ...blind, effect: 'read' })).toBeNull();
    expect(judgeScope([], { ...blind, effect: 'external' })).toBeNull();
  });

  it('leaves a sandbox only folders that it covers whole, in every layer', () => {
    expect(scopeRoots([['src/api', 'docs/**', 'a/*.ts', '*.md']], base)).toEqual(['/repo/src/api', '/repo/docs']);
    expect(scopeRoots([['src'], ['src/api', 'docs']], base)).toEqual(['/repo/src/api']);
    expect(scopeRoots([['src'], ['docs']], base)).toEqual([]);
  });

  it('has no root that holds a path outside of the scope', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const pattern = fc.tuple(path, fc.constantFrom('', '/**', '/*', '/*.ts')).map(([folder, end]) => folder + end);
    const scopes = fc.array(fc.array(pattern, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(scopes, path, (given, inner) => {
        const file = `/repo/${inner}/file`;
        const isWritable = scopeRoots(given, base).some((root) => isInside(root, file));
        if (isWritable) expect(edit(given, file)).toBeNull();
      }),
    );
  });
});
