/**
 * Windows that fill up: a small one, a model that counts what it is sent and finds some of it too long, and summaries
 * that are none. Only in some worlds, by their seed: the others stay as they are, so that a seed that once showed a
 * fault goes on to do so.
 */
import type { ModelMessage, ModelRequest } from '@pawl/engine';
import { noUsage } from '@pawl/engine/core';
import type { ModelInfo } from '@pawl/protocol';
import type { Stage } from './actions.ts';
import { agent, humans } from './clients.ts';
import type { Random } from './random.ts';

/** Whether windows are small in the world of this seed. */
export const isCrowded = (seed: number): boolean => seed % 10 === 4 || seed % 10 === 7;

export const crowdedInfo: ModelInfo = { contextTokens: 2600, outputTokens: 1000, isPriceKnown: true };

/** What the model takes a request to be, in tokens; tools and system count too. */
export function countOf(request: ModelRequest): number {
  return 300 + Math.ceil(JSON.stringify(request.messages).length / 5);
}

/** Somebody compacts, or does not want it. False mostly. */
export function compactSomething({ random, clients, sessions, book, machines, fork }: Stage): boolean {
  if (random.chance(0.6)) return false;
  const session = random.pick(sessions());
  const awake = machines().filter((machine) => !machine.isAsleep);
  const machine = awake.find((one) => one === book(session).driver) ?? awake[0];
  if (machine === undefined) return false;
  const by = random.chance(0.8) ? random.pick(humans) : agent;
  const isUnderWay = book(session).state.compaction !== null;
  if (isUnderWay && sessions().length < 3 && random.chance(0.3)) fork(machine, session);
  else if (isUnderWay && random.chance(0.5)) clients.command(machine, session, by, 'compaction.cancel', {});
  else if (random.chance(0.15)) {
    const compaction = random.chance(0.5) ? { isOn: random.chance(0.8) } : { threshold: random.pick([0.3, 0.75, 0.9]) };
    clients.command(machine, session, by, 'session.configure', { compaction });
  } else clients.command(machine, session, by, 'context.compact', random.chance(0.3) ? { focus: 'The files.' } : {});
  return true;
}

export const summaryFates = { good: 60, short: 12, headless: 8, fails: 10, too_long: 4, hangs: 2, empty: 4 } as const;
export type SummaryFate = keyof typeof summaryFates;

/** What the model says when it is asked to summarise. */
export function summaryOf(fate: SummaryFate, request: ModelRequest, random: Random): ModelMessage {
  const good = [
    '## Goal\nTo get through this world in one piece, whatever it holds ready for whoever is in it.',
    `## Corrections and constraints\n${askedToName(request)}`,
    '## Done so far\nMuch was looked at, a little was written, and some of it went wrong on the way.',
    '## State of the files\nNone.\n## Decisions\nNone.\n## Open questions\nNone.\n## Next steps\nNone.',
    '## Facts worth keeping\nNone.',
  ].join('\n');
  const texts: Partial<Record<SummaryFate, string>> = {
    short: 'All went well.',
    headless: good.replaceAll('#', ''),
    empty: '',
  };
  const text = texts[fate] ?? good;
  return {
    content: [{ type: 'text', text }],
    stopReason: 'end',
    usage: { ...noUsage, inputTokens: countOf(request), outputTokens: 50 },
    costUsd: random.chance(0.9) ? 0.125 : null,
  };
}

/** The words of persons that the summary has to name, as the prompt lists them. */
function askedToName({ messages }: ModelRequest): string {
  const prompt = JSON.stringify(messages[0] ?? '');
  return prompt.slice(prompt.lastIndexOf('These words of the person')).replaceAll('\\n', '\n');
}
