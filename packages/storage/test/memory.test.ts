import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MemoryNote } from '@pawl/engine';
import { sqliteLog, sqliteMemory } from '@pawl/storage';
import { memoryConformance } from '@pawl/storage/conformance';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'pawl-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const newPath = () => join(folder, `${++count}`, 'memory.db');
const note = (text: string): Omit<MemoryNote, 'id' | 'at'> => ({
  text,
  folder: null,
  by: { kind: 'human', id: 'ann' },
  session: null,
  call: null,
  source: null,
});

describe('X8: sqliteMemory', () => {
  for (const { name, run } of memoryConformance(() => sqliteMemory({ path: newPath() }))) it(name, run);

  it('makes no file before there is a note, and then one that only its user can read', async () => {
    const path = newPath();
    const memory = sqliteMemory({ path });
    expect(await memory.list()).toEqual([]);
    await expect(memory.remove('abc')).rejects.toMatchObject({ code: 'no_note' });
    expect(existsSync(path)).toBe(false);
    await memory.add(note('Water.'));
    expect(statSync(path).mode & 0o077).toBe(0);
    await memory.close();
  });

  it('shares its notes with every process, and keeps them', async () => {
    const path = newPath();
    const [one, other] = [sqliteMemory({ path }), sqliteMemory({ path })];
    await one.add(note('Roses in March.'));
    expect(await other.search('roses', { cwd: '/', limit: 5 })).toHaveLength(1);
    await other.add(note('Roses in June.'));
    expect(await one.list()).toHaveLength(2);
    await one.close();
    await other.close();
    const code = `
      const { sqliteMemory } = await import('@pawl/storage');
      const memory = sqliteMemory({ path: process.argv[1] });
      console.log((await memory.search('roses', { cwd: '/', limit: 5 })).length);
      await memory.close();`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', code, path], { encoding: 'utf8' });
    expect(child.stdout).toBe('2\n');
  });

  it('prefers a newer note of two that fit alike', async () => {
    let now = Date.UTC(2026, 0, 1);
    const memory = sqliteMemory({ path: newPath(), now: () => now });
    await memory.add(note('Roses are cut in March.'));
    now = Date.UTC(2026, 5, 1);
    await memory.add(note('Roses are cut in April.'));
    const [first] = await memory.search('When are roses cut?', { cwd: '/', limit: 5 });
    expect(first?.text).toBe('Roses are cut in April.');
    await memory.close();
  });

  it('is read while another process writes', async () => {
    const path = newPath();
    const first = sqliteMemory({ path });
    await first.add(note('Roses'));
    await first.close();
    const writer = new DatabaseSync(path);
    writer.exec('BEGIN IMMEDIATE');
    const reader = sqliteMemory({ path });
    expect(await reader.list()).toHaveLength(1);
    await reader.close();
    writer.close();
  });

  it('says what is wrong with a file that is none of its own, and leaves it alone', async () => {
    const text = join(folder, 'text.db');
    writeFileSync(text, 'This is no database. '.repeat(100));
    await expect(sqliteMemory({ path: text }).list()).rejects.toMatchObject({ code: 'memory_unavailable' });
    const path = newPath();
    await sqliteLog({ path }).close();
    await expect(sqliteMemory({ path }).add(note('x'))).rejects.toMatchObject({
      code: 'memory_unavailable',
      message: expect.stringContaining("another program's"),
    });
    const closed = sqliteMemory({ path: newPath() });
    await closed.close();
    await expect(closed.list()).rejects.toMatchObject({ code: 'memory_unavailable' });
  });
});
