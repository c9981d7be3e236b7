import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { withNumberedParameters } from '../src/sqlite/numbered-parameters.ts';

it('numbered parameters are bound by their place where SQLite takes them for names', () => {
  const database = withNumberedParameters(new DatabaseSync(':memory:'), true);
  database.exec('CREATE TABLE t (a, b, c)');
  expect(database.prepare('INSERT INTO t VALUES (?2, ?1, ?2)').run('one', 'two').changes).toBe(1);
  expect(database.prepare('INSERT INTO t VALUES (?, ?, ?)').run(1, 2, 3).changes).toBe(1);
  const select = database.prepare('SELECT a, b FROM t WHERE a = ?1 OR (c = ?1 AND b = ?2)');
  const row = { a: 'two', b: 'one' };
  expect({ ...select.get('two', 'one') }).toEqual(row);
  expect(select.all('two', 'one').map((each) => ({ ...each }))).toEqual([row]);
  expect([...select.iterate('two', 'one')].map((each) => ({ ...each }))).toEqual([row]);
  database.close();
});
