import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
const examples = fileURLToPath(new URL('..', import.meta.url));

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function play(name: string): string[] {
  const { status, stdout, stderr } = spawnSync(node, [join(examples, name)], {
    encoding: 'utf8',
    cwd: temporaryFolder(),
    // Some machines have no sandbox, and are told so.
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

describe('each example runs as it is', () => {
  it('echo', () => {
    expect(play('echo.ts')).toEqual(['The echo says: hello', 'It said hello.']);
  });

  it('approvals', () => {
    const lines = play('approvals.ts');
    expect(lines).toContain('refused: touch new-file');
    expect(lines).toContain('allowed: echo fine');
    expect(lines.at(-1)).toBe('completed');
  });

  it('custom-tool', () => {
    const lines = play('custom-tool.ts');
    expect(lines[0]).toMatch(/^error: .*order/);
    const ok = lines.filter((line) => line.startsWith('ok:'));
    expect(ok).toEqual(['ok: Ordered 2 apples; 3 are left.', 'ok: Ordered 1 apples; 2 are left.']);
  });

  it('resume', () => {
    expect(play('resume.ts')).toEqual([
      'killed by SIGKILL, having written: first',
      'finished by another, and it reads: first, second, third',
    ]);
  });
});

describe('the job of the README', () => {
  it('reports every TODO of todo-app, and nothing else', () => {
    const folder = temporaryFolder();
    cpSync(join(examples, 'todo-app'), join(folder, 'app'), { recursive: true });
    const program = fileURLToPath(new URL('../../packages/cli/bin/pawl.js', import.meta.url));
    const prompt = 'Find every TODO in this folder and write a report to TODO.md';
    const args = [program, 'run', '--model', 'demo', '--permission-mode', 'accept-edits', prompt];
    const env = { ...process.env, PAWL_HOME: join(folder, 'home') };
    const { status } = spawnSync(node, args, { cwd: join(folder, 'app'), env });
    expect(status).toBe(0);
    const report = readFileSync(join(folder, 'app', 'TODO.md'), 'utf8');
    expect(report.match(/^- line \d+/gm)).toHaveLength(5);
    for (const file of ['store.ts', 'items.ts', 'main.ts', 'report.py']) expect(report).toContain(`src/${file}`);
  });
});
