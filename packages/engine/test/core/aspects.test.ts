/** The state is in slices, and each aspect changes its own. Every test that uses `support.ts` checks that with each event. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableEvent } from '@pawl/protocol';
import { upgradeEvent } from '@pawl/protocol';
import { expect, it } from 'vitest';
import { evolve, initialState } from '../../src/core/index.ts';
import { evolveWatched } from './ownership.ts';

const corpus = join(import.meta.dirname, '../../../storage/test/corpus');
const logs = globSync(join(corpus, 'v*/*.jsonl'));

const eventsOf = (file: string): DurableEvent[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => upgradeEvent(JSON.parse(line)));

it('an aspect changes its own slice of the state and no other, with every type of event', () => {
  expect(logs.length).toBeGreaterThan(0);
  for (const log of logs) {
    const watched = initialState();
    const plain = initialState();
    for (const event of eventsOf(log)) expect(evolveWatched(watched, event)).toEqual(evolve(plain, event));
  }
});

it('what changes another slice is found', () => {
  const state = initialState();
  const [created] = eventsOf(logs[0] ?? '');
  if (created === undefined) throw new Error('The corpus is empty.');
  // A state of which nobody owns a part.
  Object.defineProperty(state, 'stray', { enumerable: true, get: () => state.seq });
  expect(() => evolveWatched(state, created)).toThrow('log changed stray, which belongs to nobody');
});
