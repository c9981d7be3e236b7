/** Which events follow from what we know, with no I/O? The next step, the end of a turn, a queued input taken up. */
import type { EventBody } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { settleAssignment } from './assignment/settle.ts';
import { settleCalls } from './calls/settle.ts';
import { applyReadySummary, dropCompaction, makeRoom, settleCompacting } from './compaction/settle.ts';
import { findRepairs } from './history/repair.ts';
import { acknowledgeReadMail } from './mail/settle.ts';
import { pinOf } from './pins/pins.ts';
import { askAgainForResult } from './result/settle.ts';
import { budgetReached, limitReached } from './spending/limits.ts';
import type { QueuedInput, State, Turn } from './state.ts';
import { awaitGathering } from './surroundings/settle.ts';
import { isRestingForTasks, pursueTarget } from './target/settle.ts';
import { isAwaitingTasks, reportEndedTasks, settleTasks } from './tasks/settle.ts';
import { giveUpEnding, isStopping, stopEnding, turnEnded } from './turn/ending.ts';

/** The runtime applies the events and calls this again, until it returns none. */
export function settle(state: State): EventBody[] {
  if (state.seq === 0) return [];
  const read = acknowledgeReadMail(state);
  if (read.length > 0) return read;
  const delegated = settleTasks(state);
  if (delegated.length > 0) return delegated;
  const { turn } = state;
  const dropped = dropCompaction(state);
  if (dropped.length > 0) return dropped;
  if (turn === null) return applyReadySummary(state) ?? betweenTurns(state);
  switch (turn.phase) {
    case 'model':
      return turn.attempt === 1 || isStopping(turn) ? [] : stopRetryAtBudget(state, turn);
    case 'tools':
      return settleCalls(state, turn);
    case 'compacting':
      return settleCompacting(state, turn);
    case 'review':
      return stopTurn(state, turn) ?? [];
    case 'between':
      return firstToAct(beforeStep, state, turn);
    default:
      return turn.phase satisfies never;
  }
}

/* ------------------------------------------------------------ between turns */

function betweenTurns(state: State): EventBody[] {
  const told = reportEndedTasks(state, 'context');
  if (told.length > 0) return told;
  const assigned = settleAssignment(state);
  if (assigned !== null) return assigned;
  const context = state.queue.find((input) => input.delivery === 'context' || isTooLate(state, input));
  if (context !== undefined) return [takeInput(state, { ...context, delivery: 'context' })];
  const next = state.queue[0];
  if (next === undefined || state.isPaused || state.isHeld) return [];
  const turn = state.turns + 1;
  const data = { turn, cause: 'input' as const, input: next.id, ...next.options };
  return [{ type: 'turn.started', data }, takeInput(state, next)];
}

/** Only its owner or a person can set a task that has ended to work again. Input from others becomes context for that time. */
function isTooLate({ assignment }: State, { by }: QueuedInput): boolean {
  return assignment !== null && assignment.finished !== null && by.kind === 'agent';
}

function takeInput(state: State, { id, delivery, content, isSteering }: QueuedInput): EventBody {
  const source = delivery === 'context' ? 'context' : 'input';
  return {
    type: 'message.added',
    data: {
      message: { role: 'user', content, source, input: id },
      pin: pinOf(state, { source, text: textOf(content), isSteering }),
    },
  };
}

/* ------------------------------------------------------------ between steps */

/** Something that may have to happen before the next step. Returns its events; no events if the turn has to wait; null if it does not apply. */
type Rule = (state: State, turn: Turn) => EventBody[] | null;

/** In this order; the first rule that applies decides. */
const beforeStep: readonly Rule[] = [
  stopTurn,
  reportTasks,
  endTurn,
  giveUpTurn,
  stayPaused,
  applyReadySummary,
  restForTasks,
  pursueTarget,
  stopAtLimit,
  askAgainForResult,
  takeInputs,
  awaitGathering,
  repairBeforeStep,
  makeRoom,
];

function firstToAct(rules: readonly Rule[], state: State, turn: Turn): EventBody[] {
  for (const rule of rules) {
    const events = rule(state, turn);
    if (events !== null) return events;
  }
  return [{ type: 'step.started', data: { turn: turn.number, step: turn.step + 1 } }];
}

function stopTurn(state: State, turn: Turn): EventBody[] | null {
  if (!isStopping(turn)) return null;
  return isAwaitingTasks(state, turn) ? [] : [turnEnded(turn, stopEnding(turn))];
}

/** Results of tasks come before the next step, even where the turn would have ended. */
function reportTasks(state: State): EventBody[] | null {
  const told = reportEndedTasks(state, 'engine');
  return told.length > 0 ? told : null;
}

function endTurn(state: State, turn: Turn): EventBody[] | null {
  const { ending } = turn;
  if (ending === null) return null;
  if (isAwaitingTasks(state, turn)) return takeSteeringInputs(state);
  if (ending.outcome !== 'completed' || !turn.review) return [turnEnded(turn, ending)];
  return [{ type: 'review.requested', data: { turn: turn.number } }];
}

/** A turn that only waits for its tasks still takes steering inputs. */
function takeSteeringInputs(state: State): EventBody[] {
  const isWoken = !state.isPaused && state.queue.some(({ delivery }) => delivery === 'steer');
  return isWoken ? (takeInputs(state) ?? []) : [];
}

/** Ends the turn of a model that repeats malformed calls or wrong results although it was told what is wrong. */
function giveUpTurn(state: State, turn: Turn): EventBody[] | null {
  const ending = giveUpEnding(turn);
  if (ending === null) return null;
  return isAwaitingTasks(state, turn) ? takeSteeringInputs(state) : [turnEnded(turn, ending)];
}

function stayPaused(state: State): EventBody[] | null {
  return state.isPaused ? [] : null;
}

function stopAtLimit(state: State, turn: Turn): EventBody[] | null {
  const limit = limitReached(state, turn);
  if (limit === null) return null;
  return isAwaitingTasks(state, turn) ? [] : [turnEnded(turn, limit)];
}

/** An agent with a target that only waits for its tasks is not told to go on. */
function restForTasks(state: State, turn: Turn): EventBody[] | null {
  return isRestingForTasks(state, turn) ? takeSteeringInputs(state) : null;
}

function takeInputs(state: State): EventBody[] | null {
  const waiting = state.queue.filter((input) => input.delivery === 'steer' || input.delivery === 'context');
  return waiting.length === 0 ? null : waiting.map((input) => takeInput(state, input));
}

function repairBeforeStep(state: State): EventBody[] | null {
  const repairs = findRepairs(state);
  return repairs.length === 0 ? null : [{ type: 'history.repaired', data: { repairs } }];
}

/** A failed try has used tokens too, so the budget is checked before the next one. */
function stopRetryAtBudget(state: State, turn: Turn): EventBody[] {
  const limit = budgetReached(state, turn);
  return limit === null ? [] : [turnEnded(turn, limit)];
}
