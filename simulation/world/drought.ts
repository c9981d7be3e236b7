/**
 * Sessions that outgrow a small window while the model that should summarise them is down, slow, or refuses, for as long
 * as anything goes wrong at all. The model that is asked for the steps works, and takes requests of any length, as one
 * behind a gateway does whose window is set too small. Only in some worlds, by their seed.
 */
import type { ModelRequest, ToolOutcome } from '@pawl/engine';
import type { Violate } from '../checks/invariants.ts';
import type { SummaryFate } from './crowded.ts';
import { countOf } from './crowded.ts';
import type { Random } from './random.ts';

/** Whether the compaction's model fails all the time in the world of this seed. */
export const isDry = (seed: number): boolean => seed % 20 === 9;

/** Turns are long enough to fill the window several times over. */
export const dryLimits = { steps: 50 };

const fates: Readonly<Record<string, readonly SummaryFate[]>> = {
  down: ['fails'],
  refusing: ['too_long', 'fails'],
  slow: ['hangs'],
  mixed: ['fails', 'hangs', 'empty', 'good'],
};

/** How the compaction's model fares in this world, each time that it is asked. */
export function droughtOf(random: Random): () => SummaryFate {
  const kind = random.pick(Object.keys(fates));
  return () => random.pick(fates[kind] ?? ['fails']);
}

/** Results are long enough for a few steps to fill the window, and short enough for each to fit in. */
export const dryOutcome = ({ content }: ToolOutcome): Partial<ToolOutcome> =>
  content.length > 200 ? {} : { content: `${content} `.repeat(20) };

/** What is left over is worth a compaction: more than this, in tokens. */
const minWorth = 300;

/** No request is longer than the window, but for what cannot be taken out of it: the last step, and what was said since. */
export function checkRoom(request: ModelRequest, contextTokens: number, violate: Violate): void {
  const tokens = countOf(request);
  if (tokens <= contextTokens) return;
  const { messages } = request;
  const open = messages.findLastIndex(({ role }) => role === 'assistant');
  const first = messages[0]?.role === 'user' && messages[0].source === 'engine' ? 1 : 0;
  const removable = messages.slice(first, Math.max(first, open));
  const worth = Math.ceil(JSON.stringify(removable).length / 5);
  if (worth < minWorth) return;
  violate(
    'I47 room',
    `${request.session}: a request of ${tokens} tokens for a window of ${contextTokens}, ${worth} of which could have been compacted.`,
  );
}
