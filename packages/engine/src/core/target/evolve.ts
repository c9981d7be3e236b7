/** What changes of a turn that works toward a target. */
import type { DurableEvent, EventData, Json, Todo, TurnOptions } from '@pawl/protocol';
import { canonicalJson } from '../calls/conflicts.ts';
import type { Call, Loop, State, Turn } from '../state.ts';

export function startLoop({ target }: TurnOptions): Loop | null {
  if (target === undefined) return null;
  return {
    status: 'executing',
    iteration: 1,
    maxIterations: target.maxIterations,
    verify: target.verify ?? null,
    hasProgressed: false,
    fruitless: 0,
    rest: null,
    proposed: null,
    isAssessed: false,
  };
}

type LoopEvent = Extract<DurableEvent, { type: 'loop.changed' | 'loop.verified' }>;

export function evolveLoop(turn: Turn, event: LoopEvent): void {
  const { loop } = turn;
  if (loop === null) return;
  switch (event.type) {
    case 'loop.changed':
      changeLoop(turn, loop, event.data);
      break;
    case 'loop.verified':
      verifyLoop(turn, loop, event.data);
      break;
    default:
      event satisfies never;
  }
}

function changeLoop(turn: Turn, loop: Loop, { status, iteration, message = '' }: EventData['loop.changed']): void {
  loop.status = status;
  switch (status) {
    case 'completed':
      turn.ending = { outcome: 'completed', ...loop.proposed, message: loop.proposed?.message ?? message };
      break;
    case 'blocked':
      turn.ending = { outcome: 'blocked', message };
      break;
    case 'budget_exhausted':
      turn.ending = { outcome: 'budget', message };
      break;
    case 'verifying':
      break;
    case 'assessing':
    case 'executing':
      // In the same iteration, an end that was put forward is refused.
      if (iteration === loop.iteration) loop.rest = { kind: 'refused_end' };
      else nextIteration(loop, iteration, status === 'assessing');
      break;
    default:
      status satisfies never;
  }
}

function nextIteration(loop: Loop, iteration: number, isAssessed: boolean): void {
  loop.fruitless = loop.hasProgressed ? 0 : loop.fruitless + 1;
  loop.iteration = iteration;
  loop.hasProgressed = false;
  loop.isAssessed = isAssessed;
  loop.proposed = null;
  loop.rest = null;
}

function verifyLoop(turn: Turn, loop: Loop, { ok, output, problem }: EventData['loop.verified']): void {
  if (ok) {
    loop.isAssessed = true;
  } else {
    loop.proposed = null;
    loop.rest = { kind: 'failed_check', output };
  }
  if (problem !== undefined) turn.ending = { outcome: 'blocked', message: problem };
}

/** The agent came to rest without a call. */
export function restLoop(turn: Turn, loop: Loop): void {
  turn.ending = null;
  loop.rest = { kind: 'answer' };
}

/** Whatever it waited for has come. What a check found, it is still to be told. */
export function restNoMore(loop: Loop): void {
  if (loop.rest?.kind !== 'failed_check') loop.rest = null;
}

/** A call that ends turns puts their end forward; whether it is one, is seen to before the next step. */
export function proposeEnd(loop: Loop, message: string, result: Json | undefined): void {
  loop.proposed = { message, ...(result !== undefined && { result }) };
}

/** Something was done, by the agent or by its tasks. */
export function noteProgress({ turn }: State): void {
  if (turn?.loop != null) turn.loop.hasProgressed = true;
}

export function noteTodos(state: State, todos: readonly Todo[]): void {
  if (canonicalJson(todos) !== canonicalJson(state.todos.items)) noteProgress(state);
}

export function noteDeed(state: State, { claims }: Call, { status }: EventData['tool.finished']): void {
  if (status === 'ok' && (claims?.effect === 'write' || claims?.effect === 'external')) noteProgress(state);
}
