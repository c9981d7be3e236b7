import { todoLine } from '@pawl/protocol';
import type { State, Turn } from '../core/index.ts';

/**
 * The text after the history in the next request. It is no part of the history, and outside the prefix that a provider
 * caches. Null when there is nothing to say, as at most steps: with some models a tail that changes invalidates the
 * thinking before it.
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

/** Files that others changed since the agent saw them, at the step after that was noticed. */
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

/** Told when the work starts, and again later, since a compaction may have removed it. */
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

/** Turns with fewer steps are too short for warnings. */
const fewestSteps = 4;

/** Told once after half of the steps, once after three quarters, and at the last step. */
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

/** Steps after which an unchanged list of todos is shown again. */
const stepsBetween = 10;
/** Entries that are shown; of a longer list only the open ones. */
const maxShown = 20;

/** Shows the todos when a turn starts, and when they have not changed for a while. */
function todosOf({ items, age }: State['todos'], step: number): string | null {
  const open = items.filter(({ status }) => status !== 'completed');
  if (open.length === 0 || (step !== 1 && age % stepsBetween !== 0)) return null;
  const shown = items.length <= maxShown ? items : open.slice(0, maxShown);
  const lines = shown.map(todoLine);
  if (shown.length < items.length)
    lines.push(`(${shown.length} of ${items.length} shown; ${items.length - open.length} are done)`);
  return `Your todo list, as it stands:\n${lines.join('\n')}`;
}
