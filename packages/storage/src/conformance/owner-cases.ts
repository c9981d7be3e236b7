import assert from 'node:assert/strict';
import type { LogCase } from './case.ts';
import { created, fill, place, refuses, stage } from './samples.ts';

export const ownerCases: LogCase[] = [
  {
    name: 'a claimed session cannot be claimed again until it is released',
    async check(log) {
      const claim = await log.claim('s');
      await refuses(log.claim('s'), 'session_locked', 'A second claim');
      const other = await log.claim('t');
      await claim.release();
      const again = await log.claim('s');
      await claim.release();
      await refuses(log.claim('s'), 'session_locked', 'A claim after the first owner released twice');
      await again.release();
      await other.release();
    },
  },
  {
    name: 'whoever owns a session can be asked for, by name, process and time, and is named to whoever is refused',
    async check(log) {
      if (log.owner === undefined) return;
      assert.equal(await log.owner('s'), null);
      const before = Date.now();
      const claim = await log.claim('s');
      const owner = await log.owner('s');
      assert.equal(owner?.pid, process.pid);
      assert.ok(owner.since >= before && owner.since <= Date.now());
      await assert.rejects(log.claim('s'), ({ message }: Error) => message.includes(`process ${process.pid}`));
      await claim.release();
      assert.equal(await log.owner('s'), null);
    },
  },
  {
    name: 'of claims that race exactly one wins',
    async check(log) {
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => log.claim('s')));
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    },
  },
  {
    name: 'the list shows which sessions are owned',
    async check(log) {
      await fill(log, 'a', [created()], 1);
      await fill(log, 'b', [created()], 2);
      const claim = await log.claim('a');
      const locks = async () => (await log.list()).map(({ session, isLocked }) => [session, isLocked]);
      assert.deepEqual(await locks(), [
        ['b', false],
        ['a', true],
      ]);
      await claim.release();
      assert.deepEqual(await locks(), [
        ['b', false],
        ['a', false],
      ]);
    },
  },
  {
    name: 'an owned session is read and watched by anyone, and not deleted',
    async check(log) {
      const events = await fill(log, 's', [created()]);
      const claim = await log.claim('s');
      await refuses(log.delete('s'), 'session_locked', 'Deleting an owned session');
      assert.deepEqual(await log.read('s'), events);
      await log.append('s', 1, place('s', 1, [stage('a')]));
      await claim.release();
      await log.delete('s');
      assert.deepEqual(await log.read('s'), []);
    },
  },
];
