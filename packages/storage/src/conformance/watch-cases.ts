import assert from 'node:assert/strict';
import type { SessionLog } from '@pawl/engine';
import type { DurableEvent } from '@pawl/protocol';
import type { LogCase } from './case.ts';
import { created, fill, place, stage } from './samples.ts';

/** Reads on until `count` events were seen; then ends the watch. */
export async function watchUntil(
  log: SessionLog,
  session: string,
  afterSeq: number,
  count: number,
): Promise<DurableEvent[]> {
  const seen: DurableEvent[] = [];
  const end = new AbortController();
  for await (const events of log.watch(session, afterSeq, end.signal)) {
    assert.ok(events.length > 0, 'A watch must not give an empty batch.');
    seen.push(...events);
    if (seen.length >= count) end.abort();
  }
  return seen;
}

export const watchCases: LogCase[] = [
  {
    name: 'a watcher gets what is behind it and then what is appended, once and in order',
    async check(log) {
      const events = place('s', 0, [created(), ...Array.from({ length: 30 }, (_, index) => stage(`${index}`))]);
      await log.append('s', 0, events.slice(0, 3));
      const watchers = [0, 1, 3].map((after) => watchUntil(log, 's', after, events.length - after));
      for (let seq = 3; seq < events.length; seq += 2) await log.append('s', seq, events.slice(seq, seq + 2));
      for (const [index, after] of [0, 1, 3].entries())
        assert.deepEqual(
          await watchers[index],
          events.slice(after),
          `The watcher from ${after} on saw something else.`,
        );
    },
  },
  {
    name: 'a session can be watched before it exists, and others do not disturb',
    async check(log) {
      const watcher = watchUntil(log, 's', 0, 2);
      await fill(log, 'other', [created(), stage('a')]);
      const events = await fill(log, 's', [created(), stage('b')]);
      assert.deepEqual(await watcher, events);
    },
  },
  {
    name: 'a watcher that is slow misses nothing',
    async check(log) {
      const events = place('s', 0, [created(), ...Array.from({ length: 20 }, (_, index) => stage(`${index}`))]);
      await log.append('s', 0, events.slice(0, 1));
      const end = new AbortController();
      const watcher = log.watch('s', 0, end.signal)[Symbol.asyncIterator]();
      const seen = [...((await watcher.next()).value ?? [])];
      for (const event of events.slice(1)) await log.append('s', event.seq - 1, [event]);
      while (seen.length < events.length) seen.push(...((await watcher.next()).value ?? []));
      assert.deepEqual(seen, events);
      end.abort();
      assert.equal((await watcher.next()).done, true);
    },
  },
  {
    name: 'a watch ends when its signal aborts: before it, while it waits, or left alone',
    async check(log) {
      await fill(log, 's', [created()]);
      const aborted = AbortSignal.abort();
      for await (const events of log.watch('s', 0, aborted))
        assert.fail(`An aborted watch gave ${events.length} events.`);
      const end = new AbortController();
      const watcher = log.watch('s', 1, end.signal)[Symbol.asyncIterator]();
      const waiting = watcher.next();
      end.abort();
      assert.equal((await waiting).done, true);
      for await (const events of log.watch('s', 0, new AbortController().signal)) {
        assert.equal(events.length, 1);
        break;
      }
    },
  },
  {
    name: 'a watch ends when the log closes',
    async check(log) {
      await fill(log, 's', [created()]);
      const watcher = log.watch('s', 0, new AbortController().signal)[Symbol.asyncIterator]();
      await watcher.next();
      const waiting = watcher.next();
      await log.close();
      assert.equal((await waiting).done, true);
    },
  },
];
