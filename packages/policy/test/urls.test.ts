import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostPattern, matchesUrl, problemOfHost, suggestRules } from '../src/index.ts';

const allows = (pattern: string, url: string) => matchesUrl(pattern, url, { isProhibition: false });
const denies = (pattern: string, url: string) => matchesUrl(pattern, url, { isProhibition: true });

describe('P1: web_fetch by host, range and port (scenario 51)', () => {
  it.each([
    ['docs.python.org', 'https://docs.python.org/3/', true],
    ['docs.python.org', 'http://DOCS.python.org./3', true],
    ['docs.python.org', 'https://docs.python.org.evil.com/', false],
    ['docs.python.org', 'https://docs.python.org@evil.com/', false],
    ['docs.python.org', 'https://evil.com/docs.python.org', false],
    ['docs.python.org', 'https://evil.com#docs.python.org', false],
    ['docs.python.org', 'https://evil.com\\@docs.python.org', false],
    ['docs.python.org', 'https://xdocs.python.org', false],
    ['docs.python.org', 'https://a.docs.python.org', false],
    ['docs.python.org', 'https://docs.python.org:8443/', false],
    ['docs.python.org', 'ftp://docs.python.org/', false],
    ['docs.python.org', 'file:///docs.python.org', false],
    ['docs.python.org', 'docs.python.org', false],
    ['*.python.org', 'https://docs.python.org', true],
    ['*.python.org', 'https://a.b.python.org', true],
    ['*.python.org', 'https://python.org', false],
    ['*.python.org', 'https://evilpython.org', false],
    ['python.org:8443', 'https://python.org:8443/x', true],
    ['python.org:8443', 'https://python.org/x', false],
    ['python.org:443', 'https://python.org/x', true],
    ['python.org:443', 'http://python.org/x', false],
    ['python.org:*', 'http://python.org:1/x', true],
    ['10.0.0.0/8', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://11.1.2.3/', false],
    ['127.0.0.0/8', 'http://0x7f.1/', true],
    ['127.0.0.0/8', 'http://2130706433/', true],
    ['127.0.0.0/8', 'http://[::ffff:127.0.0.1]/', true],
    ['127.0.0.1', 'http://127.1/', true],
    ['169.254.0.0/16', 'http://169.254.169.254/latest', true],
    ['::1/128', 'http://[::1]/', true],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['fd00::/8', 'http://[fe12::1]/', false],
    ['[::1]', 'http://[::1]/', true],
    ['[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080/', true],
    ['10.0.0.0/99', 'http://10.0.0.1/', false],
    ['https://a.org/docs/*', 'https://a.org/docs/x?y', true],
    ['https://a.org/docs/*', 'https://a.org/docs/../x', false],
    ['https://a.org/docs/*', 'http://a.org/docs/x', false],
    ['https://a.org', 'https://a.org/x', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['*', 'https://a.org', true],
  ])('%s and %s: %s', (pattern, url, expected) => {
    expect(allows(pattern, url)).toBe(expected);
  });

  it('a prohibition of a host is one on every port', () => {
    expect(denies('a.org', 'http://a.org:8080/x')).toBe(true);
    expect(denies('a.org', 'http://b.org:8080/x')).toBe(false);
  });

  it('no text around a host makes another one of it', () => {
    const host = fc.domain();
    fc.assert(
      fc.property(host, host, fc.webPath(), (one, other, path) => {
        fc.pre(one !== other);
        expect(allows(one, `https://${one}${path}`)).toBe(true);
        for (const url of [
          `https://${other}/${one}${path}`,
          `https://${one}@${other}${path}`,
          `https://${one}.${other}`,
          `https://x${one}`,
        ]) {
          expect(allows(one, url)).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('P3: the host is suggested', () => {
    const question = { tool: 'web_fetch', cwd: '/repo', home: '/home/ann' };
    expect(suggestRules({ ...question, subjects: [{ kind: 'url', value: 'https://a.org/x' }] })).toEqual([
      'web_fetch(a.org)',
    ]);
    expect(suggestRules({ ...question, subjects: [{ kind: 'url', value: 'http://a.org:81/x' }] })).toEqual([
      'web_fetch(a.org:81)',
    ]);
    expect(suggestRules({ ...question, subjects: [{ kind: 'url', value: 'nothing' }] })).toEqual([]);
  });
});

describe('P10: a list of hosts', () => {
  it.each([
    'example.com',
    'EXAMPLE.com.',
    '*.example.com',
    'example.com:8443',
    'example.com:*',
    'bücher.example',
    'localhost',
    'localhost:3000',
    '127.0.0.1:8080',
    '[::1]:8080',
    '::1',
    '10.0.0.0/8',
    '[fd00::]/8',
  ])('may name %s', (pattern) => {
    expect(problemOfHost(pattern)).toBeNull();
  });

  it.each([
    ['*', 'covers too many hosts'],
    ['*:443', 'covers too many hosts'],
    ['*.com', 'covers too many hosts'],
    ['*.', 'covers too many hosts'],
    ['0.0.0.0/0', 'holds too many addresses'],
    ['[::]/0', 'holds too many addresses'],
    ['10.0.0.0/33', 'is no range'],
    ['https://example.com', 'leave out https://'],
    ['example.com/path', 'leave out https://'],
    ['user@example.com', 'is no host'],
    ['exa mple.com', 'is no host'],
    ['a.*.example.com', 'is no host'],
    ['*example.com', 'is no host'],
    ['*.*.example.com', 'is no host'],
    ['example.com:0', 'is no host'],
    ['example.com:99999', 'is no host'],
    ['example.com:https', 'is no host'],
    ['', 'is no host'],
    [':80', 'is no host'],
    ['300.1.1.1', 'is no host'],
    ['example.com?x', 'is no host'],
    ['example.com#x', 'is no host'],
  ])('may not name "%s"', (pattern, problem) => {
    expect(problemOfHost(pattern)).toContain(problem);
  });

  it('takes every pattern that a host suggests, which then covers it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.domain(),
          fc.ipV4(),
          fc.ipV6().map((ip) => `[${ip}]`),
        ),
        fc.nat(65_534),
        (host, port) => {
          const url = `https://${host}:${port + 1}/`;
          const pattern = hostPattern(url) ?? '';
          expect(problemOfHost(pattern)).toBeNull();
          expect(allows(pattern, url)).toBe(true);
        },
      ),
    );
  });
});
