/** What every memory must do, whoever keeps it. */
import assert from 'node:assert/strict';
import type { Memory, MemoryNote } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';
import { type ConformanceCase, within } from './case.ts';

type Given = Omit<MemoryNote, 'id' | 'at'>;

const note = (text: string, more: Partial<Given> = {}): Given => ({
  text,
  folder: null,
  by: { kind: 'human', id: 'ann' },
  session: null,
  call: null,
  source: null,
  ...more,
});

const textsOf = (notes: readonly MemoryNote[]) => notes.map(({ text }) => text);
const isRefused = (code: string) => (error: unknown) => isPawlError(error, code);
const here = { cwd: '/w/garden/beds', limit: 10 };

type Case = { name: string; check(memory: Memory): Promise<void> };

const cases: Case[] = [
  {
    name: 'a note comes back with all that was said of it',
    async check(memory) {
      const given = note('The tap is behind the shed.', {
        folder: '/w/garden',
        by: { kind: 'agent', id: 'builder' },
        session: 's1',
        call: 't1_s1_c1',
        source: 'She said: look behind the shed.',
      });
      const { id, at, ...kept } = await memory.add(given);
      assert.deepEqual(kept, given);
      assert.equal(typeof at, 'number');
      assert.deepEqual(await memory.list(), [{ id, at, ...given }]);
    },
  },
  {
    name: 'where there are no notes, nothing is found',
    async check(memory) {
      assert.deepEqual(await memory.list(), []);
      assert.deepEqual(await memory.search('roses', here), []);
    },
  },
  {
    name: 'search finds notes that share a word, whatever its case and accents, and the closest first',
    async check(memory) {
      await memory.add(note('Roses need water every evening in summer.'));
      await memory.add(note('The café opens at nine.'));
      await memory.add(note('Roses are cut in March.'));
      assert.deepEqual(textsOf(await memory.search('When are ROSES cut?', here))[0], 'Roses are cut in March.');
      assert.equal((await memory.search('When are ROSES cut?', here)).length, 2);
      assert.deepEqual(textsOf(await memory.search('cafe', here)), ['The café opens at nine.']);
    },
  },
  {
    name: 'words that stand in every text find nothing, and no query is a mistake',
    async check(memory) {
      await memory.add(note('The tap is behind the shed.'));
      for (const query of ['is the of', '', '"', 'NEAR(', '* OR -', 'tap"; DROP TABLE notes', '\u0000']) {
        await memory.search(query, here);
      }
      assert.deepEqual(await memory.search('is the of', here), []);
      assert.equal((await memory.list()).length, 1);
    },
  },
  {
    name: 'notes of a project are found in its folders and nowhere else',
    async check(memory) {
      await memory.add(note('Roses everywhere.'));
      await memory.add(note('Roses of the garden.', { folder: '/w/garden' }));
      await memory.add(note('Roses of the other garden.', { folder: '/w/gar' }));
      const found = textsOf(await memory.search('roses', here)).sort();
      assert.deepEqual(found, ['Roses everywhere.', 'Roses of the garden.']);
    },
  },
  {
    name: 'no more are found than were asked for, and always in the same order',
    async check(memory) {
      for (let number = 1; number <= 20; number++) await memory.add(note(`Rose number ${number}.`));
      const first = await memory.search('rose', { ...here, limit: 5 });
      assert.equal(first.length, 5);
      assert.deepEqual(await memory.search('rose', { ...here, limit: 5 }), first);
    },
  },
  {
    name: 'the same call adds once, the same words from elsewhere are another note',
    async check(memory) {
      const given = note('Water in the evening.', { session: 's1', call: 't1_s1_c1' });
      const first = await memory.add(given);
      assert.deepEqual(await memory.add({ ...given, text: 'Something else.' }), first);
      await memory.add({ ...given, session: 's2' });
      await memory.add(note('Water in the evening.'));
      await memory.add(note('Water in the evening.'));
      assert.equal(new Set((await memory.list()).map(({ id }) => id)).size, 4);
    },
  },
  {
    name: 'a note that was removed is found no more',
    async check(memory) {
      const { id } = await memory.add(note('The tap is behind the shed.'));
      await memory.remove(id);
      assert.deepEqual(await memory.list(), []);
      assert.deepEqual(await memory.search('tap', here), []);
      await assert.rejects(memory.remove(id), isRefused('no_note'));
    },
  },
  {
    name: 'an empty note and one that is too long are refused',
    async check(memory) {
      await assert.rejects(memory.add(note('  \n')), isRefused('empty_note'));
      await assert.rejects(memory.add(note('x'.repeat(4001))), isRefused('note_too_long'));
      assert.deepEqual(await memory.list(), []);
    },
  },
];

/**
 * The cases that every memory must pass, each on a new empty one of its own from `create`, and within `timeoutMs`
 * (default 20 000). `docs/durability.md` states them.
 */
export function memoryConformance(
  create: () => Memory | Promise<Memory>,
  { timeoutMs = 20_000 }: { timeoutMs?: number } = {},
): ConformanceCase[] {
  return cases.map(({ name, check }) => ({
    name,
    async run() {
      const memory = await create();
      try {
        await within(timeoutMs, name, check(memory));
      } finally {
        await memory.close();
      }
    },
  }));
}
