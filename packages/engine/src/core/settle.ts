/** Which events follow from what we know, with no I/O? The next step, the end of a turn, a queued input taken up. */
import type { EventBody } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { settleAssignment } from './assignment/settle.ts';
import { settleCalls } from './calls/settle.ts';
import { applied, droppedCompaction, roomMade, settleCompacting } from './compaction/settle.ts';
import { findRepairs } from './history/repair.ts';
import { mailRead } from './mail/settle.ts';
import { pinOf } from './pins/pins.ts';
import { corrected } from './result/settle.ts';
import { budgetReached, limitReached } from './spending/limits.ts';
import type { QueuedInput, State, Turn } from './state.ts';
import { gathered } from './surroundings/settle.ts';
import { isRestingForTasks, looped } from './target/settle.ts';
import { isAwaiting, settleTasks, untold } from './tasks/settle.ts';
import { endOf, givenUpEnding, isStopping, stopOutcome } from './turn/ending.ts';

/** Called again after its events are evolved, until it returns none. */
export function settle(state: State): EventBody[] {
  if (state.seq === 0) return [];
  const read = mailRead(state);
  if (read.length > 0) return read;
  const delegated = settleTasks(state);
  if (delegated.length > 0) return delegated;
  const { turn } = state;
  const dropped = droppedCompaction(state);
  if (dropped.length > 0) return dropped;
  if (turn === null) return applied(state) ?? betweenTurns(state);
  switch (turn.phase) {
    case 'model':
      return turn.attempt === 1 || isStopping(turn) ? [] : beforeRetry(state, turn);
    case 'tools':
      return settleCalls(state, turn);
    case 'compacting':
      return settleCompacting(state, turn);
    case 'review':
      return stopped(state, turn) ?? [];
    case 'between':
      return firstAnswer(beforeStep, state, turn);
    default:
      return turn.phase satisfies never;
  }
}

/* ------------------------------------------------------------ between turns */

function betweenTurns(state: State): EventBody[] {
  const told = untold(state, 'context');
  if (told.length > 0) return told;
  const assigned = settleAssignment(state);
  if (assigned !== null) return assigned;
  const context = state.queue.find((input) => input.delivery === 'context' || isTooLate(state, input));
  if (context !== undefined) return [taken(state, { ...context, delivery: 'context' })];
  const next = state.queue[0];
  if (next === undefined || state.isPaused || state.isHeld) return [];
  const turn = state.turns + 1;
  const data = { turn, cause: 'input' as const, input: next.id, ...next.options };
  return [{ type: 'turn.started', data }, taken(state, next)];
}

/** A task that has ended is set to work by its owner alone, and by a person: what others sent it reads then. */
function isTooLate({ assignment }: State, { by }: QueuedInput): boolean {
  return assignment !== null && assignment.finished !== null && by.kind === 'agent';
}

function taken(state: State, { id, delivery, content, isSteering }: QueuedInput): EventBody {
  const source = delivery === 'context' ? 'context' : 'input';
  const pin = pinOf(state, { source, text: textOf(content), isSteering });
  return {
    type: 'message.added',
    data: { message: { role: 'user', content, source, input: id }, ...(pin !== null && { pin }) },
  };
}

/* ------------------------------------------------------------ between steps */

/** One thing that may have to happen before the next step: its events; none, and the turn waits; or null, and it is no matter. */
type Rule = (state: State, turn: Turn) => EventBody[] | null;

/** In the order in which they are asked. */
const beforeStep: readonly Rule[] = [
  stopped,
  tasksTold,
  ended,
  givenUp,
  paused,
  applied,
  resting,
  looped,
  limited,
  corrected,
  inputsTaken,
  gathered,
  repaired,
  roomMade,
];

function firstAnswer(rules: readonly Rule[], state: State, turn: Turn): EventBody[] {
  for (const rule of rules) {
    const events = rule(state, turn);
    if (events !== null) return events;
  }
  return [{ type: 'step.started', data: { turn: turn.number, step: turn.step + 1 } }];
}

function stopped(state: State, turn: Turn): EventBody[] | null {
  if (!isStopping(turn)) return null;
  return isAwaiting(state, turn) ? [] : [endOf(turn, stopOutcome(turn))];
}

/** What tasks give comes before the next step, also where the turn would have ended. */
function tasksTold(state: State): EventBody[] | null {
  const told = untold(state, 'engine');
  return told.length > 0 ? told : null;
}

function ended(state: State, turn: Turn): EventBody[] | null {
  const { ending } = turn;
  if (ending === null) return null;
  if (isAwaiting(state, turn)) return steered(state);
  if (ending.outcome !== 'completed' || !turn.review) return [endOf(turn, ending)];
  return [{ type: 'review.requested', data: { turn: turn.number } }];
}

/** A turn that only waits for its tasks hears what is said to it all the same. */
function steered(state: State): EventBody[] {
  const isWoken = !state.isPaused && state.queue.some(({ delivery }) => delivery === 'steer');
  return isWoken ? (inputsTaken(state) ?? []) : [];
}

/** A model that does not get its calls or its result right, though it is told what is wrong, is stopped. */
function givenUp(state: State, turn: Turn): EventBody[] | null {
  const ending = givenUpEnding(turn);
  if (ending === null) return null;
  return isAwaiting(state, turn) ? steered(state) : [endOf(turn, ending)];
}

function paused(state: State): EventBody[] | null {
  return state.isPaused ? [] : null;
}

function limited(state: State, turn: Turn): EventBody[] | null {
  const limit = limitReached(state, turn);
  if (limit === null) return null;
  return isAwaiting(state, turn) ? [] : [endOf(turn, limit)];
}

/** An agent with a target that has nothing to do but wait for its tasks is not told to go on. */
function resting(state: State, turn: Turn): EventBody[] | null {
  return isRestingForTasks(state, turn) ? steered(state) : null;
}

function inputsTaken(state: State): EventBody[] | null {
  const waiting = state.queue.filter((input) => input.delivery === 'steer' || input.delivery === 'context');
  return waiting.length === 0 ? null : waiting.map((input) => taken(state, input));
}

function repaired(state: State): EventBody[] | null {
  const repairs = findRepairs(state);
  return repairs.length === 0 ? null : [{ type: 'history.repaired', data: { repairs } }];
}

/** An answer that was empty or cut has cost what it cost. */
function beforeRetry(state: State, turn: Turn): EventBody[] {
  const limit = budgetReached(state, turn);
  return limit === null ? [] : [endOf(turn, limit)];
}
