/** The loop of a turn that works toward a target. */
import type { DurableEvent, EventData, TurnOptions } from '@pawl/protocol';
import { isNews, isRest } from '../answer/ending.ts';
import { isSameJson } from '../same-json.ts';
import type { State, Turn } from '../state.ts';
import type { Loop } from './state.ts';

export function initialLoop({ target }: TurnOptions): Loop | null {
  if (target === undefined) return null;
  return {
    status: 'executing',
    iteration: 1,
    maxIterations: target.maxIterations,
    verify: target.verify ?? null,
    hasProgressed: false,
    iterationsWithoutProgress: 0,
    restReason: null,
    proposed: null,
    isAssessed: false,
  };
}

export function evolveTarget(state: State, event: DurableEvent): void {
  const { turn } = state;
  if (turn === null || turn.loop === null) return;
  const { loop } = turn;
  switch (event.type) {
    case 'loop.changed':
      changeLoop(loop, event.data);
      break;
    case 'loop.verified':
      if (event.data.ok) {
        loop.isAssessed = true;
      } else {
        loop.proposed = null;
        loop.restReason = { kind: 'failed_check', output: event.data.output };
      }
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'assistant') {
        if (isRest(message)) loop.restReason = { kind: 'answer' };
      } else if (isNews(message) && loop.restReason?.kind !== 'failed_check') {
        // The agent has new input. The output of a failed check still has to be told.
        loop.restReason = null;
      }
      break;
    }
    case 'todo.updated':
      if (!isSameJson(event.data.todos, state.todos.items)) loop.hasProgressed = true;
      break;
    case 'tool.finished':
      recordCallEnd(turn, loop, event.data);
      break;
    case 'task.ended':
      if (event.data.outcome === 'completed') loop.hasProgressed = true;
      break;
  }
}

function changeLoop(loop: Loop, { status, iteration }: EventData['loop.changed']): void {
  loop.status = status;
  if (status !== 'assessing' && status !== 'executing') return;
  if (iteration === loop.iteration) {
    // The same iteration: a proposed end was refused.
    loop.restReason = { kind: 'refused_end' };
    return;
  }
  loop.iterationsWithoutProgress = loop.hasProgressed ? 0 : loop.iterationsWithoutProgress + 1;
  loop.iteration = iteration;
  loop.hasProgressed = false;
  loop.isAssessed = status === 'assessing';
  loop.proposed = null;
  loop.restReason = null;
}

/** A change is progress. A call that would end the turn proposes its end, which is assessed before the next step. */
function recordCallEnd(turn: Turn, loop: Loop, data: EventData['tool.finished']): void {
  const call = turn.calls.find(({ id }) => id === data.call);
  const effect = call?.claims?.effect;
  if (data.status === 'ok' && (effect === 'write' || effect === 'external')) loop.hasProgressed = true;
  if (call === undefined || data.endsTurn === undefined || data.isBlocked === true) return;
  loop.proposed = { message: data.endsTurn, ...(data.result !== undefined && { result: data.result }) };
}
