import { memoryLog } from '@pawl/storage';
import { flakyLog, rivalLog, slowLog } from '@pawl/storage/conformance';
import { expect, it } from 'vitest';
import { stages } from './events.ts';

it('a flaky log fails before the write or after it, as planned', async () => {
  const inner = memoryLog();
  const log = flakyLog(inner, (operation, count) => (operation !== 'append' ? null : count === 1 ? 'before' : 'after'));
  await expect(log.append('s', 0, stages('s', 0, 1))).rejects.toMatchObject({ code: 'log_unavailable' });
  expect(await inner.read('s')).toEqual([]);
  await expect(log.append('s', 0, stages('s', 0, 1))).rejects.toMatchObject({ code: 'log_unavailable' });
  expect(await inner.read('s')).toEqual(stages('s', 0, 1));
  expect(await log.read('s')).toEqual(stages('s', 0, 1));
});

it('a rival wins exactly the appends it is told to', async () => {
  const log = rivalLog(memoryLog(), (_, expectedSeq) => expectedSeq === 2);
  await log.append('s', 0, stages('s', 0, 2));
  await expect(log.append('s', 2, stages('s', 2, 1))).rejects.toMatchObject({ code: 'conflict' });
  await log.append('s', 3, stages('s', 3, 1));
  expect((await log.read('s')).map(({ type }) => type)).toEqual([
    'stage.declared',
    'stage.declared',
    'session.opened',
    'stage.declared',
  ]);
});

it('a slow log answers no sooner than its delay', async () => {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const inner = memoryLog();
  const append = slowLog(inner, () => gate).append('s', 0, stages('s', 0, 1));
  expect(await inner.read('s')).toEqual([]);
  letGo();
  await append;
  expect(await inner.read('s')).toHaveLength(1);
});
