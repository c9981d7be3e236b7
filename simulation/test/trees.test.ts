import { expect, it } from 'vitest';
import { treeMutants } from '../trees/mutants.ts';
import { simulateTree } from '../trees/world.ts';
import type { Mutation } from '../world/machine.ts';

/** The first violation of a thousand seeds. */
async function firstViolation(mutation: Mutation) {
  for (let seed = 1; seed <= 1000; seed++) {
    const { violation } = await simulateTree(seed, { mutation });
    if (violation !== null) return { seed, ...violation };
  }
  return null;
}

it('E17: the same seed gives the same tree, byte for byte', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const first = await simulateTree(seed);
    const second = await simulateTree(seed, { trace: true });
    expect(second.bytes).toBe(first.bytes);
    expect(second.steps).toBe(first.steps);
  }
});

it.each([
  { seed: 3653, fault: 'a message to a task came before its work, and what it led to was not counted' },
  { seed: 3970, fault: 'a machine that had slept began a task that was cancelled meanwhile' },
])('E18: seed $seed runs clean, which once showed that $fault', async ({ seed }) => {
  expect((await simulateTree(seed)).violation).toBeNull();
});

it('E18: trees of tasks come through 500 hostile worlds without a violation', { timeout: 120_000 }, async () => {
  for (let seed = 5001; seed <= 5500; seed++) {
    const { violation } = await simulateTree(seed);
    expect(violation, `See it with: npm run simulate -- --seed ${seed} --trace`).toBeNull();
  }
});

it.each(treeMutants)(
  'finds within 1000 seeds an engine that $name',
  { timeout: 60_000 },
  async ({ mutation, finds }) => {
    const found = await firstViolation(mutation);
    expect(finds).toContain(found?.invariant);
  },
);
