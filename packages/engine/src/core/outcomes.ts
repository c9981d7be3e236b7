/**
 * What effects bring back. An outcome counts once, and only while its effect is owed: a second, late or foreign one
 * is refused, and the runtime drops and counts it.
 */
import type { AssistantPart, Attempt, EventBody, EventData, Failure, Json, Judgement, Usage } from '@pawl/protocol';
import type { ModelMessage, ModelPart, ToolOutcome } from '../ports.ts';
import { blockers } from './calls.ts';
import type { CompactionOutcome } from './compaction/decide.ts';
import { decideSummary } from './compaction/decide.ts';
import type { Decision } from './decide.ts';
import { accept, refuse } from './decide.ts';
import { due } from './due.ts';
import { checked, finished } from './finished.ts';
import { findCall } from './fold/call.ts';
import { undelivered } from './mail.ts';
import type { State } from './state.ts';

/** What a tool says of the session besides its result. */
export type Declared = Pick<ToolOutcome, 'stage' | 'todos' | 'notes' | 'offers' | 'mail' | 'plan' | 'envelope'>;

/** What the turn was to give, held against its schema. */
export type Checked = { isValid: true; result: Json } | { isValid: false; problem: string };

export type Outcome =
  | { type: 'model.finished'; effect: string; model: string; message: ModelMessage; checked?: Checked }
  /** `partial` is the answer so far, to be kept; code `cancelled` when the engine itself stopped it. */
  | {
      type: 'model.failed';
      effect: string;
      model: string;
      error: Failure;
      partial: ModelMessage | null;
      /** What it used, and what that cost (null: unknown); absent where nothing reached the model. */
      usage?: Usage;
      costUsd?: number | null;
      attempts?: readonly Attempt[];
      /** The engine itself ended the request, and nobody has tried again yet. */
      isUntried?: boolean;
    }
  | { type: 'tool.judged'; effect: string; judgement: Judgement }
  | { type: 'tool.outdated'; effect: string; data: EventData['tool.outdated'] }
  | { type: 'tool.finished'; effect: string; data: EventData['tool.finished']; declared?: Declared; checked?: Checked }
  | { type: 'context.gathered'; effect: string; data: EventData['context.gathered'] }
  | { type: 'loop.verified'; effect: string; ok: boolean; output: string; problem?: string }
  | { type: 'mail.delivered'; effect: string; mail: string }
  | CompactionOutcome
  | { type: 'task.changed'; effect: string; data: EventData['task.changed'] }
  | { type: 'task.ended'; effect: string; data: EventData['task.ended'] }
  | { type: 'task.delivered'; effect: string; data: EventData['task.delivered'] }
  /** `at`: Unix ms. `isFinal`: it would fail again. */
  | { type: 'mail.undelivered'; effect: string; mail: string; at: number; message: string; isFinal: boolean }
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
      const { message } = outcome;
      if (isCut(message)) return accept(failed(state, outputCut(message), message));
      if (isEmpty(message.content) && message.stopReason !== 'refusal') {
        return accept(failed(state, emptyAnswer(turn.hasBeenEmpty), message));
      }
      return accept(answer(state, outcome, false), ...checked(state, outcome.checked));
    }
    case 'model.failed': {
      if (!isOwed(state, outcome.effect)) return late();
      const failure = failed(state, outcome.error, outcome);
      if (outcome.isUntried === true && (state.turn?.timeouts ?? 0) < mostTimeouts && state.turn?.cancel == null) {
        return accept({ ...failure, data: { ...failure.data, willRetry: true } });
      }
      return outcome.partial === null || isEmpty(outcome.partial.content)
        ? accept(failure)
        : accept(answer(state, { model: outcome.model, message: outcome.partial }, true), failure);
    }
    case 'context.gathered':
      return isOwed(state, outcome.effect) ? accept({ type: 'context.gathered', data: outcome.data }) : late();
    case 'compaction.summarised':
    case 'compaction.failed':
      return isOwed(state, outcome.effect) ? decideSummary(state, outcome) : late();
    case 'tool.judged':
      return isOwed(state, outcome.effect) ? judged(state, outcome.judgement) : late();
    case 'tool.outdated':
      if (!isOwed(state, outcome.effect)) return late();
      return accept({ type: 'tool.outdated', data: outcome.data });
    case 'tool.finished': {
      if (!isOwed(state, outcome.effect)) return late();
      return accept(...finished(state, outcome));
    }
    case 'loop.verified': {
      const { turn } = state;
      if (turn === null || !isOwed(state, outcome.effect)) return late();
      const { type, effect: _, ...data } = outcome;
      return accept({ type, data: { turn: turn.number, iteration: turn.loop?.iteration ?? 0, ...data } });
    }
    case 'mail.delivered':
      if (!isOwed(state, outcome.effect)) return late();
      return accept({ type: 'mail.delivered', data: { mail: outcome.mail } });
    case 'mail.undelivered':
      if (!isOwed(state, outcome.effect)) return late();
      return accept(...undelivered(state, outcome));
    case 'task.changed':
      return isOwed(state, outcome.effect) ? accept({ type: 'task.changed', data: outcome.data }) : late();
    case 'task.ended':
      return isOwed(state, outcome.effect) ? accept({ type: 'task.ended', data: outcome.data }) : late();
    case 'task.delivered':
      return isOwed(state, outcome.effect) ? accept({ type: 'task.delivered', data: outcome.data }) : late();
    default:
      return outcome satisfies never;
  }
}

/** Requests of one step that may take too long before the turn ends. */
const mostTimeouts = 2;

const late = () => refuse('late_outcome', 'Nobody waits for this outcome any more; it was dropped.');

function isOwed(state: State, effect: string): boolean {
  return due(state).some((owed) => owed.id === effect);
}

function emptyAnswer(isSecond: boolean): Failure {
  const message = isSecond ? 'The model answered with nothing, twice.' : 'The model answered with nothing.';
  return { code: 'empty_answer', message };
}

/** Nothing of it can be used: the output limit fell into its only call, or into its thinking. */
function isCut({ content, stopReason, cutCall }: ModelMessage): boolean {
  if (stopReason !== 'output_limit' || content.some((part) => part.type === 'tool_call')) return false;
  return cutCall !== undefined || isEmpty(content);
}

function outputCut({ cutCall, usage }: ModelMessage): Failure {
  const where = cutCall === undefined ? 'before it said anything' : `in a call of ${cutCall}`;
  return {
    code: 'output_cut',
    message: `The answer was cut at the output limit ${where}, after ${usage.outputTokens} tokens.`,
  };
}

/** Thinking alone is no answer. */
function isEmpty(content: readonly ModelPart[]): boolean {
  return content.every((part) => part.type === 'thinking' || (part.type === 'text' && part.text.trim() === ''));
}

type Tried = Partial<Pick<ModelMessage, 'usage' | 'costUsd' | 'cutCall' | 'attempts'>>;

function failed(
  state: State,
  error: Failure,
  { usage, costUsd, cutCall, attempts }: Tried = {},
): EventBody & { type: 'model.failed' } {
  const { number = 0, step = 0, attempt = 0 } = state.turn ?? {};
  const spent = { ...(usage !== undefined && { usage }), ...(costUsd !== undefined && { costUsd }) };
  const cut = cutCall !== undefined && { cutCall };
  return {
    type: 'model.failed',
    data: { turn: number, step, attempt, error, ...spent, ...cut, ...triedBefore(attempts) },
  };
}

const triedBefore = (attempts: ModelMessage['attempts']) => attempts !== undefined && { attempts: [...attempts] };

function answer(state: State, outcome: { model: string; message: ModelMessage }, isPartial: boolean): EventBody {
  const { content, stopReason, usage, costUsd, attempts } = outcome.message;
  const { number = 0, step = 0 } = state.turn ?? {};
  let calls = 0;
  const parts: AssistantPart[] = [];
  for (const part of content) {
    if (part.type !== 'tool_call') parts.push(part);
    // What a model asks for together with its refusal is not done.
    else if (!isPartial && stopReason !== 'refusal') parts.push({ ...part, id: callId(number, step, ++calls) });
  }
  const message = {
    role: 'assistant' as const,
    content: parts,
    model: outcome.model,
    stopReason,
    usage,
    costUsd,
    ...triedBefore(attempts),
  };
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
