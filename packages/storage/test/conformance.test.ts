import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Memory, SessionLog, Storage } from '@pawl/engine';
import { memoryLog, sqliteLog } from '@pawl/storage';
import {
  type ConformanceOptions,
  flakyLog,
  logConformance,
  memoryConformance,
  slowLog,
} from '@pawl/storage/conformance';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'pawl-conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const noMemory = (): Memory => {
  throw new Error('Only the names of the cases are asked for.');
};

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

describe('H9: the suite itself', () => {
  const noBlobs = (): SessionLog => {
    const { put: _put, get: _get, ...log } = memoryLog();
    return log;
  };

  it('takes a log without blobs', async () => {
    const cases = logConformance(noBlobs, { hasBlobs: false });
    expect(cases.filter(({ name }) => name.includes('blob'))).toEqual([]);
    for (const { run } of cases) await run();
  });

  it('ends a case that hangs by itself, and says which', async () => {
    const hanging = () => ({ ...memoryLog(), read: () => new Promise<never>(() => undefined) });
    const [first] = logConformance(hanging, { timeoutMs: 20 });
    await expect(first?.run()).rejects.toThrow(`“${first?.name}” did not end within 20 ms: something never answered.`);
  });

  it('has every rule in the docs, and no other', () => {
    const page = readFileSync(new URL('../../../docs/durability.md', import.meta.url), 'utf8');
    const stated = [...page.slice(page.indexOf('## A log of your own')).matchAll(/^- (.*)$/gm)].map(([, rule]) => rule);
    const openAgain = (log: Storage) => log;
    const checked = [...logConformance(memoryLog, { openAgain }), ...memoryConformance(noMemory)].map(
      ({ name }) => name,
    );
    expect(new Set(stated)).toEqual(new Set(checked));
    expect(stated.length).toBe(checked.length);
  });
});

describe.each(subjects)('%s', (_, create, options) => {
  for (const { name, run } of logConformance(create, options)) it(name, run);
});
