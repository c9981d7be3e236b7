import assert from 'node:assert/strict';
import type { LogCase } from './case.ts';
import { created, fill, input, place, refuses, stage, userSays } from './samples.ts';
import { watchUntil } from './watch-cases.ts';

export const reopenCases: LogCase[] = [
  {
    name: 'what was stored is there after closing and opening again',
    async check(log, openAgain) {
      const events = await fill(log, 's', [created(), input('hello'), userSays('hello world')]);
      const list = await log.list();
      await log.close();
      const again = await openAgain();
      assert.deepEqual(await again.read('s'), events);
      assert.deepEqual(await again.list(), list);
      assert.equal((await again.list({ search: 'world' })).length, 1);
      await again.append('s', 3, place('s', 3, [stage('on')]));
    },
  },
  {
    name: 'two openings see what the other appends, and only one of them wins each place',
    async check(log, openAgain) {
      const other = await openAgain();
      await fill(log, 's', [created()]);
      assert.equal((await other.read('s')).length, 1);
      await other.append('s', 1, place('s', 1, [stage('other')]));
      await refuses(log.append('s', 1, place('s', 1, [stage('mine')])), 'conflict', 'The append that came second');
      await log.append('s', 2, place('s', 2, [stage('mine')]));
      assert.deepEqual(await other.read('s'), await log.read('s'));
    },
  },
  {
    name: 'a session deleted by one opening and begun anew is not written on by the other',
    async check(log, openAgain) {
      await fill(log, 's', [created(), stage('old')]);
      const other = await openAgain();
      await other.delete('s');
      await refuses(log.append('s', 2, place('s', 2, [stage('stale')])), 'conflict', 'An append to a deleted session');
      const events = await fill(other, 's', [created(), stage('new')]);
      await refuses(log.append('s', 0, place('s', 0, [created()])), 'conflict', 'A first append that came second');
      assert.deepEqual(await log.read('s'), events);
      await log.delete('s');
      await fill(log, 's', [created()]);
      assert.equal((await other.list()).length, 1);
    },
  },
  {
    name: 'a watcher sees what another opening appends',
    async check(log, openAgain) {
      const other = await openAgain();
      const events = place('s', 0, [created(), ...Array.from({ length: 10 }, (_, index) => stage(`${index}`))]);
      const watcher = watchUntil(log, 's', 0, events.length);
      for (const event of events) {
        await other.append('s', event.seq - 1, [event]);
        await new Promise(setImmediate);
      }
      assert.deepEqual(await watcher, events);
    },
  },
  {
    name: 'a session owned by one opening is refused to the other until it is released or its owner closes',
    async check(log, openAgain) {
      const other = await openAgain();
      await fill(log, 's', [created()]);
      const claim = await log.claim('s');
      await refuses(other.claim('s'), 'session_locked', "Claiming another opening's session");
      await refuses(other.delete('s'), 'session_locked', "Deleting another opening's session");
      assert.equal((await other.list())[0]?.isLocked, true);
      await claim.release();
      await (await other.claim('s')).release();
      await log.claim('s');
      await log.close();
      assert.equal((await other.list())[0]?.isLocked, false);
      await (await other.claim('s')).release();
    },
  },
];
