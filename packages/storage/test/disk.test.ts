import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sqliteLog } from '@pawl/storage';
import { expect, it, onTestFinished } from 'vitest';
import { place, says, stages } from './events.ts';
import { temporaryFolder } from './helpers.ts';

const smallDisk = mountsSmallDisks();
if (!smallDisk) console.warn('The tests of a full disk are skipped: this user may not mount a tmpfs.');

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'pipe' });
}

function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
}

function mountsSmallDisks(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mount-'));
  try {
    mount(folder);
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it.skipIf(!smallDisk)(
  'writes nothing of an append to a full disk, says so, and goes on when there is room again',
  async () => {
    const folder = temporaryFolder();
    mount(folder);
    onTestFinished(() => unmount(folder));
    const path = join(folder, 'log.db');
    const filler = join(folder, 'filler');
    writeFileSync(filler, Buffer.alloc(1_000_000));
    const log = sqliteLog({ path });
    let seq = 0;
    let failure: unknown;
    while (failure === undefined && seq < 10_000) {
      const [event] = place('s', seq, [says('x'.repeat(3000))]);
      failure = await log.append('s', seq, event === undefined ? [] : [event]).then(
        () => void seq++,
        (error: unknown) => error,
      );
    }
    expect(failure).toMatchObject({
      code: 'log_unavailable',
      message: expect.stringContaining('disk is full'),
      cause: expect.anything(),
    });
    expect(await log.read('s')).toHaveLength(seq);
    const [oversized] = place('s', seq, [says('x'.repeat(3_000_000))]);
    await expect(log.append('s', seq, oversized === undefined ? [] : [oversized])).rejects.toMatchObject({
      code: 'log_unavailable',
    });
    await expect(log.put(Buffer.alloc(2_000_000, 1))).rejects.toMatchObject({ code: 'log_unavailable' });
    rmSync(filler);
    await log.append('s', seq, stages('s', seq, 1));
    expect(await log.read('s')).toHaveLength(seq + 1);
    expect(log.damage()).toEqual([]);
    await log.close();
  },
);

it('makes its folders and files for this user alone', async () => {
  const path = join(temporaryFolder(), 'a', 'b', 'log.db');
  const log = sqliteLog({ path });
  await log.append('s', 0, stages('s', 0, 1));
  await log.claim('s');
  const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);
  for (const folder of [dirname(path), dirname(dirname(path)), `${path}.locks`]) expect(mode(folder)).toBe('700');
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(mode(file)).toBe('600');
  await log.close();
  expect(readdirSync(dirname(path)).sort()).toEqual(['log.db', 'log.db.locks']);
});

it('says what to do when its file cannot be opened', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'folder'));
  expect(() => sqliteLog({ path: join(folder, 'file', 'log.db') })).toThrow(
    expect.objectContaining({ code: 'log_unavailable' }),
  );
  expect(() => sqliteLog({ path: join(folder, 'folder') })).toThrow(
    expect.objectContaining({ code: 'log_unavailable' }),
  );
  expect(readdirSync(folder).sort((a, b) => (a < b ? -1 : 1))).toEqual(['file', 'folder']);
});
