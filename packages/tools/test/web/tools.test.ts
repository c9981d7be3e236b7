import { spawnSync } from 'node:child_process';
import { judgeByRules, suggestRules } from '@pawl/policy';
import { describe, expect, it } from 'vitest';
import { webFetchTool } from '../../src/web/web-fetch.ts';
import { createWorkspace } from '../workspace.ts';

const tool = webFetchTool();
const { context } = createWorkspace();

function judge(url: string, allow: string[], deny: string[] = []) {
  const subjects = [{ kind: tool.subjectKind ?? 'text', value: tool.subject?.({ url }) ?? '' }] as const;
  const layers = [{ name: 'user', rules: { deny, ask: [], allow } }];
  const base = { tool: 'web_fetch', subjects, cwd: '/w', home: '/h' };
  return { ...judgeByRules({ ...base, layers, mode: 'manual', effect: 'read', toolAsks: true }), base };
}

describe('T5: web_fetch and the rules', () => {
  it('only reads, and asks all the same', async () => {
    expect(tool.effect).toBe('read');
    expect(await tool.approval?.({ url: 'https://example.com/' }, context())).toBe(true);
  });

  it('a rule for a host covers this host, and none that looks like it (scenario 51)', () => {
    const allow = ['web_fetch(docs.python.org)'];
    expect(judge('https://docs.python.org/3/', allow).verdict).toBe('allow');
    for (const url of [
      'https://docs.python.org.evil.com/',
      'https://docs.python.org@evil.com/',
      'https://evil.com/docs.python.org',
      'https://evil.com/?docs.python.org',
      'https://docs.python.org:8443/',
      'https://docs.python.org%2eevil.com/',
      'https://evil.com\\@docs.python.org/',
      'https://docs.python.org\t.evil.com/',
    ])
      expect(judge(url, allow).verdict, url).toBe('ask');
  });

  it('the rule that is offered with the question covers the call', () => {
    const { base } = judge('https://docs.python.org/3/', []);
    const [rule = ''] = suggestRules(base);
    expect(rule).toBe('web_fetch(docs.python.org)');
    expect(judge('https://docs.python.org/other', [rule]).verdict).toBe('allow');
  });

  it('what is judged is what will be asked', () => {
    expect(tool.subject?.({ url: 'HTTPS://Docs.Python.org:443/a/../b?q=1' })).toBe('https://docs.python.org/b?q=1');
    expect(tool.subject?.({ url: 'not a url' })).toBe('not a url');
    expect(judge('http://0x7f.1/', ['web_fetch(example.com)'], ['web_fetch(127.0.0.0/8)']).verdict).toBe('deny');
  });

  it('an address that is refused anyway is refused before anybody is asked', async () => {
    for (const url of [
      'http://169.254.169.254/',
      'http://localhost:3000/',
      'file:///etc/passwd',
      'http://a:b@example.com/',
    ])
      await expect(tool.plan?.({ url }, context()), url).rejects.toThrow();
    const plan = await tool.plan?.({ url: 'https://example.com/\u202ex\u200b#y' }, context());
    expect(plan?.preview).toEqual({ kind: 'text', text: 'Fetch https://example.com/%E2%80%AEx%E2%80%8B' });
  });

  it('as the program makes it, nothing but the public Internet is reached', async () => {
    for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://127.0.0.1:8080/'])
      await expect(tool.run({ url }, context())).rejects.toThrow(/not on the public Internet|only 80 and 443/);
  });

  it('loads in next to no time', () => {
    const entry = new URL('../../src/web/web-fetch.ts', import.meta.url).href;
    const program = (work: string) => `
      ${work}
      console.log(JSON.stringify(process.moduleLoadList.filter((name) => /^NativeModule [a-z_]+$/.test(name))));
    `;
    const loaded = (work: string): string[] =>
      JSON.parse(
        spawnSync(process.execPath, ['--input-type=module', '-e', program(work)], { encoding: 'utf8' }).stdout,
      );
    const before = loaded(`await import(${JSON.stringify(new URL('../../src/escape.ts', import.meta.url).href)});`);
    const heavy = loaded(`await import(${JSON.stringify(entry)});`).filter((name) => !before.includes(name));
    expect(heavy.filter((name) => /http|tls|zlib|crypto|dns|worker/.test(name))).toEqual([]);
  });
});
