import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLog } from '@pawl/storage';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { place, says, stages } from './events.ts';
import { queryRow, startChild, temporaryFolder } from './helpers.ts';

const sessions = ['a', 'b', 'c', 'd'];
const text = (seq: number): string => `said${seq} ${'lorem ipsum '.repeat(seq % 7 === 0 ? 900 : 20)}`;
const record = (session: string, seq: number) => place(session, seq, [says(text(seq))]);

/** A log of four sessions of 60 records, some long, and a blob; returns the path and the blob's digest. */
async function filledLog(): Promise<{ path: string; digest: string }> {
  const path = join(temporaryFolder(), 'log.db');
  const log = sqliteLog({ path });
  const digest = await log.put(Buffer.alloc(20_000, 'blob'));
  for (let seq = 0; seq < 60; seq++)
    for (const session of sessions) await log.append(session, seq, record(session, seq));
  await log.close();
  return { path, digest };
}

/** Changes bytes of a file in place. */
function overwrite(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

async function readAll(path: string) {
  const log = sqliteLog({ path });
  const lengths: Record<string, number> = {};
  for (const session of sessions) {
    const events = await log.read(session);
    expect(events).toEqual(events.flatMap((_, index) => record(session, index)));
    lengths[session] = events.length;
  }
  return { log, lengths, damage: log.damage() };
}

const damagedFiles = (path: string): string[] =>
  readdirSync(dirname(path)).filter((name) => name.includes('.damaged-'));

it('saves every record of a file whose header was overwritten, and keeps the damaged file', async () => {
  const { path, digest } = await filledLog();
  overwrite(path, (bytes) => bytes.fill(0, 0, 4096));
  const harmed = readFileSync(path);
  const { log, lengths, damage } = await readAll(path);
  expect(lengths).toEqual({ a: 60, b: 60, c: 60, d: 60 });
  expect(damage).toEqual([{ session: '', fromSeq: 0, reason: expect.stringContaining('240 records of 4 sessions') }]);
  expect((await log.get(digest))?.length).toBe(20_000);
  expect((await log.list({ search: 'said59' })).map(({ session }) => session)).toEqual(
    expect.arrayContaining(sessions),
  );
  await log.append('a', 60, record('a', 60));
  await log.close();
  const [aside] = damagedFiles(path);
  expect(readFileSync(join(dirname(path), aside ?? '')).equals(harmed)).toBe(true);
});

/** Rows set aside; none where the table's own page was zeroed, and nobody had a reason to look at it. */
function quarantined(path: string): number {
  try {
    return Number(queryRow(path, 'SELECT count(*) AS count FROM quarantine')?.count);
  } catch (error) {
    expect(error).toMatchObject({ errcode: 11 });
    return 0;
  }
}

it('loses no more than the records on the pages that were zeroed, and tells which sessions are cut short', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(200), { minLength: 1, maxLength: 3 }), async (numbers) => {
      const { path } = await filledLog();
      const pages = statSync(path).size / 4096;
      overwrite(path, (bytes) => {
        for (const number of numbers) bytes.fill(0, (number % pages) * 4096, ((number % pages) + 1) * 4096);
      });
      const { log, lengths, damage } = await readAll(path);
      for (const { session, fromSeq } of damage) if (session !== '') expect(lengths[session]).toBe(fromSeq - 1);
      // Where no entry tells of the file, SQLite met no damage of its own, and only a record's checksum can have.
      expect(damagedFiles(path)).toHaveLength(damage.some(({ session }) => session === '') ? 1 : 0);
      for (const session of sessions)
        await log.append(session, lengths[session] ?? 0, record(session, lengths[session] ?? 0));
      await log.list({ search: 'said' });
      await log.close();
      const kept = Object.values(lengths).reduce((sum, length) => sum + length, 0);
      // A leaf holds at most some 15 of these records, and an overflow page a part of one.
      expect(kept + quarantined(path)).toBeGreaterThanOrEqual(240 - 15 * numbers.length);
    }),
    { numRuns: 25 },
  );
});

it('saves what stands before the cut of a truncated file', async () => {
  const { path } = await filledLog();
  truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096 + 1000);
  const { log, lengths, damage } = await readAll(path);
  expect(damage.length).toBeGreaterThan(0);
  expect(Object.values(lengths).reduce((sum, length) => sum + length, 0)).toBeGreaterThan(0);
  await log.close();
});

it('saves what only the write-ahead log still holds when the file was cut to nothing', async () => {
  const { path } = await filledLog();
  const child = startChild('children/owner.ts', path, 'a');
  await child.line();
  child.process.stdin?.write('60\n');
  expect(await child.line()).toBe('appended 61');
  await child.kill();
  truncateSync(path, 0);
  const log = sqliteLog({ path });
  expect(log.damage()[0]).toMatchObject({ session: '' });
  const rest = queryRow(path, "SELECT max(first_seq) AS seq FROM quarantine WHERE session = 'a'");
  expect(rest).toEqual({ seq: 61 });
  expect(await log.read('a')).toEqual([]);
  await log.close();
});

it('keeps every append before a torn or zeroed tail of the write-ahead log', async () => {
  const path = join(temporaryFolder(), 'log.db');
  const child = startChild('children/appender.ts', path, 's');
  for (let line = 0; line < 60; line++) await child.line();
  await child.kill();
  const wal = readFileSync(`${path}-wal`);
  const copy = join(temporaryFolder(), 'log.db');
  for (const keep of [wal.length - 1, wal.length - 4000, wal.length - 20_000, 4 * 4120 + 32, 100]) {
    for (const tail of ['torn', 'zeroed']) {
      copyFileSync(path, copy);
      writeFileSync(
        `${copy}-wal`,
        tail === 'torn'
          ? wal.subarray(0, keep)
          : Buffer.concat([wal.subarray(0, keep), Buffer.alloc(wal.length - keep)]),
      );
      const log = sqliteLog({ path: copy });
      const events = await log.read('s');
      expect(events).toEqual(stages('s', 0, events.length));
      expect(events.length % 3).toBe(0);
      await log.append('s', events.length, stages('s', events.length, 3));
      await log.close();
    }
  }
});

it('notices damage in the midst of work, saves the rest and goes on, its claims and watches with it', async () => {
  const { path } = await filledLog();
  const log = sqliteLog({ path });
  await log.claim('b');
  const end = new AbortController();
  const watcher = log.watch('a', 60, end.signal)[Symbol.asyncIterator]();
  const waiting = watcher.next();
  overwrite(path, (bytes) => bytes.fill(0x5a, 4096 * 3));
  const found = await log.list({ search: 'said1' });
  expect(log.damage()[0]).toMatchObject({ session: '' });
  for (const { session } of found) expect((await log.read(session)).length).toBeGreaterThan(0);
  await expect(log.claim('b')).rejects.toMatchObject({ code: 'session_locked' });
  const other = sqliteLog({ path });
  await expect(other.claim('b')).rejects.toMatchObject({ code: 'session_locked' });
  end.abort();
  expect((await waiting).done).toBe(true);
  await other.close();
  await log.close();
});

it('leaves a damaged file alone while another process has it open', async () => {
  const { path } = await filledLog();
  const child = startChild('children/owner.ts', path, 'a');
  await child.line();
  overwrite(path, (bytes) => bytes.fill(0x5a, 4096 * 3));
  const harmed = readFileSync(path);
  const log = sqliteLog({ path });
  await expect(log.list({ search: 'said' })).rejects.toMatchObject({
    code: 'log_unavailable',
    message: expect.stringContaining('End them'),
  });
  expect(damagedFiles(path)).toEqual([]);
  expect(readFileSync(path).equals(harmed)).toBe(true);
  await child.kill();
  await log.list({ search: 'said' });
  expect(damagedFiles(path)).toHaveLength(1);
  await log.close();
});

it('ends a salvage that was interrupted just before the new file was put in place', async () => {
  const { path } = await filledLog();
  copyFileSync(path, `${path}.copy`);
  const child = startChild('children/owner.ts', path, 'a');
  await child.line();
  child.process.stdin?.write('60\n');
  expect(await child.line()).toBe('appended 61');
  await child.kill();
  renameSync(`${path}.copy`, `${path}.salvaged`);
  // The write-ahead log is the damaged file's; applied to the new one it would change it.
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  const { log, lengths } = await readAll(path);
  expect(lengths).toEqual({ a: 60, b: 60, c: 60, d: 60 });
  expect(existsSync(`${path}.salvaged`)).toBe(false);
  await log.close();
});

it('begins a salvage again that was interrupted earlier', async () => {
  const { path } = await filledLog();
  overwrite(path, (bytes) => bytes.fill(0, 0, 4096));
  writeFileSync(`${path}.salvaging`, 'half a file');
  const { log, lengths } = await readAll(path);
  expect(lengths).toEqual({ a: 60, b: 60, c: 60, d: 60 });
  expect(existsSync(`${path}.salvaging`)).toBe(false);
  await log.close();
});

it('does not bring back what was deleted', async () => {
  const { path } = await filledLog();
  const log = sqliteLog({ path });
  await log.delete('b');
  await log.close();
  overwrite(path, (bytes) => bytes.fill(0, 0, 4096));
  const { log: saved, lengths, damage } = await readAll(path);
  expect(lengths).toEqual({ a: 60, b: 0, c: 60, d: 60 });
  expect(damage).toHaveLength(1);
  expect(queryRow(path, 'SELECT count(*) AS count FROM quarantine')).toEqual({ count: 0 });
  await saved.close();
});

it('refuses a file that is no log, and leaves it as it is', () => {
  const folder = temporaryFolder();
  const notes = join(folder, 'notes.txt');
  writeFileSync(notes, 'Buy milk. '.repeat(1000));
  expect(() => sqliteLog({ path: notes })).toThrow(
    expect.objectContaining({ code: 'log_unavailable', message: expect.stringContaining('not a log') }),
  );
  expect(readFileSync(notes, 'utf8')).toBe('Buy milk. '.repeat(1000));

  const other = join(folder, 'other.db');
  const database = new DatabaseSync(other);
  database.exec('CREATE TABLE mine (x)');
  database.close();
  const before = readFileSync(other);
  expect(() => sqliteLog({ path: other })).toThrow(expect.objectContaining({ code: 'log_unavailable' }));
  expect(readFileSync(other).equals(before)).toBe(true);
});
