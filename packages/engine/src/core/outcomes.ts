/**
 * What effects bring back. An outcome counts once, and only while its effect is owed: a second, late or foreign one
 * is refused, and the runtime drops and counts it.
 */
import type { AssistantPart, EventBody, EventData, Failure, Judgement } from '@pawl/protocol';
import type { ModelMessage, ModelPart } from '../ports.ts';
import { blockers } from './calls.ts';
import type { Decision } from './decide.ts';
import { accept, refuse } from './decide.ts';
import { due } from './due.ts';
import { findCall } from './evolve.ts';
import type { State } from './state.ts';

export type Outcome =
  | { type: 'model.finished'; effect: string; model: string; message: ModelMessage }
  /** `partial` is the answer so far, to be kept; code `cancelled` when the engine itself stopped it. */
  | { type: 'model.failed'; effect: string; model: string; error: Failure; partial: ModelMessage | null }
  | { type: 'tool.judged'; effect: string; judgement: Judgement }
  | { type: 'tool.outdated'; effect: string; data: EventData['tool.outdated'] }
  | { type: 'tool.finished'; effect: string; data: EventData['tool.finished']; stage: string | null }
  | { type: 'timer.fired'; effect: string }
  | { type: 'session.opened'; data: EventData['session.opened'] };

/** Id of a call: its place in the log, whatever id the provider gave it. `index` counts the calls of an answer from 1. */
export const callId = (turn: number, step: number, index: number) => `t${turn}_s${step}_c${index}`;

export function decideOutcome(state: State, outcome: Outcome): Decision {
  switch (outcome.type) {
    case 'session.opened':
      return accept({ type: 'session.opened', data: outcome.data });
    case 'timer.fired':
      return isOwed(state, outcome.effect) ? accept({ type: 'timer.fired', data: { timer: outcome.effect } }) : late();
    case 'model.finished': {
      const turn = state.turn;
      if (turn === null || !isOwed(state, outcome.effect)) return late();
      if (isEmpty(outcome.message.content) && outcome.message.stopReason !== 'refusal') {
        const { usage, costUsd } = outcome.message;
        return accept(failed(state, emptyAnswer(turn.attempt), { usage, costUsd }));
      }
      return accept(answer(state, outcome, false));
    }
    case 'model.failed': {
      if (!isOwed(state, outcome.effect)) return late();
      const failure = failed(state, outcome.error);
      return outcome.partial === null || isEmpty(outcome.partial.content)
        ? accept(failure)
        : accept(answer(state, { model: outcome.model, message: outcome.partial }, true), failure);
    }
    case 'tool.judged':
      return isOwed(state, outcome.effect) ? judged(state, outcome.judgement) : late();
    case 'tool.outdated':
      if (!isOwed(state, outcome.effect)) return late();
      return accept({ type: 'tool.outdated', data: outcome.data });
    case 'tool.finished': {
      if (!isOwed(state, outcome.effect)) return late();
      const finished: EventBody = { type: 'tool.finished', data: outcome.data };
      if (outcome.stage === null) return accept(finished);
      return accept({ type: 'stage.declared', data: { stage: outcome.stage } }, finished);
    }
    default:
      return outcome satisfies never;
  }
}

const late = () => refuse('late_outcome', 'Nobody waits for this outcome any more; it was dropped.');

function isOwed(state: State, effect: string): boolean {
  return due(state).some((owed) => owed.id === effect);
}

function emptyAnswer(attempt: number): Failure {
  const message = attempt === 1 ? 'The model answered with nothing.' : 'The model answered with nothing, twice.';
  return { code: 'empty_answer', message };
}

/** Thinking alone is no answer. */
function isEmpty(content: readonly ModelPart[]): boolean {
  return content.every((part) => part.type === 'thinking' || (part.type === 'text' && part.text.trim() === ''));
}

function failed(state: State, error: Failure, spent: Pick<ModelMessage, 'usage' | 'costUsd'> | null = null): EventBody {
  const { number = 0, step = 0, attempt = 0 } = state.turn ?? {};
  return { type: 'model.failed', data: { turn: number, step, attempt, error, ...spent } };
}

function answer(state: State, outcome: { model: string; message: ModelMessage }, isPartial: boolean): EventBody {
  const { content, stopReason, usage, costUsd } = outcome.message;
  const { number = 0, step = 0 } = state.turn ?? {};
  let calls = 0;
  const parts: AssistantPart[] = [];
  for (const part of content) {
    if (part.type !== 'tool_call') parts.push(part);
    // What a model asks for together with its refusal is not done.
    else if (!isPartial && stopReason !== 'refusal') parts.push({ ...part, id: callId(number, step, ++calls) });
  }
  const message = { role: 'assistant' as const, content: parts, model: outcome.model, stopReason, usage, costUsd };
  return { type: 'message.added', data: { message: isPartial ? { ...message, isPartial } : message } };
}

/**
 * A change is judged against what the calls before it left, so one that touches what an earlier call
 * may still change waits for that call and is judged anew. Reads and refusals need not wait.
 */
function judged(state: State, judgement: Judgement): Decision {
  const call = findCall(state, judgement.call);
  if (state.turn === null || call === undefined) return late();
  const behind =
    judgement.effect === 'read' || judgement.verdict === 'deny' ? [] : blockers(state.turn.calls, call, judgement);
  if (behind.length === 0) return accept({ type: 'tool.judged', data: judgement });
  const { effect, paths } = judgement;
  const data = { call: call.id, behind: behind.map((other) => other.id), effect, paths };
  return accept({ type: 'tool.deferred', data });
}
