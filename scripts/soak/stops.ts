/**
 * Trees of up to eight tasks at work, each with shells, and then all of them stopped in one of the ways in which that
 * happens: no fault shows, every task ends, no process and no file is left, and the next input is answered. Most are driven
 * as a library does it; every fifth is the program itself, stopped from its terminal, from others, or by its own limits.
 */
import { createRandom } from '../../simulation/world/random.ts';
import type { SoakOptions, SoakPart } from './part.ts';
import { libraryPlan, stopLibrary } from './stop-library.ts';
import { programPlan, stopProgram } from './stop-program.ts';

/** Tries that run at the same time. */
const mostAtOnce = 10;

export const stops: SoakPart = {
  name: 'stops',
  what: 'cancels, interrupts and limits of time over trees of tasks with shells, in a library and as a program',
  times: 1000,
  run: runStops,
};

async function runStops({ times, seed: first, note }: SoakOptions): Promise<readonly string[]> {
  const failures: string[] = [];
  let next = first;
  let done = 0;
  const worker = async () => {
    while (next < first + times) {
      const { plan, problem } = await tryOne(next++);
      if (problem !== null) {
        const failure = `seed ${plan.seed} (${JSON.stringify(plan)}): ${problem}`;
        failures.push(failure);
        note(failure);
      }
      done += 1;
      if (done % 50 === 0) note(`${done} of ${times}, ${failures.length} failed`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, times) }, worker));
  return failures;
}

async function tryOne(seed: number) {
  const random = createRandom(seed);
  if (seed % 5 === 0) {
    const plan = programPlan(random, seed);
    return { plan, problem: await stopProgram(plan) };
  }
  const plan = libraryPlan(random, seed);
  return { plan, problem: await stopLibrary(plan) };
}
