import { expect, it } from 'vitest';
import { mutants } from '../mutants/index.ts';
import { regressions } from '../regressions.ts';
import type { Mutation } from '../world/machine.ts';
import { simulate } from '../world/world.ts';

/** The first seed up to `last` that shows a violation, and which. */
async function firstViolation(first: number, count: number, mutation: Mutation) {
  for (let seed = first; seed < first + count; seed++) {
    const { violation } = await simulate(seed, { mutation });
    if (violation !== null) return { seed, ...violation };
  }
  return null;
}

it.each(regressions)('E18: seed $seed runs clean, which once showed that $fault', async ({ seed }) => {
  expect((await simulate(seed)).violation).toBeNull();
});

it('E17: the same seed gives the same logs, byte for byte', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const first = await simulate(seed);
    const second = await simulate(seed, { trace: true });
    expect(second.bytes).toBe(first.bytes);
    expect(second.steps).toBe(first.steps);
  }
});

it('gives other seeds other logs', async () => {
  const logs = new Set<string>();
  for (let seed = 1; seed <= 20; seed++) logs.add((await simulate(seed)).bytes);
  expect(logs.size).toBe(20);
});

// `npm test` runs the simulator itself on the first three thousand.
it('E18: comes through 1000 hostile worlds without a violation', { timeout: 120_000 }, async () => {
  for (let seed = 3001; seed <= 4000; seed++) {
    const { violation } = await simulate(seed);
    expect(violation, `See it with: npm run simulate -- --seed ${seed} --trace`).toBeNull();
  }
});

it.each(mutants)('finds within 1000 seeds an engine that $name', async ({ mutation, finds, from = 1 }) => {
  const found = await firstViolation(from, 1000, mutation);
  expect(finds).toContain(found?.invariant);
});
