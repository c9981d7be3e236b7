/**
 * Turns that are to give a result of a certain form, or to call no tools: what people ask for, and what the model gives
 * early, late, twice, wrong, or not at all. Only in some worlds, by their seed: the others stay as they are, so that a
 * seed that once showed a fault goes on to do so.
 */
import type { ModelPart, ToolOutcome } from '@pawl/engine';
import { schemaProblems } from '@pawl/engine/testing';
import type { CommandInput, Json, TurnOptions } from '@pawl/protocol';
import type { Stage } from './actions.ts';
import { agent, humans } from './clients.ts';
import type { Input } from './kinds.ts';
import type { Random } from './random.ts';

/** Whether turns are asked for results in the world of this seed. */
export const isDemanding = (seed: number): boolean => seed % 20 === 12 || seed % 20 === 16;

const schema: NonNullable<TurnOptions['outputSchema']> = {
  type: 'object',
  properties: { value: { type: 'integer' } },
  required: ['value'],
};

// Loading a validator takes real time, which is not the seed's to decide: from here on it is there.
await schemaProblems(schema, {});

/** Whether this is what was asked for, as the simulation itself sees it. */
export function isAsDemanded(result: Json | undefined): boolean {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  return Number.isInteger(result.value);
}

const results: Readonly<Record<string, Json>> = { '/w/a': { value: 1 }, '/w/b': { value: 'one' } };

/** What calls mean here besides: two tools end their turn, with the result, with a wrong one, or with none. */
export function demandedOutcome(name: string, { path }: Input): Partial<ToolOutcome> {
  if (name !== 'ask' && name !== 'set') return {};
  const result = results[path];
  return { endsTurn: 'It is done.', ...(result !== undefined && { result }) };
}

/** An answer in words becomes one that may be what was asked for; and one with calls, one that may end the turn. */
export function demandedContent(content: readonly ModelPart[], random: Random): ModelPart[] {
  const isAnswer = content.length > 0 && content.every(({ type }) => type === 'text');
  if (isAnswer)
    return [{ type: 'text', text: random.pick(['{"value": 2}', '{"value": 2}', '{"value": "2"}', 'Two.']) }];
  if (!content.some(({ type }) => type === 'tool_call') || random.chance(0.3)) return [...content];
  return [
    ...content.filter(() => random.chance(0.15)),
    endingCall(random),
    ...(random.chance(0.2) ? [endingCall(random)] : []),
  ];
}

const endingCall = (random: Random): ModelPart => ({
  type: 'tool_call',
  tool: random.pick(['ask', 'ask', 'ask', 'set']),
  input: { path: random.pick(['/w/a', '/w/b', '/w/c']), fate: 'quiet' },
});

/** Somebody asks for a result, or for no calls. */
export function demandSomething({ random, clients, sessions, book, machines }: Stage): boolean {
  const session = random.pick(sessions());
  const awake = machines().filter((machine) => !machine.isAsleep);
  const machine = awake.find((one) => one === book(session).driver) ?? awake[0];
  if (machine === undefined) return false;
  const by = random.chance(0.8) ? random.pick(humans) : agent;
  clients.command(machine, session, by, 'input.send', someDemand(random));
  return true;
}

function someDemand(random: Random): CommandInput['input.send'] {
  return {
    content: [{ type: 'text', text: `Answer ${random.below(1e6)}` }],
    delivery: random.pick(['queue', 'queue', 'interrupt', 'steer']),
    ...(random.chance(0.9) && { outputSchema: schema }),
    ...(random.chance(0.08) && { toolChoice: 'none' as const }),
    ...(random.chance(0.1) && { review: true }),
  };
}
