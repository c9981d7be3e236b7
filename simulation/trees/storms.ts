/**
 * Trees in which much is at work at once and is stopped at once: up to eight tasks, cancels of several in one step,
 * turns whose time is up. Only in some worlds, by their seed.
 */
import type { ModelPart } from '@pawl/engine';
import type { Random } from '../world/random.ts';

/** Whether the tree of this seed is one of these. */
export const isStormy = (seed: number): boolean => seed % 5 === 3;

const call = (tool: string, input: { [name: string]: string | boolean }): ModelPart => ({
  type: 'tool_call',
  tool,
  input,
});

/** What an agent does here besides; null: what it would do anyway. */
export function stormyMove(isTask: boolean, random: Random): ModelPart[] | null {
  if (random.chance(isTask ? 0.7 : 0.3)) return null;
  if (isTask || random.chance(0.55)) {
    return Array.from({ length: 2 + random.below(7) }, () => call('task', { prompt: `Work ${random.below(40)}` }));
  }
  if (random.chance(0.5)) {
    const behind = { background: true, joined: random.chance(0.6) };
    return Array.from({ length: 2 + random.below(4) }, () =>
      call('task', { prompt: `Work ${random.below(40)}`, ...behind }),
    );
  }
  return Array.from({ length: 2 + random.below(3) }, (_, place) =>
    call('task_cancel', { task: `builder-${place + 1 + random.below(3)}` }),
  );
}

/** How long a turn may take, ms; null: as long as it likes. */
export const stormyLimit = (random: Random): number | null => (random.chance(0.5) ? 20 + random.below(3000) : null);
