/** How a turn starts, changes its phase, and ends. */
import type { AssistantMessage, DurableEvent, EventData } from '@pawl/protocol';
import { endingOf, isNews, isRest } from '../answer/ending.ts';
import { noAnswerYet } from '../answer/state.ts';
import { assignmentTimer } from '../assignment/evolve.ts';
import { noCalls } from '../calls/state.ts';
import { noResultYet } from '../result/state.ts';
import { nothingSpent } from '../spending/state.ts';
import type { State } from '../state.ts';
import { initialLoop } from '../target/evolve.ts';
import { optionsOf } from './options.ts';
import type { Turn } from './state.ts';

/** The id of the timer that fires when a turn's time is up. Another limit is another timer. */
export const turnTimer = (turn: number, durationMs: number | null) => `timer:turn:${turn}:${durationMs}`;

export function evolveTurn(state: State, event: DurableEvent): void {
  if (event.type === 'turn.started') startTurn(state, event);
  const { turn } = state;
  if (turn === null) return;
  switch (event.type) {
    case 'session.forked':
      stopForkedTurn(turn, event);
      break;
    case 'step.started':
      turn.step = event.data.step;
      turn.profile = state.settings.profile ?? null;
      turn.phase = 'model';
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'assistant') recordAnswer(turn, message);
      else if (isNews(message) && turn.ending?.outcome === 'completed') turn.ending = null;
      break;
    }
    case 'model.failed':
      recordFailure(turn, event.data);
      break;
    case 'context.compacted':
    case 'context.removed':
      if (turn.phase === 'compacting') turn.phase = 'model';
      break;
    case 'tool.finished':
      recordCallEnd(turn, event.data);
      break;
    case 'result.checked':
      recordResultCheck(turn, event.data);
      break;
    case 'loop.changed':
      if (turn.loop !== null) recordLoopEnd(turn, event.data);
      break;
    case 'loop.verified':
      if (event.data.problem !== undefined) turn.ending = { outcome: 'blocked', message: event.data.problem };
      break;
    case 'timer.fired': {
      const { timer } = event.data;
      const { assignment, settings } = state;
      if (timer === turnTimer(turn.number, settings.limits.durationMs)) turn.isOverTime = true;
      if (assignment !== null && timer === assignmentTimer(assignment)) turn.isOverTime = true;
      break;
    }
    case 'cancel.requested': {
      const { reason = null, queue, isOutOfTime = false } = event.data;
      turn.cancel ??= { by: event.by, reason, queue, inputs: state.queue.map((input) => input.id), isOutOfTime };
      break;
    }
    case 'review.requested':
      turn.phase = 'review';
      break;
    case 'review.resolved':
      turn.review = false;
      turn.phase = 'between';
      if (event.data.decision === 'reject') {
        const message = event.data.reason ?? 'The result was rejected in review.';
        turn.ending = { outcome: 'failed', message };
      }
      break;
    case 'task.ended':
      turn.unattendedDenials += event.data.unattendedDenials;
      break;
    case 'turn.ended':
      state.lastOptions = turn.options;
      state.lastTurn = event.data;
      state.turn = null;
      break;
  }
}

function startTurn(state: State, { data, by, at }: DurableEvent & { type: 'turn.started' }): void {
  state.turns = data.turn;
  state.turn = {
    number: data.turn,
    by: state.queue.find((input) => input.id === data.input)?.by ?? by,
    startedAt: at,
    step: 0,
    phase: 'between',
    profile: null,
    cancel: null,
    isOverTime: false,
    ending: null,
    review: data.review ?? false,
    options: optionsOf(data),
    isForked: false,
    unattendedDenials: 0,
    ...noAnswerYet(),
    ...noCalls(),
    ...noResultYet(),
    ...nothingSpent(),
    loop: initialLoop(data),
  };
}

/** A fork copies the history; what was running stays with the original. */
function stopForkedTurn(turn: Turn, event: DurableEvent): void {
  const reason = 'The session was forked here.';
  turn.cancel = { by: event.by, reason, queue: 'run', inputs: [], isOutOfTime: false };
  turn.isForked = true;
  if (turn.phase !== 'tools') turn.phase = 'between';
}

function recordAnswer(turn: Turn, message: AssistantMessage): void {
  if (message.isPartial === true) return;
  const hasCalls = turn.calls.length > 0;
  turn.phase = hasCalls ? 'tools' : 'between';
  // With a target, an agent that comes to rest is told to go on.
  turn.ending = hasCalls || (turn.loop !== null && isRest(message)) ? null : endingOf(message);
}

/** A failed call of the model: the event says whether it is retried, compacted first, or ends the turn. */
function recordFailure(turn: Turn, { next }: EventData['model.failed']): void {
  switch (next?.do) {
    case 'retry':
      break;
    case 'compact':
      turn.phase = 'compacting';
      break;
    case 'end':
      turn.phase = 'between';
      turn.ending = { outcome: next.outcome, message: next.message };
      break;
    case undefined:
      break;
    default:
      next satisfies never;
  }
}

function recordCallEnd(turn: Turn, data: EventData['tool.finished']): void {
  if (!turn.calls.some(({ id }) => id === data.call)) return;
  if (data.isUnattended === true) turn.unattendedDenials += 1;
  // With a target, the call only proposes the end.
  if (data.endsTurn !== undefined && (turn.loop === null || data.isBlocked === true)) {
    const outcome = data.isBlocked === true ? 'blocked' : 'completed';
    turn.ending = { outcome, message: data.endsTurn, ...(data.result !== undefined && { result: data.result }) };
  }
  if (turn.calls.every(({ result }) => result !== null)) turn.phase = 'between';
}

function recordResultCheck(turn: Turn, { isValid, result = null, call }: EventData['result.checked']): void {
  // The result of a call is in its own event.
  if (call !== undefined) return;
  turn.ending = isValid && turn.ending !== null ? { ...turn.ending, result } : null;
}

function recordLoopEnd(turn: Turn, { status, message = '' }: EventData['loop.changed']): void {
  if (status === 'completed') turn.ending = { outcome: 'completed', message, ...turn.loop?.proposed };
  if (status === 'blocked') turn.ending = { outcome: 'blocked', message };
  if (status === 'budget_exhausted') turn.ending = { outcome: 'budget', message };
}
