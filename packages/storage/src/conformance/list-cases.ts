import assert from 'node:assert/strict';
import type { SessionLog, SessionQuery } from '@pawl/engine';
import type { LogCase } from './case.ts';
import { created, fill, input, modelSays, place, stage, toolFinished, userSays } from './samples.ts';

const found = async (log: SessionLog, query?: SessionQuery): Promise<string[]> =>
  (await log.list(query)).map(({ session }) => session);

const search = async (log: SessionLog, text: string): Promise<string[]> =>
  (await found(log, { search: text })).sort((a, b) => (a < b ? -1 : 1));

export const listCases: LogCase[] = [
  {
    name: 'a summary tells what its events tell',
    async check(log) {
      assert.deepEqual(await log.list(), []);
      await fill(log, 's', [
        created({ cwd: '/home/ann' }),
        input('noise', 'context'),
        input(' Fix\n the\ttest '),
        input('more'),
      ]);
      const configured = { type: 'session.configured', data: { model: 'anthropic/large' } } as const;
      await log.append('s', 4, place('s', 4, [configured, stage('executing')], 5000));
      assert.deepEqual(await log.list(), [
        {
          session: 's',
          seq: 6,
          createdAt: 1000,
          updatedAt: 5001,
          cwd: '/home/ann',
          model: 'anthropic/large',
          firstMessage: 'Fix the test',
          forkedFrom: null,
          title: null,
          isArchived: false,
          origin: {},
          metadata: {},
          isLocked: false,
        },
      ]);
    },
  },
  {
    name: 'a summary tells for whom the session works, and a fork of it as well',
    async check(log) {
      const origin = { user: 'ann', channel: 'mail', workflow: { slug: 'garden', step: 'water' } };
      const forked = { type: 'session.forked', data: { from: { session: 's', seq: 1 } } } as const;
      await fill(log, 's', [created({ origin, metadata: { ticket: '7' } })]);
      await log.append('fork', 0, place('fork', 0, [created({ origin, metadata: { ticket: '7' } }), forked]));
      for (const summary of await log.list()) {
        assert.deepEqual(summary.origin, origin);
        assert.deepEqual(summary.metadata, { ticket: '7' });
      }
    },
  },
  {
    name: 'a session has the title that it was given last, is found by it, and is left out where it is archived',
    async check(log) {
      const renamed = (title: string) => ({ type: 'session.renamed', data: { title } }) as const;
      await fill(log, 's', [created(), input('first'), renamed('The fig tree'), renamed('The garden')]);
      await fill(log, 'other', [created(), input('second')]);
      const found = await log.list({ search: 'garden' });
      assert.deepEqual(
        found.map(({ session, title, isArchived }) => [session, title, isArchived]),
        [['s', 'The garden', false]],
      );
      await log.append('s', 4, place('s', 4, [{ type: 'session.archived', data: {} }]));
      const named = async (isArchived?: boolean) => {
        const listed = await log.list(isArchived === undefined ? {} : { isArchived });
        return listed.map(({ session }) => session).sort();
      };
      assert.deepEqual([await named(), await named(true), await named(false)], [['other', 's'], ['s'], ['other']]);
      await log.append('s', 5, place('s', 5, [{ type: 'session.unarchived', data: {} }]));
      assert.deepEqual(await named(true), []);
    },
  },
  {
    name: 'a fork names its origin and keeps the first message',
    async check(log) {
      const forked = { type: 'session.forked', data: { from: { session: 'origin', seq: 2 } } } as const;
      await log.append('fork', 0, place('fork', 0, [created(), input('first'), forked]));
      const [summary] = await log.list();
      assert.equal(summary?.forkedFrom, 'origin');
      assert.equal(summary.firstMessage, 'first');
    },
  },
  {
    name: 'a long first message is shortened to one line',
    async check(log) {
      await fill(log, 's', [created(), input('word 😀 '.repeat(500))]);
      const text = (await log.list())[0]?.firstMessage ?? '';
      assert.ok(text.length > 0 && text.length <= 200 && text.isWellFormed(), `Not one short line: ${text}`);
    },
  },
  {
    name: 'the list is newest first, by the last event, and as long as asked',
    async check(log) {
      for (const [index, name] of ['a', 'b', 'c'].entries()) await fill(log, name, [created()], 1000 + index);
      assert.deepEqual(await found(log), ['c', 'b', 'a']);
      await log.append('a', 1, place('a', 1, [stage('x')], 9000));
      assert.deepEqual(await found(log), ['a', 'c', 'b']);
      assert.deepEqual(await found(log, { limit: 2 }), ['a', 'c']);
      for (let index = 0; index < 60; index++) await fill(log, `more-${index}`, [created()], 10_000 + index);
      assert.equal((await found(log)).length, 50, 'Without a limit the list has 50 entries.');
      assert.equal((await found(log, { limit: 1000 })).length, 63);
    },
  },
  {
    name: 'the list can be kept to main sessions',
    async check(log) {
      await fill(log, 'a', [created()]);
      await fill(log, 'a.builder-1', [created()]);
      assert.deepEqual(await found(log, { isMain: true }), ['a']);
      assert.equal((await found(log)).length, 2);
    },
  },
  {
    name: 'the list can be kept to one folder',
    async check(log) {
      await fill(log, 'a', [created({ cwd: '/one' })]);
      await fill(log, 'b', [created({ cwd: '/one/two' })]);
      assert.deepEqual(await found(log, { cwd: '/one' }), ['a']);
      assert.deepEqual(await found(log, { cwd: '/elsewhere' }), []);
    },
  },
  {
    name: 'search finds what person and model said, and nothing else',
    async check(log) {
      await fill(log, 'ann', [
        created(),
        userSays('Where is the umbrella?'),
        modelSays('Behind the DOOR.', 'privately'),
      ]);
      await fill(log, 'bob', [created(), input('Paint the door'), toolFinished('umbrella stand')]);
      await fill(log, 'eve', [created(), userSays('engine reminder about umbrellas', 'engine')]);
      assert.deepEqual(await search(log, 'umbrella'), ['ann']);
      assert.deepEqual(await search(log, 'door'), ['ann', 'bob']);
      assert.deepEqual(await search(log, 'privately'), []);
      assert.deepEqual(await search(log, 'umbr'), ['ann'], 'The beginning of a word is enough.');
      assert.deepEqual(await search(log, 'brella'), []);
    },
  },
  {
    name: 'all words of a search must occur in the session, though not in one message',
    async check(log) {
      await fill(log, 'a', [created(), userSays('red apple'), modelSays('green pear')]);
      await fill(log, 'b', [created(), userSays('red pear')]);
      assert.deepEqual(await search(log, 'red pear'), ['a', 'b']);
      assert.deepEqual(await search(log, 'apple  PEAR'), ['a']);
      assert.deepEqual(await found(log, { search: 'red', cwd: '/elsewhere' }), []);
    },
  },
  {
    name: 'search takes no notice of case, accents or the spaces that a script does not write',
    async check(log) {
      await fill(log, 'a', [created(), userSays('Crème BRÛLÉE, naïve façade; Straße')]);
      await fill(log, 'b', [created(), userSays('修复失败的测试')]);
      assert.deepEqual(await search(log, 'creme brulee'), ['a']);
      assert.deepEqual(await search(log, 'FAÇADE'), ['a']);
      assert.deepEqual(await search(log, '测试'), ['b']);
    },
  },
  {
    name: 'search takes any text for words: quotes, operators and nothing',
    async check(log) {
      await fill(log, 'a', [created(), userSays('foo-bar "quoted" near OR not path/to/file.ts C++ it\'s')]);
      for (const text of [
        '"',
        "'",
        'foo"bar',
        '""',
        '*',
        'a*b',
        '(',
        ')',
        '-',
        '^',
        ':',
        'x:y',
        '{}',
        'AND',
        'foo AND',
        '\u0000',
        '; DROP TABLE said',
      ])
        assert.ok(Array.isArray(await search(log, text)), `Searching for ${JSON.stringify(text)} went wrong.`);
      assert.deepEqual(await search(log, 'foo-bar'), ['a']);
      assert.deepEqual(await search(log, 'NOT near("quoted OR'), ['a']);
      assert.deepEqual(await search(log, 'path/to/file.ts'), ['a']);
      assert.deepEqual(await search(log, 'missing OR foo'), []);
      assert.deepEqual(await search(log, ''), ['a'], 'An empty search keeps everything.');
      assert.deepEqual(await search(log, ' \n'), ['a']);
      assert.deepEqual(await search(log, '!?'), [], 'A search without words finds nothing.');
    },
  },
  {
    name: 'search finds what was said after the last search',
    async check(log) {
      await fill(log, 'a', [created(), userSays('first')]);
      assert.deepEqual(await search(log, 'second'), []);
      await log.append('a', 2, place('a', 2, [modelSays('second'), userSays('third')]));
      assert.deepEqual(await search(log, 'second'), ['a']);
      assert.deepEqual(await search(log, 'first third'), ['a']);
    },
  },
  {
    name: 'a deleted session is gone from log, list and search, and its name can be used anew',
    async check(log) {
      await fill(log, 'a', [created(), userSays('secret'), input('old first message')]);
      const other = await fill(log, 'b', [created(), userSays('kept')]);
      assert.deepEqual(await search(log, 'secret'), ['a']);
      await log.delete('a');
      await log.delete('never there');
      assert.deepEqual(await log.read('a'), []);
      assert.deepEqual(await found(log), ['b']);
      assert.deepEqual(await search(log, 'secret'), []);
      assert.deepEqual(await log.read('b'), other);
      const anew = await fill(log, 'a', [created(), input('new')]);
      assert.deepEqual(await log.read('a'), anew);
      assert.equal((await log.list({ search: 'new' }))[0]?.firstMessage, 'new');
      assert.deepEqual(await search(log, 'secret'), []);
    },
  },
];
