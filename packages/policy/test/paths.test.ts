import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside, matchesPath } from '../src/index.ts';
import { escapePattern, matchesText } from '../src/wildcard.ts';

const base = { cwd: '/repo', home: '/home/ann' };
const segment = fc.stringMatching(/^[a-z*?\\. -]{1,6}$/).filter((name) => name !== '.' && name !== '..');
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => `/${segments.join('/')}`);

describe('paths by segments', () => {
  it('a folder that only begins with the same letters is not inside', () => {
    expect(isInside('/repo', '/repo-evil/a')).toBe(false);
    expect(isInside('/repo', '/repo/a')).toBe(true);
    expect(isInside('/repo/', '/repo')).toBe(true);
    expect(isInside('/repo/a', '/repo')).toBe(false);
    expect(isInside('/repo', '/repo/../etc')).toBe(false);
    expect(isInside('/', '/anything')).toBe(true);
  });

  it.each([
    ['src/**', '/repo/src/a/b.ts', true],
    ['src/**', '/repo/src', true],
    ['src/**', '/repo/src-evil/a', false],
    ['src/**', '/repo-evil/src/a', false],
    ['src/*', '/repo/src/a.ts', true],
    ['src/*', '/repo/src/a/b.ts', false],
    ['src', '/repo/src/a', false],
    ['*.ts', '/repo/a.ts', true],
    ['*.ts', '/repo/src/a.ts', false],
    ['**/*.ts', '/repo/src/deep/a.ts', true],
    ['**/*.ts', '/repo/a.ts', true],
    ['**/.env', '/repo/x/.env', true],
    ['*', '/repo/.env', true],
    ['a?c', '/repo/abc', true],
    ['a?c', '/repo/a/c', false],
    ['/etc/**', '/etc/passwd', true],
    ['/etc/**', '/repo/etc/passwd', false],
    ['~/.ssh/**', '/home/ann/.ssh/id', true],
    ['~/.ssh/**', '/home/bob/.ssh/id', false],
    ['../lib/**', '/lib/x', true],
    ['./src/./a', '/repo/src/a', true],
    ['\\*', '/repo/*', true],
    ['\\*', '/repo/a', false],
  ])('%s and %s: %s', (pattern, value, expected) => {
    expect(matchesPath(pattern, value, base)).toBe(expected);
  });

  it('a prohibited folder is prohibited with everything in it', () => {
    expect(matchesPath('secrets', '/repo/secrets/a/b', base, { withContents: true })).toBe(true);
    expect(matchesPath('secrets', '/repo/secrets-not/a', base, { withContents: true })).toBe(false);
  });

  it('stars in the folder that a session runs in mean themselves', () => {
    const starred = { cwd: '/re*po', home: '/' };
    expect(matchesPath('a', '/re*po/a', starred)).toBe(true);
    expect(matchesPath('a', '/rexpo/a', starred)).toBe(false);
  });

  it('an escaped path covers itself and no other', () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        const pattern = one.split('/').map(escapePattern).join('/');
        expect(matchesPath(pattern, one, base)).toBe(true);
        expect(matchesPath(pattern, other, base)).toBe(one === other);
      }),
    );
  });

  it('the wildcard agrees with the regular expression that says the same', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*?]{0,8}$/), fc.stringMatching(/^[ab]{0,10}$/), (pattern, text) => {
        const expression = new RegExp(`^${pattern.replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
        expect(matchesText(pattern, text)).toBe(expression.test(text));
      }),
    );
  });

  it('a pattern made to be slow is not', () => {
    const started = performance.now();
    expect(matchesText(`${'a*'.repeat(50)}b`, 'a'.repeat(20_000))).toBe(false);
    expect(matchesPath(`${'**/a/'.repeat(30)}b`, `/repo${'/a'.repeat(2000)}`, base)).toBe(false);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
