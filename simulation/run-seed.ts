/** Both worlds of a seed: one session and its copies, and one tree of tasks. */
import { simulateTree } from './trees/world.ts';
import { type RunResult, simulate } from './world/world.ts';

export async function runSeed(seed: number, options: { trace?: boolean } = {}): Promise<RunResult> {
  const one = await simulate(seed, options);
  if (one.violation !== null) return one;
  const tree = await simulateTree(seed, options);
  return { ...tree, trace: [...one.trace, ...tree.trace], steps: one.steps + tree.steps };
}
