import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLog } from '@pawl/storage';
import { expect, it } from 'vitest';
import { place, says, stage, stages } from './events.ts';
import { queryRow, temporaryFolder } from './helpers.ts';

/** A log with records of two events in the sessions `s` and `t`, changed by `harm` while nobody has it open. */
async function harmedLog(harm: string): Promise<string> {
  const path = join(temporaryFolder(), 'log.db');
  const log = sqliteLog({ path });
  for (let seq = 0; seq < 10; seq += 2)
    for (const session of ['s', 't'])
      await log.append(session, seq, place(session, seq, [stage(`${seq}`), says(`word${seq}`)]));
  expect(await log.list({ search: 'word6' })).toHaveLength(2);
  await log.close();
  change(path, harm);
  return path;
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

const third = 'WHERE key = (1 << 32) | 5';
const harms: [string, string][] = [
  ['a body with a changed letter', `UPDATE records SET body = replace(body, 'stage', 'stagf') ${third}`],
  ['a body cut short', `UPDATE records SET body = substr(body, 1, 40) ${third}`],
  ['an empty body', `UPDATE records SET body = '' ${third}`],
  ['a body that is not UTF-8', `UPDATE records SET body = CAST(x'5b7bff80' AS TEXT) ${third}`],
  ['a body of zeros', `UPDATE records SET body = CAST(zeroblob(200) AS TEXT) ${third}`],
  ['a wrong checksum', `UPDATE records SET checksum = checksum + 1 ${third}`],
  ['a wrong end', `UPDATE records SET last_seq = 9 ${third}`],
  ['an end before its beginning', `UPDATE records SET last_seq = 0 ${third}`],
  ['a missing record', `DELETE FROM records ${third}`],
  ['a record glued to another place', `UPDATE records SET key = key + 1 ${third}`],
];

it.each(harms)(
  'reads what is whole before %s, sets the rest aside at the next append and reports it',
  async (_, harm) => {
    const path = await harmedLog(harm);
    const log = sqliteLog({ path });
    const whole = await log.read('s');
    expect(whole).toHaveLength(4);
    expect(await log.read('s', 2)).toEqual(whole.slice(2));
    expect(await log.read('t')).toHaveLength(10);
    expect(log.damage()).toEqual([{ session: 's', fromSeq: 5, reason: expect.any(String) }]);
    const counts = (): unknown =>
      queryRow(path, 'SELECT (SELECT count(*) FROM quarantine) AS aside, (SELECT count(*) FROM records) AS records');
    const recordCount = harm.startsWith('DELETE') ? 9 : 10;
    expect(counts()).toEqual({ aside: 0, records: recordCount });

    await log.append('s', 4, stages('s', 4, 1));
    expect(await log.read('s')).toEqual([...whole, ...stages('s', 4, 1)]);
    expect(await log.read('t')).toHaveLength(10);
    expect(log.damage()).toHaveLength(1);
    expect(counts()).toEqual({ aside: recordCount - 7, records: 8 });
    expect((await log.list({ search: 'word6' })).map(({ session }) => session)).toEqual(['t']);
    await log.append('s', 5, place('s', 5, [says('afterwards')]));
    expect((await log.list({ search: 'afterwards word2' })).map(({ session }) => session)).toEqual(['s']);
    await log.close();

    const again = sqliteLog({ path });
    expect(await again.read('s')).toHaveLength(6);
    expect(again.damage()).toEqual([]);
    await again.close();
  },
);

it('reports no damage to a driver that merely stands elsewhere', async () => {
  const log = sqliteLog({ path: await harmedLog('SELECT 1') });
  for (const expected of [0, 1, 2, 4, 9]) {
    const late = log.append('s', expected, stages('s', expected, 1));
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
  }
  expect(await log.read('s')).toHaveLength(10);
  expect(log.damage()).toEqual([]);
  await log.close();
});

it('begins a session anew whose first record is damaged', async () => {
  const path = await harmedLog(`UPDATE records SET checksum = 0 WHERE key = (1 << 32) | 1`);
  const log = sqliteLog({ path });
  expect(await log.read('s')).toEqual([]);
  await log.append('s', 0, stages('s', 0, 1));
  expect(await log.read('s')).toHaveLength(1);
  await log.close();
});

it('lets a watcher go on with what is appended after the damage', async () => {
  const path = await harmedLog(`UPDATE records SET checksum = 0 ${third}`);
  const log = sqliteLog({ path });
  const watcher = log.watch('s', 0, new AbortController().signal)[Symbol.asyncIterator]();
  expect((await watcher.next()).value).toHaveLength(4);
  const waiting = watcher.next();
  await log.append('s', 4, stages('s', 4, 1));
  expect((await waiting).value).toEqual(stages('s', 4, 1));
  await log.close();
});
