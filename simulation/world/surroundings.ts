/**
 * What surrounds the work in the simulated world, and agents to switch between. Only in some worlds, by their seed: the
 * others stay as they are, so that a seed that once showed a fault goes on to do so.
 */
import type { Agent, Surroundings } from '@pawl/engine';
import type { Fragment } from '@pawl/protocol';
import type { Stage } from './actions.ts';
import { humans, agent as robot } from './clients.ts';
import type { Random } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** Whether the system prompt is gathered in the world of this seed. */
export const isGathering = (seed: number): boolean => seed % 12 === 5;

const plain = {
  description: 'Works.',
  mode: 'all',
  prompt: '',
  source: null,
  model: null,
  delegates: null,
  colour: null,
  steps: null,
  permissionMode: null,
} as const;
const none = { deny: [], ask: [], allow: [] };

/** One that may do all, one with rules of its own, and one that only reads. */
export const agents: readonly Agent[] = [
  { ...plain, name: 'builder', tools: null, rules: none },
  {
    ...plain,
    name: 'careful',
    tools: ['*', '!post'],
    rules: { deny: ['send', 'look(/w/b)'], ask: ['peek'], allow: ['set'] },
  },
  { ...plain, name: 'reader', tools: ['look', 'ask', 'peek'], rules: none, permissionMode: 'plan' },
];

export type SurroundingsWorld = { scheduler: Scheduler; random: Random; isFaulty(): boolean; isGathering: boolean };

/** Gathers other pieces each time that something changed, late, never, or not at all. */
export function createSurroundings({ scheduler, random, isFaulty }: SurroundingsWorld, owner: Owner): Surroundings {
  return {
    async gather({ agent, isFull, fragments }, signal) {
      const fate = isFaulty()
        ? random.pick(['plain', 'plain', 'plain', 'late', 'fails', 'hangs', 'deaf'] as const)
        : 'plain';
      if (fate === 'hangs') await new Promise<never>(() => undefined);
      await scheduler.wait(owner, `gather for ${agent}`, fate === 'deaf' ? undefined : signal);
      if (fate === 'late') await scheduler.wait(owner, `gather for ${agent}, late`, signal);
      if (fate === 'fails') throw new Error('Nothing can be read.');
      if (!isFull && random.chance(0.6)) return null;
      const piece = (region: Fragment['region'], name: string): Fragment => {
        const before = isFull ? undefined : fragments.find((fragment) => fragment.name === name);
        return before ?? { region, name, text: `${name} ${random.below(1e6)}` };
      };
      const live: Fragment = { region: 'system', name: 'live', text: `as ${agent}, ${random.below(1e6)}` };
      return [live, piece('environment', 'place'), piece('instructions', 'AGENTS.md')];
    },
  };
}

/** Somebody switches to another agent, now and then one that there is not. */
export function switchSomething({ random, machines, sessions, clients }: Stage): void {
  const awake = machines().filter((machine) => !machine.isAsleep);
  if (awake.length === 0 || sessions().length === 0) return;
  const by = random.chance(0.8) ? random.pick(humans) : robot;
  const names = [...agents.map(({ name }) => name), 'builder', 'nobody'];
  const change = { agent: random.pick(names), ...(random.chance(0.1) && { mode: 'manual' as const }) };
  clients.command(random.pick(awake), random.pick(sessions()), by, 'session.configure', change);
}
