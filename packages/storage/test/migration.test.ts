import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteLog } from '@pawl/storage';
import { expect, it } from 'vitest';
import { openSqliteLog } from '../src/sqlite/log.ts';
import { type Migration, migrations } from '../src/sqlite/migrations.ts';
import { stages } from './events.ts';
import { queryRow, startChild, temporaryFolder } from './helpers.ts';

const addsNotes: Migration = (database) => database.exec('CREATE TABLE notes (text TEXT)');

/** A log with 90 events of session `s`, closed. */
async function writtenLog(): Promise<string> {
  const path = join(temporaryFolder(), 'log.db');
  const log = sqliteLog({ path });
  for (let seq = 0; seq < 90; seq += 3) await log.append('s', seq, stages('s', seq, 3));
  await log.close();
  return path;
}

const userVersion = (path: string): unknown => queryRow(path, 'PRAGMA user_version')?.user_version;

it('leaves old data whole when a migration is killed half-way, and completes it at the next opening', async () => {
  const path = await writtenLog();
  const child = startChild('children/migrator.ts', path);
  expect(await child.line()).toBe('half-way');
  await child.kill();

  const old = sqliteLog({ path });
  expect(await old.read('s')).toEqual(stages('s', 0, 90));
  await old.append('s', 90, stages('s', 90, 1));
  await old.close();
  expect(userVersion(path)).toBe(migrations.length);

  const renewed = openSqliteLog({ path }, [...migrations, addsNotes]);
  expect(await renewed.read('s')).toEqual(stages('s', 0, 91));
  await renewed.append('s', 91, stages('s', 91, 1));
  await renewed.close();
  expect(userVersion(path)).toBe(migrations.length + 1);
});

it('takes back a migration that fails, and says why', async () => {
  const path = await writtenLog();
  const fails: Migration = (database) => {
    addsNotes(database);
    throw new Error('no such luck');
  };
  expect(() => openSqliteLog({ path }, [...migrations, fails])).toThrow(/no such luck/);
  const log = openSqliteLog({ path }, [...migrations, addsNotes]);
  expect(await log.read('s')).toEqual(stages('s', 0, 90));
  await log.close();
});

it('refuses a file that a newer release wrote, and does not change a byte of it', async () => {
  const path = await writtenLog();
  const newer = openSqliteLog({ path }, [...migrations, addsNotes]);
  await newer.close();
  const before = readFileSync(path);
  expect(() => sqliteLog({ path })).toThrow(expect.objectContaining({ code: 'log_too_new' }));
  expect(readFileSync(path).equals(before)).toBe(true);
});

it('refuses a session with events of a newer release, lists it, and leaves it as it was', async () => {
  const path = await writtenLog();
  const log = sqliteLog({ path });
  const [event] = stages('s', 90, 1);
  await log.append('s', 90, [{ ...event, version: 2 } as never]);
  await log.append('s', 91, [{ ...event, seq: 92, type: 'thought.had' } as never]);
  await expect(log.read('s')).rejects.toMatchObject({ code: 'log_too_new' });
  await expect(log.append('s', 90, stages('s', 90, 1))).rejects.toMatchObject({ code: 'conflict' });
  expect((await log.list({ search: '' }))[0]).toMatchObject({ session: 's', seq: 92 });
  expect(await log.list({ search: 'anything' })).toEqual([]);
  expect(log.damage()).toEqual([]);
  await log.close();
});

it('opens one new file from many connections at once', async () => {
  const path = join(temporaryFolder(), 'deep', 'er', 'log.db');
  const logs = Array.from({ length: 5 }, () => sqliteLog({ path }));
  for (const [index, log] of logs.entries()) await log.append('s', index, stages('s', index, 1));
  for (const log of logs) expect(await log.read('s')).toEqual(stages('s', 0, 5));
  for (const log of logs) await log.close();
});
