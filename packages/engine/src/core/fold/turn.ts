/** How a turn begins and ends. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { optionsOf } from '../options.ts';
import type { Call, QueuedInput, State, Turn } from '../state.ts';
import { noUsage } from '../state.ts';
import { fireAssignmentTimer } from './assignment.ts';
import { noteTurnEnd } from './flow.ts';
import { startLoop } from './loop.ts';
import { deadlineTimer } from './task.ts';

/** The id of the effect that rings when a turn's time is up; another limit is another timer. */
export const turnTimer = (turn: number, durationMs: number | null) => `timer:turn:${turn}:${durationMs}`;
/** The id of the effect that rings when an approval's time is up. */
export const approvalTimer = (call: Pick<Call, 'id'>, round: number) => `timer:approval:${call.id}:${round}`;

/** The id of the effect that rings when the time for an answer is up. */
export const questionTimer = (call: Pick<Call, 'id'>, round: number) => `timer:question:${call.id}:${round}`;

export function startTurn(state: State, data: EventData['turn.started'], event: DurableEvent): Turn {
  return {
    number: data.turn,
    by: state.queue.find((input) => input.id === data.input)?.by ?? event.by,
    startedAt: event.at,
    step: 0,
    profile: null,
    phase: 'between',
    attempt: 1,
    hasBeenEmpty: false,
    advice: null,
    cuts: 0,
    hasCompactedForCut: false,
    overflows: 0,
    need: null,
    malformedRounds: 0,
    doneCalls: [],
    calls: [],
    cancel: null,
    isOverTime: false,
    ending: null,
    review: data.review ?? false,
    options: optionsOf(data),
    isChoiceMet: false,
    timeouts: 0,
    wrongResults: 0,
    wrongStep: null,
    correction: null,
    loop: startLoop(data),
    isForked: false,
    usage: noUsage,
    costUsd: 0,
    unattendedDenials: 0,
  };
}

/** A fork takes the history and nothing that runs. */
export function leaveBehind(turn: Turn, event: DurableEvent): void {
  turn.cancel = { by: event.by, reason: 'The session was forked here.', queue: 'run', inputs: [] };
  turn.isForked = true;
  if (turn.phase !== 'tools') turn.phase = 'between';
}

export function fireTimer(state: State, timer: string): void {
  fireAssignmentTimer(state, timer);
  for (const task of state.tasks) if (timer === deadlineTimer(task)) task.isOverdue = true;
  const turn = state.turn;
  if (turn === null) return;
  if (timer === turnTimer(turn.number, state.settings.limits.durationMs)) turn.isOverTime = true;
  for (const call of turn.calls) {
    if (call.approval !== null && timer === approvalTimer(call, call.approval.round)) call.approval.isExpired = true;
    if (call.questions !== null && timer === questionTimer(call, call.questions.round)) call.questions.isExpired = true;
  }
}

/** What a canceller says of the queue holds for what was queued then; whatever was sent since runs. */
export function endTurn(state: State, data: EventData['turn.ended']): void {
  const { queue = 'run', inputs = [] } = state.turn?.cancel ?? {};
  const sent = state.queue.filter((input) => input.delivery !== 'context');
  const isCovered = (input: QueuedInput) => inputs.includes(input.id);
  if (queue === 'wait' && sent.length > 0 && sent.every(isCovered)) state.isHeld = true;
  if (queue === 'commit') {
    state.queue = state.queue.map((input) => (isCovered(input) ? { ...input, delivery: 'context' } : input));
  }
  state.lastOptions = state.turn?.options ?? {};
  if (state.assignment !== null) {
    state.assignment.restedAt = state.now;
    state.assignment.unattendedDenials += data.unattendedDenials;
  }
  state.turn = null;
  state.lastTurn = data;
  noteTurnEnd(state, data);
}
