import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Storage } from '@pawl/engine';
import { memoryLog, sqliteLog } from '@pawl/storage';
import { type ConformanceOptions, flakyLog, logConformance, slowLog } from '@pawl/storage/conformance';
import { afterAll, describe, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'pawl-conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const paths = new WeakMap<Storage, string>();
const openSqlite = (path: string, wrap: (log: Storage) => Storage = (log) => log): Storage => {
  const log = wrap(sqliteLog({ path }));
  paths.set(log, path);
  return log;
};
const newPath = (): string => join(folder, `${++count}`, 'log.db');

/** Now and then a turn of the event loop, now and then only of the promises. */
function unevenly(log: Storage): Storage {
  let calls = 0;
  return slowLog(log, async () => {
    calls++;
    if (calls % 3 === 0) await setImmediate();
  });
}

const subjects: [string, () => Storage, ConformanceOptions?][] = [
  ['memoryLog', () => memoryLog()],
  ['sqliteLog', () => openSqlite(newPath()), { openAgain: (log) => openSqlite(paths.get(log) ?? '') }],
  [
    'sqliteLog, safe against power loss',
    () => {
      const path = newPath();
      const log = sqliteLog({ path, isPowerLossSafe: true });
      paths.set(log, path);
      return log;
    },
  ],
  ['a slow memoryLog', () => unevenly(memoryLog())],
  [
    'a slow sqliteLog',
    () => openSqlite(newPath(), unevenly),
    { openAgain: (log) => openSqlite(paths.get(log) ?? '', unevenly) },
  ],
  ['a flaky log that happens to be well', () => flakyLog(memoryLog(), () => null)],
];

describe.each(subjects)('%s', (_, create, options) => {
  for (const { name, run } of logConformance(create, options)) it(name, run);
});
