/** What follows in a turn with a target when the agent comes to rest or says that it is done. */
import type { EventBody, EventData, LoopStatus } from '@pawl/protocol';
import type { State, Turn } from '../state.ts';
import { openTasks } from '../tasks/tasks.ts';
import { openWork, openWorkText } from './open-work.ts';
import type { Loop } from './state.ts';

/** Iterations in a row that may pass without progress. */
const maxFruitless = 3;

/** Null while the agent is at work. */
export function pursueTarget(state: State, turn: Turn): EventBody[] | null {
  const { loop } = turn;
  if (loop === null) return null;
  if (loop.proposed !== null) return assessProposedEnd(state, turn, loop);
  return loop.restReason === null ? null : nextIteration(state, turn, loop, 'executing', reasonOf(loop.restReason));
}

/** Whether the agent came to rest while its tasks work; their results will start it again. */
export function isRestingForTasks(state: State, { loop }: Turn): boolean {
  const rest = loop?.restReason?.kind;
  return (rest === 'answer' || rest === 'refused_end') && openTasks(state).length > 0;
}

/** Why a call may not end this turn now, as a sentence for the model; null if it may. */
export function endRefusal(state: State, turn: Turn): string | null {
  if (turn.calls.length > 1) {
    return 'Not accepted: it came with other calls. When all is done and you have seen their results, call it alone.';
  }
  const open = openWorkText(state);
  return open === null ? null : `Not accepted. ${open} Finish this, or take off the list what does not belong to it.`;
}

function assessProposedEnd(state: State, turn: Turn, loop: Loop): EventBody[] {
  // Work that was opened since, such as a task or a todo, counts too.
  if (openWork(state).length > 0) return nextIteration(state, turn, loop, 'executing', 'It is not all done.');
  if (loop.isAssessed) return [loopChanged(turn, loop, 'completed')];
  if (loop.verify !== null) return loop.status === 'verifying' ? [] : [loopChanged(turn, loop, 'verifying')];
  return nextIteration(
    state,
    turn,
    loop,
    'assessing',
    'Before this counts as done: go through each requirement and hold it against how things are now, by looking. If all of them are met, say so by calling it once more, alone; else do what is missing.',
  );
}

function reasonOf(rest: NonNullable<Loop['restReason']>): string {
  switch (rest.kind) {
    case 'answer':
      return 'You stopped, and the target is not reached before a sole call of done is accepted.';
    case 'refused_end':
      return 'The end was not accepted.';
    case 'failed_check':
      return `The check failed:\n${rest.output}`;
    default:
      return rest satisfies never;
  }
}

/** Starts the next iteration with a message to the model, or ends the loop where there is none left. */
function nextIteration(
  state: State,
  turn: Turn,
  loop: Loop,
  status: 'executing' | 'assessing',
  reason: string,
): EventBody[] {
  const fruitless = loop.hasProgressed ? 0 : loop.iterationsWithoutProgress + 1;
  if (status === 'executing' && fruitless >= maxFruitless) {
    const message = `Blocked: ${maxFruitless} rounds in a row changed nothing. ${openWorkText(state) ?? reason}`;
    return [loopChanged(turn, loop, 'blocked', { message })];
  }
  if (loop.iteration >= loop.maxIterations) {
    const message = `The target was not reached within ${loop.maxIterations} iterations. ${openWorkText(state) ?? reason} Continue to go on.`;
    return [loopChanged(turn, loop, 'budget_exhausted', { message })];
  }
  const iteration = loop.iteration + 1;
  const parts = [`Iteration ${iteration} of ${loop.maxIterations}.`, reason, openWorkText(state) ?? ''];
  const content = [{ type: 'text' as const, text: parts.filter((part) => part !== '').join(' ') }];
  return [
    loopChanged(turn, loop, status, { iteration }),
    { type: 'message.added', data: { message: { role: 'user', content, source: 'engine' } } },
  ];
}

function loopChanged(
  turn: Turn,
  loop: Loop,
  status: LoopStatus,
  more: Partial<Pick<EventData['loop.changed'], 'iteration' | 'message'>> = {},
): EventBody {
  return { type: 'loop.changed', data: { turn: turn.number, iteration: loop.iteration, status, ...more } };
}
