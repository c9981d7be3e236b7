import { describe, expect, it } from 'vitest';
import { barredIn } from '../src/index.ts';

const barred = (deny: readonly string[], folder = '/repo') =>
  barredIn(folder, {
    layers: [{ name: 'user', rules: { deny: [...deny], ask: [], allow: [] } }],
    cwd: '/repo',
    home: '/home/me',
  });

describe('P1: what a search may not show', () => {
  it('is what a rule keeps from being read, with all that is in it, in any case', () => {
    const isBarred = barred(['read(secret/**)', 'grep(**/*.PEM)', '*(~/.ssh)', 'Read(./config/*.y?l)']);
    for (const path of ['/repo/secret/a/b', '/repo/SECRET/a', '/repo/a/key.pem', '/repo/config/a.yml'])
      expect(isBarred?.(path), path).toBe(true);
    for (const path of ['/repo', '/repo/secrets/a', '/repo/a/key.pem.txt', '/repo/config/a.yaml', '/repo/.ssh'])
      expect(isBarred?.(path), path).toBe(false);
  });

  it('is nothing where rules are about changing files, about other tools, or about all of the folder', () => {
    expect(barred(['edit(src/**)', 'bash(cat *)', 'write', 'read'])).toBeNull();
    expect(barred(['read(src)', 'glob(**)'], '/repo/src/a')).toBeNull();
  });
});
