import assert from 'node:assert/strict';
import type { EventBody } from '@pawl/protocol';
import type { LogCase } from './case.ts';
import { created, fill, input, place, refuses, stage, toolFinished } from './samples.ts';

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

export const appendCases: LogCase[] = [
  {
    name: 'a session that was never written has no events',
    async check(log) {
      assert.deepEqual(await log.read('nobody'), []);
      assert.deepEqual(await log.read('nobody', 7), []);
    },
  },
  {
    name: 'what was appended is read back in order and unchanged',
    async check(log) {
      const events = place('s', 0, [created(), input('hello'), stage('exploring')]);
      await log.append('s', 0, events.slice(0, 2));
      await log.append('s', 2, events.slice(2));
      assert.deepEqual(await log.read('s'), events);
    },
  },
  {
    name: 'an append that expects another sequence number is refused and writes nothing',
    async check(log) {
      const events = await fill(log, 's', [created(), stage('a')]);
      for (const expected of [0, 1, 3, 100]) {
        const late = place('s', expected, [stage('late'), stage('later')]);
        await refuses(log.append('s', expected, late), 'conflict', `An append at ${expected} to a session at 2`);
      }
      assert.deepEqual(await log.read('s'), events, 'A refused append must leave the session as it was.');
      await refuses(log.append('new', 4, place('new', 4, [stage('x')])), 'conflict', 'An append at 4 to a new session');
      assert.deepEqual(await log.read('new'), []);
    },
  },
  {
    name: 'an append whose events are misnumbered or of another session is refused whole',
    async check(log) {
      const [first, second] = place('s', 0, [created(), stage('a')]);
      assert.ok(first !== undefined && second !== undefined);
      await refuses(log.append('s', 0, [first, { ...second, seq: 3 }]), 'invalid_append', 'An append with a gap');
      await refuses(log.append('s', 0, [first, first]), 'invalid_append', 'An append with a repeated number');
      await refuses(log.append('s', 0, [second]), 'invalid_append', 'An append that begins too late');
      await refuses(
        log.append('s', 0, [first, { ...second, session: 't' }]),
        'invalid_append',
        "An append with another session's event",
      );
      assert.deepEqual(await log.read('s'), []);
      await log.append('s', 0, [first, second]);
    },
  },
  {
    name: 'an append without events checks the expectation and changes nothing',
    async check(log) {
      const events = await fill(log, 's', [created()]);
      await log.append('s', 1, []);
      await refuses(log.append('s', 2, []), 'conflict', 'An empty append at the wrong place');
      assert.deepEqual(await log.read('s'), events);
    },
  },
  {
    name: 'of appends that race for one place exactly one wins, and it is whole',
    async check(log) {
      await fill(log, 's', [created()]);
      const rivals = letters.map((name) => place('s', 1, [stage(name), stage(name), stage(name)]));
      const outcomes = await Promise.allSettled(rivals.map((events) => log.append('s', 1, events)));
      const winners = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      assert.equal(winners.length, 1, `Exactly one racing append must win; ${winners.length} did.`);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') await refuses(Promise.reject(outcome.reason), 'conflict', 'A losing append');
      assert.deepEqual((await log.read('s')).slice(1), winners[0]);
    },
  },
  {
    name: 'of first appends that race exactly one wins',
    async check(log) {
      const rivals = letters.map((name) => place('s', 0, [created(), stage(name)]));
      const outcomes = await Promise.allSettled(rivals.map((events) => log.append('s', 0, events)));
      const winners = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      assert.equal(winners.length, 1, `Exactly one first append must win; ${winners.length} did.`);
      assert.deepEqual(await log.read('s'), winners[0]);
      assert.equal((await log.list()).length, 1);
    },
  },
  {
    name: 'reading after any event gives exactly those that follow, also from the middle of a record',
    async check(log) {
      const events = place('s', 0, [created(), ...letters.map(stage)]);
      await log.append('s', 0, events.slice(0, 1));
      await log.append('s', 1, events.slice(1, 5));
      await log.append('s', 5, events.slice(5));
      for (let after = 0; after <= events.length + 1; after++)
        assert.deepEqual(await log.read('s', after), events.slice(after), `Reading after ${after} went wrong.`);
    },
  },
  {
    name: 'sessions written in turn stay apart',
    async check(log) {
      const names = ['one', 'two', 'three', 'ONE', 'one ', 'ö/..%"\'', '0'];
      const bodies: EventBody[] = [created(), ...letters.map(stage)];
      for (const [index, body] of bodies.entries())
        for (const name of names) await log.append(name, index, place(name, index, [body]));
      for (const name of names)
        assert.deepEqual(
          (await log.read(name)).map(({ seq, session, data }) => ({ seq, session, data })),
          bodies.map(({ data }, index) => ({ seq: index + 1, session: name, data })),
        );
    },
  },
  {
    name: 'changing an event after giving or getting it does not change the log',
    async check(log) {
      const given = place('s', 0, [created(), input('original')]);
      const kept = structuredClone(given);
      await log.append('s', 0, given);
      for (const event of given) Object.assign(event.data, { cwd: 'changed', input: 'changed' });
      const got = await log.read('s');
      assert.deepEqual(got, kept, 'Changing a given event changed the log.');
      for (const event of got) Object.assign(event.data, { cwd: 'changed', input: 'changed' });
      assert.deepEqual(await log.read('s'), kept, 'Changing a returned event changed the log.');
    },
  },
  {
    name: 'any text survives: quotes, control characters, NUL, lone surrogates, every plane',
    async check(log) {
      const texts = ['', "'; DROP TABLE records; --", '\u0000\u0001\u001f\u007f', 'a\u0000b', '\ud800x\udfff'];
      texts.push('\u2028\u2029\ufeff\ufffd', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧 العربية 中文', '\r\n\t"\\/', '{"seq":1}', '__proto__');
      const events = await fill(log, 's\u0000"\'中', [
        created({ metadata: { 'k\u0000': '\u0000' } }),
        ...texts.map(toolFinished),
      ]);
      assert.deepEqual(await log.read('s\u0000"\'中'), events);
    },
  },
  {
    name: 'a record of many megabytes is kept whole',
    async check(log) {
      const large = place('s', 0, [created(), toolFinished('0123456789abcdef'.repeat(400_000)), stage('after')]);
      await log.append('s', 0, large);
      assert.deepEqual(await log.read('s'), large);
    },
  },
  {
    name: 'a record of a thousand events is one append',
    async check(log) {
      const many = place('s', 0, [created(), ...Array.from({ length: 999 }, (_, index) => stage(`${index}`))]);
      await log.append('s', 0, many);
      assert.deepEqual(await log.read('s', 990), many.slice(990));
      await log.append('s', 1000, place('s', 1000, [stage('next')]));
    },
  },
  {
    name: 'a closed log refuses everything and can be closed again',
    async check(log) {
      await fill(log, 's', [created()]);
      await log.close();
      await log.close();
      await refuses(log.append('s', 1, place('s', 1, [stage('a')])), 'log_unavailable', 'An append to a closed log');
      await refuses(log.read('s'), 'log_unavailable', 'Reading a closed log');
      await refuses(log.list(), 'log_unavailable', 'Listing a closed log');
    },
  },
];
