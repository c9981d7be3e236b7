import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { judgeByRules, prepareCommand, readsOnly } from '../src/index.ts';
import { isGrammarLoaded, loadGrammar, readTree } from '../src/shell/grammar.ts';

describe('P2: the grammar', () => {
  it('is loaded by the first command that is more than plain words, and not before', async () => {
    await prepareCommand('git log --oneline');
    expect(isGrammarLoaded()).toBe(false);
    expect(readsOnly('ls src')).toBe(true);
    expect(readsOnly('ls "src"')).toBe(false);
    await prepareCommand('ls "src"');
    expect(isGrammarLoaded()).toBe(true);
    expect(readsOnly('ls "src"')).toBe(true);
  });

  it('is byte for byte the one that its authors publish', () => {
    const digest = (path: string | URL) => createHash('sha256').update(readFileSync(path)).digest('hex');
    const published = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
    expect(digest(new URL('../src/shell/tree-sitter-bash.wasm', import.meta.url))).toBe(digest(published));
  });

  it('costs little memory, however many commands it reads', () => {
    const script = `
      import { loadGrammar, readTree } from ${JSON.stringify(new URL('../src/shell/grammar.ts', import.meta.url).href)};
      await loadGrammar();
      readTree('ls "src"');
      const before = process.resourceUsage().maxRSS;
      for (let index = 0; index < 20_000; index++) readTree('grep -rn "word" src | head -n ' + index + ' && for x in a b; do cat $x; done');
      console.log(Math.round((process.resourceUsage().maxRSS - before) / 1024));`;
    const grownMb = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
    expect(grownMb).toBeLessThan(100);
  });

  it('a command is judged in less time than the grammar takes to read a hundred like it', async () => {
    await loadGrammar();
    const rules = { deny: ['bash(rm -rf *)', 'read(~/.ssh/**)'], ask: ['bash(git push *)'], allow: ['bash(git *)'] };
    const judge = (command: string) =>
      judgeByRules({
        layers: [{ name: 'user', rules }],
        tool: 'bash',
        subjects: [{ kind: 'command', value: command }],
        mode: 'manual',
        effect: 'external',
        toolAsks: true,
        cwd: '/repo',
        home: '/home/ann',
      });
    const command = (index: number) => `git commit -m "fix: ${index}" && git log | head -20`;
    const timed = (act: (index: number) => unknown) => {
      const started = performance.now();
      for (let index = 0; index < 500; index++) act(index);
      return performance.now() - started;
    };
    timed((index) => judge(command(index)));
    const read = timed((index) => readTree(command(index + 1000)));
    expect(timed((index) => judge(command(index + 2000)))).toBeLessThan(read * 100);
  });
});
