import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createWorkspace } from './workspace.ts';

describe('a pattern or text that is made to take for ever', () => {
  it('is refused by glob, whatever the names are', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'.repeat(200)), '');
    await expect(call('glob', { pattern: '*a*a*a*a*a*a*b' })).rejects.toThrow('more than 3 stars');
    expect((await call('glob', { pattern: '**/*a*' })).content).toContain('aaa');
  });

  it('is answered by edit at once, however often it occurs', async () => {
    const { folder, call, plan } = createWorkspace();
    writeFileSync(join(folder, 'big.txt'), 'some more text here\n'.repeat(100_000));
    await call('read', { path: 'big.txt' });
    await expect(plan('edit', { path: 'big.txt', old: 'e', new: 'x' })).rejects.toThrow(/occurs 500000 times/);
  });

  it('is refused by grep where it would wait for a pipe', async () => {
    const { folder, call } = createWorkspace();
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    await expect(call('grep', { pattern: 'x', path: 'pipe' })).rejects.toThrow('is a device, pipe or socket');
  });
});

describe('a pipe that somebody waits to write into', () => {
  it('is not opened by a tool, which would let the writer go with nobody to read', async () => {
    const { folder, call } = createWorkspace();
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'echo ready; echo text > "$0"', pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(writer.stdout, 'data');
    const inputs = { read: {}, write: { content: '' }, edit: { old: 'a', new: 'b' }, grep: { pattern: 'x' } };
    for (let round = 0; round < 20; round++) {
      for (const [tool, input] of Object.entries(inputs)) {
        await expect(call(tool, { path: 'pipe', ...input })).rejects.toMatchObject({ code: 'not_a_file' });
      }
    }
    expect(spawnSync('cat', [pipe], { encoding: 'utf8', timeout: 5000 }).stdout).toBe('text\n');
  });
});

describe('a command that runs when its host exits at once', () => {
  it('ends with it, also when it does not want to', async () => {
    const shell = new URL('../src/shell/shell.ts', import.meta.url).href;
    const program = `
      const { runShell } = await import('${shell}');
      const signal = new AbortController().signal;
      const onOutput = (chunk) => { process.stdout.write(chunk, () => process.exit(0)); };
      runShell({ command: 'trap "" TERM; echo $$; sleep 1000', cwd: '/', environment: process.env, launch: null, timeoutMs: 60000,
        killGraceMs: 1000, maxOutputBytes: 1000, signal, onOutput });
    `;
    const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    host.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await new Promise((resolve) => host.on('close', resolve));
    const group = Number(output.trim());
    expect(group).toBeGreaterThan(1);
    // The signal was sent before the host was gone; on a busy machine it takes a moment to arrive. The command itself
    // would sleep for a quarter of an hour; what is left of it may only wait to be buried.
    await vi.waitFor(() => {
      const states = spawnSync('ps', ['-o', 'stat=', '-g', String(group)], { encoding: 'utf8' }).stdout;
      expect(states.split('\n').filter((state) => state !== '' && !state.startsWith('Z'))).toEqual([]);
    }, 10_000);
  });
});
