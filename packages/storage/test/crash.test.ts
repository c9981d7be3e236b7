import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteLog } from '@pawl/storage';
import { expect, it } from 'vitest';
import { stages } from './events.ts';
import { startChild, temporaryFolder } from './helpers.ts';

it('keeps every acknowledged append and no half of one when its process is killed', async () => {
  const path = join(temporaryFolder(), 'log.db');
  let known = 0;
  for (let round = 0; round < 12; round++) {
    const child = startChild('children/appender.ts', path, 's');
    const enough = 1 + Math.floor(Math.random() * 60);
    for (let line = 0; line < enough; line++) known = Number(await child.line());
    await child.kill();
    const log = sqliteLog({ path });
    const events = await log.read('s');
    expect(events.length).toBeGreaterThanOrEqual(known);
    expect(events.length % 3).toBe(0);
    expect(events).toEqual(stages('s', 0, events.length));
    expect(log.damage()).toEqual([]);
    await log.append('s', events.length, stages('s', events.length, 3));
    await log.close();
  }
});

it('gives each place in a session to one of many processes that write to it at once', async () => {
  const path = join(temporaryFolder(), 'new', 'log.db');
  const names = ['a', 'b', 'c'];
  const children = names.map((name) => startChild('children/rival.ts', path, 's', name));
  const won = await Promise.all(children.map(async (child): Promise<number[]> => JSON.parse(await child.line())));
  const log = sqliteLog({ path });
  const events = await log.read('s');
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  for (const [index, places] of won.entries())
    for (const seq of places)
      expect(events.slice(seq - 1, seq + 1).map(({ data }) => data)).toEqual([
        { stage: names[index] },
        { stage: names[index] },
      ]);
  await log.close();
});

it('lets go of a session when the process that owns it is killed, and not before (S2)', async () => {
  const path = join(temporaryFolder(), 'log.db');
  const log = sqliteLog({ path });
  const child = startChild('children/owner.ts', path, 's');
  expect(await child.line()).toBe('claimed');
  await expect(log.claim('s')).rejects.toMatchObject({ code: 'session_locked' });
  await expect(log.delete('s')).rejects.toMatchObject({ code: 'session_locked' });
  await child.kill();
  const claim = await log.claim('s');
  await claim.release();
  await log.close();
  expect(readdirSync(`${path}.locks`)).toEqual(['open']);
});

it('watches a session that another process writes, and takes over when that one is killed (S2)', async () => {
  const path = join(temporaryFolder(), 'log.db');
  const log = sqliteLog({ path });
  const child = startChild('children/owner.ts', path, 's');
  await child.line();
  const end = new AbortController();
  const watcher = log.watch('s', 0, end.signal)[Symbol.asyncIterator]();
  for (let seq = 0; seq < 3; seq++) {
    child.process.stdin?.write(`${seq}\n`);
    expect((await watcher.next()).value).toEqual(stages('s', seq, 1));
    expect(await child.line()).toBe(`appended ${seq + 1}`);
  }
  expect((await log.list())[0]?.isLocked).toBe(true);
  await child.kill();
  await log.claim('s');
  await log.append('s', 3, stages('s', 3, 1));
  expect((await watcher.next()).value).toEqual(stages('s', 3, 1));
  end.abort();
  await log.close();
});

it('refuses the append of an owner that was stopped, lost its session and wakes up', async () => {
  const path = join(temporaryFolder(), 'log.db');
  const child = startChild('children/owner.ts', path, 's');
  await child.line();
  child.process.kill('SIGSTOP');
  const log = sqliteLog({ path });
  await log.append('s', 0, stages('s', 0, 2));
  child.process.stdin?.write('0\n');
  child.process.kill('SIGCONT');
  expect(await child.line()).toBe('conflict');
  expect(await log.read('s')).toEqual(stages('s', 0, 2));
  await log.close();
});

it('removes the lock files of processes that died', async () => {
  const path = join(temporaryFolder(), 'log.db');
  for (let round = 0; round < 2; round++) {
    const child = startChild('children/owner.ts', path, `s${round}`);
    await child.line();
    await child.kill();
  }
  expect(readdirSync(`${path}.locks`)).toHaveLength(3);
  const log = sqliteLog({ path });
  await log.close();
  expect(existsSync(`${path}.locks`)).toBe(true);
  expect(readdirSync(`${path}.locks`)).toEqual(['open']);
});
