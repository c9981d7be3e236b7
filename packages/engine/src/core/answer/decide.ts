/** What follows from a call of the model: a whole answer, a partial one, or a failure. */
import type { AssistantPart, EventBody, EventData, Failure } from '@pawl/protocol';
import type { ModelMessage, ModelPart } from '../../ports.ts';
import { refusedCalls } from '../calls/malformed.ts';
import type { Decision } from '../decision.ts';
import { accept } from '../decision.ts';
import type { Outcome } from '../outcome.ts';
import { resultChecked } from '../result/decide.ts';
import type { State } from '../state.ts';
import { nextAfterFailure } from './failure.ts';

/** Requests of one step that may take too long before the turn ends. */
const maxTimeouts = 2;

/** Id of a call, from its place in the log; the provider's id does not matter. `index` counts the calls of an answer from 1. */
export const callId = (turn: number, step: number, index: number) => `t${turn}_s${step}_c${index}`;

export function decideAnswer(state: State, outcome: Outcome & { type: 'model.finished' }): Decision {
  const { message } = outcome;
  if (isCut(message)) return accept(modelFailed(state, outputCut(message), message));
  if (isEmpty(message.content) && message.stopReason !== 'refusal') {
    return accept(modelFailed(state, emptyAnswer(state.turn?.hasBeenEmpty === true), message));
  }
  return accept(answerAdded(state, outcome, false), ...resultChecked(state, outcome.checked));
}

export function decideFailure(state: State, outcome: Outcome & { type: 'model.failed' }): Decision {
  const { turn } = state;
  const isWorthRetry = outcome.isUntried === true && (turn?.timeouts ?? 0) < maxTimeouts;
  if (isWorthRetry && turn?.cancel == null) return accept(modelFailed(state, outcome.error, outcome, true));
  const failure = modelFailed(state, outcome.error, outcome);
  return outcome.partial === null || isEmpty(outcome.partial.content)
    ? accept(failure)
    : accept(answerAdded(state, { model: outcome.model, message: outcome.partial }, true), failure);
}

function emptyAnswer(isSecond: boolean): Failure {
  const message = isSecond ? 'The model answered with nothing, twice.' : 'The model answered with nothing.';
  return { code: 'empty_answer', message };
}

/** Nothing of the answer can be used: the output limit was reached within its only call, or within its thinking. */
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

type FailedAnswer = Partial<Pick<ModelMessage, 'usage' | 'costUsd' | 'cutCall' | 'attempts'>>;

function modelFailed(
  state: State,
  error: Failure,
  { usage, costUsd, cutCall, attempts }: FailedAnswer = {},
  willRetry = false,
): EventBody {
  const { number = 0, step = 0, attempt = 0 } = state.turn ?? {};
  const data: EventData['model.failed'] = {
    turn: number,
    step,
    attempt,
    error,
    ...(usage !== undefined && { usage }),
    ...(costUsd !== undefined && { costUsd }),
    ...(cutCall !== undefined && { cutCall }),
    ...loggedAttempts(attempts),
    ...(willRetry && { willRetry }),
  };
  const next = state.turn === null ? {} : { next: nextAfterFailure(state, state.turn, data) };
  return { type: 'model.failed', data: { ...data, ...next } };
}

const loggedAttempts = (attempts: ModelMessage['attempts']) => attempts !== undefined && { attempts: [...attempts] };

function answerAdded(state: State, outcome: { model: string; message: ModelMessage }, isPartial: boolean): EventBody {
  const { content, stopReason, usage, costUsd, attempts } = outcome.message;
  const { number = 0, step = 0 } = state.turn ?? {};
  let calls = 0;
  const parts: AssistantPart[] = [];
  for (const part of content) {
    if (part.type !== 'tool_call') parts.push(part);
    // Calls that come together with a refusal are not run.
    else if (!isPartial && stopReason !== 'refusal') parts.push({ ...part, id: callId(number, step, ++calls) });
  }
  const message = {
    role: 'assistant' as const,
    content: parts,
    model: outcome.model,
    stopReason,
    usage,
    costUsd,
    ...loggedAttempts(attempts),
  };
  if (isPartial) return { type: 'message.added', data: { message: { ...message, isPartial } } };
  const asked = parts.filter((part) => part.type === 'tool_call');
  if (state.turn === null || asked.length === 0) return { type: 'message.added', data: { message } };
  return { type: 'message.added', data: { message, refusedCalls: refusedCalls(state.turn, asked) } };
}
