import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { builtinTools, probeSandbox } from '../../src/index.ts';
import { temporaryFolder } from '../workspace.ts';
import { complete, logged, plant, task } from './support.ts';

const probe = await probeSandbox();

/** A folder with `src`, `docs` and a link from one to the other, and what a task with the scope `src` got for its calls. */
async function scoped(calls: { tool: string; input: JsonObject }[], sandbox: 'workspace-write' | 'off' = 'off') {
  const folder = temporaryFolder();
  for (const name of ['src', 'docs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'src/a.txt'), 'one\n');
  writeFileSync(join(folder, 'docs/a.txt'), 'one\n');
  symlinkSync('../docs', join(folder, 'src/link'));
  const tools = builtinTools({ sandbox: { mode: sandbox }, notice: () => undefined });
  const { host, session } = await plant(
    { main: [[task('Work.', { scope: ['src'] })], 'Done.'], 'main.builder-1': [calls, complete('Tried.')] },
    {
      tools: tools.filter(({ name }) => !/^task|^complete$|^ask_owner$/.test(name)),
      create: { cwd: folder, mode: 'auto' },
    },
  );
  await session.run('Go.');
  const finished = await logged(host, 'main.builder-1', 'tool.finished');
  await host.close();
  const results = calls.map((_, index) => {
    const found = finished.find(({ data }) => data.call === `t1_s1_c${index + 1}`);
    return `${found?.data.status}: ${found?.data.content}`;
  });
  return { folder, results };
}

describe('scenario 32: the write scope of a task holds', () => {
  it('against symlinks, dots, targets of patches and moves', async () => {
    const { folder, results } = await scoped([
      { tool: 'write', input: { path: 'src/new.txt', content: 'new\n' } },
      { tool: 'write', input: { path: 'src/../docs/new.txt', content: 'new\n' } },
      { tool: 'write', input: { path: 'src/link/new.txt', content: 'new\n' } },
      {
        tool: 'patch',
        input: {
          patch: '*** Begin Patch\n*** Update File: src/a.txt\n*** Move to: docs/b.txt\n@@\n-one\n+two\n*** End Patch',
        },
      },
    ]);
    expect(results[0]).toMatch(/^ok/);
    for (const result of results.slice(1)) expect(result).toMatch(/^denied: .*This task may only change src/s);
    expect(existsSync(join(folder, 'docs/new.txt'))).toBe(false);
    expect(existsSync(join(folder, 'docs/b.txt'))).toBe(false);
    expect(readFileSync(join(folder, 'src/a.txt'), 'utf8')).toBe('one\n');
  });

  it('against arguments that an approver changed', async () => {
    const folder = temporaryFolder();
    for (const name of ['src', 'docs']) mkdirSync(join(folder, name));
    const tools = builtinTools({ sandbox: { mode: 'off' }, notice: () => undefined });
    const { host, session } = await plant(
      {
        main: [[task('Work.', { scope: ['src'] })], 'Done.'],
        'main.builder-1': [[{ tool: 'write', input: { path: 'src/a.txt', content: 'a\n' } }], complete('Tried.')],
      },
      {
        tools: tools.filter(({ name }) => name === 'write'),
        create: { cwd: folder, isAttended: true },
      },
    );
    const running = session.run('Go.');
    for await (const event of host.watch('main')) if (event.type === 'task.changed') break;
    for await (const event of host.watch('main.builder-1')) if (event.type === 'approval.requested') break;
    const child = await host.open('main.builder-1');
    await child.approve('t1_s1_c1', { input: { path: 'docs/a.txt', content: 'a\n' } });
    await running;
    const [finished] = await logged(host, 'main.builder-1', 'tool.finished');
    expect(finished?.data).toMatchObject({ status: 'denied' });
    expect(finished?.data.content).toContain('This task may only change src');
    expect(existsSync(join(folder, 'docs/a.txt'))).toBe(false);
    await host.close();
  });

  it('against commands, where no sandbox holds them: what only reads runs, nothing else', async () => {
    const { folder, results } = await scoped([
      { tool: 'bash', input: { command: 'cat docs/a.txt' } },
      { tool: 'bash', input: { command: 'touch src/new.txt' } },
      { tool: 'bash', input: { command: 'echo x > docs/new.txt' } },
    ]);
    expect(results[0]).toMatch(/^ok: one/);
    expect(results[1]).toContain('No sandbox holds this command');
    expect(results[2]).toContain('docs/new.txt lies outside of it');
    expect(existsSync(join(folder, 'src/new.txt'))).toBe(false);
  });

  it.skipIf(!probe.isAvailable)('against commands in a sandbox, which leaves only the scope writable', async () => {
    const script = "touch src/new.txt; python3 -c \"open('docs/new.txt','w')\" || touch docs/new.txt || echo refused";
    const { folder, results } = await scoped([{ tool: 'bash', input: { command: script } }], 'workspace-write');
    expect(results[0]).toContain('refused');
    expect(existsSync(join(folder, 'src/new.txt'))).toBe(true);
    expect(existsSync(join(folder, 'docs/new.txt'))).toBe(false);
  });
});
