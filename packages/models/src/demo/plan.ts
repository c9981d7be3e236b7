import type { JsonObject } from '@pawl/protocol';
import type { Done } from './conversation.ts';

export type Call = { tool: string; input: JsonObject };
/** What to say, and the calls to make at once. */
export type Step = { say: string; calls: Call[] };

/**
 * A task as a program that says what it wants and is handed the results. It is run from its beginning at every step,
 * against the results in the conversation: it keeps no state, so a crash and a resume change nothing.
 */
export type Plan = Generator<Step, string, Done[]>;

/** The next step of a plan after `done`: calls to make, or (with none) the last words. */
export function nextStep(plan: Plan, done: readonly Done[]): Step {
  let taken = 0;
  let turn = plan.next();
  while (turn.done !== true) {
    const { calls } = turn.value;
    const results = done.slice(taken, taken + calls.length);
    if (results.length < calls.length) return turn.value;
    taken += calls.length;
    turn = plan.next(results);
  }
  return { say: turn.value, calls: [] };
}

/** Most calls of one step. */
const widest = 12;

/** The same call for many things, some at a time; the results in their order. */
export function* each<Item>(
  items: readonly Item[],
  say: (count: number) => string,
  callFor: (item: Item) => Call,
): Generator<Step, Done[], Done[]> {
  const results: Done[] = [];
  for (let start = 0; start < items.length; start += widest) {
    const batch = items.slice(start, start + widest);
    results.push(...(yield { say: start === 0 ? say(items.length) : 'And the next ones.', calls: batch.map(callFor) }));
  }
  return results;
}

/** A sentence on each call that did not go well; empty if all did. */
export function troubles(results: readonly Done[]): string {
  return results
    .filter(({ status }) => status !== 'ok')
    .map((result) => `\n- \`${describe(result)}\` ${fate(result)}`)
    .join('');
}

export function isOk(result: Done | undefined): result is Done {
  return result?.status === 'ok';
}

function describe({ tool, input }: Done): string {
  const subject = input.path ?? input.command ?? input.pattern;
  return typeof subject === 'string' ? `${tool} ${subject}` : tool;
}

function fate({ status, content }: Done): string {
  const reason = content.trim().split('\n')[0] ?? '';
  switch (status) {
    case 'denied':
      return `was refused: ${reason}`;
    case 'cancelled':
      return 'was cancelled.';
    case 'out_of_time':
      return 'ran out of time.';
    case 'unknown':
      return `may or may not have happened; look before you ask again. ${reason}`;
    case 'error':
    case 'ok':
      return `failed: ${reason}`;
    default:
      return status satisfies never;
  }
}
