import { todoLine } from '@pawl/protocol';
import type { State, Turn } from '../core/index.ts';

/**
 * What stands after the history in the next request and is gone with it: no part of the history, and outside the
 * prefix that a provider keeps in its cache. Null when there is nothing to say, which is at most steps: with some
 * models a tail that changes costs the thinking before it.
 */
export function tailOf({ turn, todos, settings, foreignChanges }: Readonly<State>): string | null {
  if (turn === null) return null;
  const parts = [
    adviceOf(turn),
    targetOf(turn),
    budgetOf(turn.step, settings.limits.steps),
    todosOf(todos, turn.step),
    changesOf(foreignChanges, turn),
  ];
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? null : said.join('\n\n');
}

/** What others changed since the agent saw it, at the step after that was found out. */
function changesOf({ paths, turn, step }: State['foreignChanges'], { number, step: at }: Turn): string | null {
  if (number !== turn || at !== step) return null;
  const list = paths.map((path) => `- ${JSON.stringify(path)}`).join('\n');
  return `Changed on disk since you last read or wrote them, by somebody else or by a command:\n${list}\nRead again what you rely on.`;
}

function adviceOf({ advice }: Turn): string | null {
  if (advice === null) return null;
  switch (advice.kind) {
    case 'continue':
      return 'Your last answer was cut off at the output limit. Go on exactly where it stopped, without repeating anything.';
    case 'smaller_call':
      return `Your last answer was cut off at the output limit in the middle of a call of ${advice.tool}, and was discarded. Send exactly one call, with arguments short enough to be whole; do large work in several smaller calls.`;
    case 'answer':
      return 'Your last answer was cut off at the output limit before it said anything. Think less, and come to the answer or the next call sooner.';
    default:
      return advice satisfies never;
  }
}

/** Said as the work begins, and again after a while, since a shortened history may have lost it. */
function targetOf({ loop, step, options: { outputSchema } }: Turn): string | null {
  if (loop === null || (step !== 1 && step % stepsBetween !== 0)) return null;
  const parts = [
    `You work toward a target and keep going until it is reached, in at most ${loop.maxIterations} iterations. When all that was asked for is done and checked, and nothing on your todo list is open, call done, alone in its step. Nothing else ends the work well; if it takes a person to go on, call escalate.`,
  ];
  if (loop.verify !== null) parts.push(`It counts when this command succeeds: ${loop.verify}`);
  if (outputSchema !== undefined)
    parts.push(`The result that you give to done satisfies this JSON Schema: ${JSON.stringify(outputSchema)}`);
  return parts.join('\n');
}

/** Turns of fewer steps are too short to be warned in. */
const fewestSteps = 4;

/** Said once as half of the steps are passed, once as three quarters are, and at the last. */
function budgetOf(step: number, steps: number): string | null {
  if (steps < fewestSteps) return null;
  if (step === steps) {
    return `This is step ${step} of ${steps}, the last. Calls that you make now are run, but you cannot answer them: finish in this answer, and say what is still open.`;
  }
  const isFirstPast = (share: number) => step === Math.floor(steps * share) + 1;
  if (isFirstPast(0.75)) {
    return `Step ${step} of ${steps}: few are left. Do only what matters most, and leave a step for your answer.`;
  }
  return isFirstPast(0.5) ? `Step ${step} of ${steps}: more than half are used. Plan the rest.` : null;
}

/** Steps after which a list that did not change is shown again. */
const stepsBetween = 10;
/** Entries shown of a long list; of one that is longer, those that are open. */
const maxShown = 20;

/** Where the model may have lost sight of its list: as a turn begins, and when it has not touched it for a while. */
function todosOf({ items, age }: State['todos'], step: number): string | null {
  const open = items.filter(({ status }) => status !== 'completed');
  if (open.length === 0 || (step !== 1 && age % stepsBetween !== 0)) return null;
  const shown = items.length <= maxShown ? items : open.slice(0, maxShown);
  const lines = shown.map(todoLine);
  if (shown.length < items.length)
    lines.push(`(${shown.length} of ${items.length} shown; ${items.length - open.length} are done)`);
  return `Your todo list, as it stands:\n${lines.join('\n')}`;
}
