import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Child = {
  process: ChildProcess;
  line(): Promise<string>;
  kill(): Promise<void>;
};

/** Runs a script of this folder in a process of its own, which is killed when the test ends. */
export function startChild(script: string, ...parameters: string[]): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    process: child,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${script} ended without another line.`);
      return value;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The first row that a query finds in a database file, read past the log. */
export function queryRow(path: string, sql: string): Record<string, unknown> | undefined {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).get();
  } finally {
    database.close();
  }
}
