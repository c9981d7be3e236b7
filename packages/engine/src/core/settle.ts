/** Which events follow from what we know, with no I/O? The next step, the end of a turn, a queued input taken up. */
import type { EventBody, ToolStatus } from '@pawl/protocol';
import { isOwedAnswer, unanswered } from './answers.ts';
import { isClear, maxParallelCalls, withRemarks } from './calls.ts';
import { findRepairs } from './repair.ts';
import type { Call, QueuedInput, State, Turn } from './state.ts';
import { totalTokens, windowTokens } from './usage.ts';

/** Called again after its events are evolved, until it returns none. */
export function settle(state: State): EventBody[] {
  if (state.seq === 0) return [];
  const { turn } = state;
  if (turn === null) return betweenTurns(state);
  switch (turn.phase) {
    case 'model':
      return turn.attempt === 1 || isStopping(turn) ? [] : beforeRetry(state, turn);
    case 'tools':
      return settleCalls(state, turn);
    case 'review':
      return isStopping(turn) ? [endOf(turn, stopOutcome(turn))] : [];
    case 'between':
      return betweenSteps(state, turn);
    default:
      return turn.phase satisfies never;
  }
}

function isStopping(turn: Turn): boolean {
  return turn.cancel !== null || turn.isOverTime;
}

/* ------------------------------------------------------------ between turns */

function betweenTurns(state: State): EventBody[] {
  const context = state.queue.find((input) => input.delivery === 'context');
  if (context !== undefined) return [taken(context)];
  const next = state.queue[0];
  if (next === undefined || state.isPaused || state.isHeld) return [];
  const turn = state.turns + 1;
  const data = { turn, cause: 'input' as const, input: next.id, ...(next.review && { review: true }) };
  return [{ type: 'turn.started', data }, taken(next)];
}

function taken(input: QueuedInput): EventBody {
  const source = input.delivery === 'context' ? 'context' : 'input';
  return {
    type: 'message.added',
    data: { message: { role: 'user', content: input.content, source, input: input.id } },
  };
}

/* ------------------------------------------------------------ between steps */

function betweenSteps(state: State, turn: Turn): EventBody[] {
  if (isStopping(turn)) return [endOf(turn, stopOutcome(turn))];
  if (turn.ending !== null) {
    if (turn.ending.outcome !== 'completed' || !turn.review) return [endOf(turn, turn.ending)];
    return [{ type: 'review.requested', data: { turn: turn.number } }];
  }
  if (state.isPaused) return [];
  const limit = limitReached(state, turn);
  if (limit !== null) return [endOf(turn, limit)];
  const waiting = state.queue.filter((input) => input.delivery === 'steer' || input.delivery === 'context');
  if (waiting.length > 0) return waiting.map(taken);
  const repairs = findRepairs(state);
  if (repairs.length > 0) return [{ type: 'history.repaired', data: { repairs } }];
  return [{ type: 'step.started', data: { turn: turn.number, step: turn.step + 1 } }];
}

function stopOutcome(turn: Turn): NonNullable<Turn['ending']> {
  if (turn.cancel === null) {
    return { outcome: 'max_duration', message: `The turn ran out of time in step ${turn.step}. Continue to go on.` };
  }
  const { by, reason } = turn.cancel;
  return {
    outcome: 'cancelled',
    message: `Cancelled by ${by.id}${reason === null ? '' : `: ${reason}`}.`.replace(/\.\.$/, '.'),
  };
}

/** An answer that was empty or cut has cost what it cost. */
function beforeRetry(state: State, turn: Turn): EventBody[] {
  const limit = budgetReached(state, turn);
  return limit === null ? [] : [endOf(turn, limit)];
}

function limitReached(state: State, turn: Turn): Turn['ending'] {
  const { limits } = state.settings;
  if (turn.step < limits.steps) return budgetReached(state, turn);
  const message = `The turn reached its limit of ${limits.steps} steps. Continue to go on.`;
  return { outcome: 'max_steps', message };
}

function budgetReached(state: State, turn: Turn): Turn['ending'] {
  const { limits } = state.settings;
  // What the next call costs at least is known: its input.
  const next = windowTokens(state);
  const tokenLimits = [
    { limit: limits.tokens, used: totalTokens(turn.usage), what: 'turn' },
    { limit: limits.sessionTokens, used: totalTokens(state.usage), what: 'session' },
  ];
  for (const { limit, used, what } of tokenLimits) {
    if (limit === null || used + next <= limit) continue;
    const message = `The ${what} has used ${used} tokens and the next request has at least ${next}: its limit is ${limit}.`;
    return { outcome: 'budget', message };
  }
  const nextUsd = (next * (state.settings.modelInfo.leastInputUsdPerMillion ?? 0)) / 1_000_000;
  const dollarLimits = [
    { limit: limits.usd, used: turn.costUsd, what: 'turn' },
    { limit: limits.sessionUsd, used: state.costUsd, what: 'session' },
  ];
  for (const { limit, used, what } of dollarLimits) {
    if (limit === null) continue;
    if (used === null) {
      return {
        outcome: 'budget',
        message: `The ${what} has a limit of $${limit}, and what it cost so far is unknown.`,
      };
    }
    if (used >= limit) {
      return { outcome: 'budget', message: `The ${what} has cost $${used.toFixed(4)}: its limit is $${limit}.` };
    }
    if (used + nextUsd > limit) {
      const message = `The ${what} has cost $${used.toFixed(4)}, and the next request costs at least $${nextUsd.toFixed(4)}: its limit is $${limit}.`;
      return { outcome: 'budget', message };
    }
  }
  return null;
}

function endOf(turn: Turn, ending: NonNullable<Turn['ending']>): EventBody {
  const { number, step, usage, costUsd, unattendedDenials } = turn;
  const data = { turn: number, ...ending, steps: step, usage, costUsd, unattendedDenials };
  return { type: 'turn.ended', data };
}

/* ------------------------------------------------------------ calls */

function settleCalls(state: State, turn: Turn): EventBody[] {
  const events = turn.calls.flatMap((call) => settleCall(state, turn, call));
  // What that changes is looked at anew before anything begins.
  return events.length > 0 ? events : begun(turn);
}

/** The intents of the calls that may run now: allowed, with nothing before them in their way, and not too many at once. */
function begun(turn: Turn): EventBody[] {
  const running = turn.calls.filter((call) => call.status === 'running').length;
  return turn.calls
    .filter((call) => call.status === 'allowed' && isClear(turn, call))
    .slice(0, Math.max(0, maxParallelCalls - running))
    .map((call) => ({ type: 'tool.started', data: { call: call.id, effect: call.claims?.effect ?? 'external' } }));
}

function settleCall(state: State, turn: Turn, call: Call): EventBody[] {
  if (call.status === 'finished') return [];
  if (call.status === 'running') return turn.isForked ? [leftBehind(call)] : [];
  if (call.status === 'refused') return [refusal(call)];
  if (isStopping(turn) || turn.ending !== null) return dropped(turn, call);
  if (call.status === 'questioned') return settleQuestions(state, call);
  if (call.status === 'allowed' && isOwedAnswer(call)) return [questions(state, call)];
  if (call.status !== 'asking') return [];

  if (call.approval?.isExpired === true) {
    return [{ type: 'approval.resolved', data: { call: call.id, decision: 'timeout' } }];
  }
  if (!state.settings.isAttended) return [...withdrawn(call), unattended(call)];
  return call.approval === null ? [request(state, call)] : [];
}

/** Puts them to the person, if there is one. */
function questions(state: State, call: Call): EventBody {
  if (!state.settings.isAttended) return unanswered(call, 'unattended');
  const { questions: asked = [], answerWithinMs } = call.judgement ?? {};
  const limits = [answerWithinMs, state.settings.limits.approvalTimeoutMs].filter(
    (limit) => limit !== undefined && limit > 0,
  );
  const withinMs = Math.min(...limits.map(Number));
  const expiresAt = limits.length === 0 ? null : state.now + withinMs;
  return { type: 'question.asked', data: { call: call.id, questions: asked, expiresAt } };
}

function settleQuestions(state: State, call: Call): EventBody[] {
  if (call.questions?.isExpired === true) return [unanswered(call, 'timeout')];
  return state.settings.isAttended ? [] : [unanswered(call, 'unattended')];
}

/** A call that had not begun when the turn was stopped or ended. */
function dropped(turn: Turn, call: Call): EventBody[] {
  const why = isStopping(turn) ? 'the turn was cancelled' : 'the turn was ended by another call';
  return [
    ...withdrawn(call),
    result(call, 'cancelled', `Not run: ${turn.isOverTime ? 'the turn ran out of time' : why}.`),
  ];
}

/** An open question is taken back from those who were asked. */
function withdrawn(call: Call): EventBody[] {
  if (call.status === 'questioned') return [unanswered(call, 'cancelled')];
  if (call.approval === null || call.status !== 'asking') return [];
  return [{ type: 'approval.resolved', data: { call: call.id, decision: 'cancelled' } }];
}

function request(state: State, call: Call): EventBody {
  const { approvalTimeoutMs } = state.settings.limits;
  const { judgement } = call;
  return {
    type: 'approval.requested',
    data: {
      call: call.id,
      tool: call.tool,
      input: call.input,
      rule: judgement?.rule ?? '',
      suggestions: judgement?.suggestions ?? [],
      expiresAt: approvalTimeoutMs === 0 ? null : state.now + approvalTimeoutMs,
      ...(judgement?.preview !== undefined && { preview: judgement.preview }),
      ...(judgement?.parts !== undefined && { parts: judgement.parts }),
      ...(judgement?.approvers !== undefined && { approvers: judgement.approvers }),
    },
  };
}

function refusal(call: Call): EventBody {
  const { answer, judgement } = call;
  const reply = call.questions?.reply ?? null;
  if (reply !== null && reply.answers === null) return notAnswered(call, reply);
  if (answer?.decision === 'timeout') {
    return result(call, 'denied', 'Not run: nobody answered the approval in time. This was not a refusal by the user.');
  }
  if (answer?.decision === 'deny') {
    const reason = answer.reason === null ? '' : ` They said: ${answer.reason}`;
    return result(call, 'denied', `Not run: the user refused this call.${reason}`);
  }
  if (judgement?.isMistake === true) return result(call, 'error', judgement.reason ?? 'This call is not valid.');
  const reason = judgement?.reason === undefined ? '' : ` ${judgement.reason}`;
  return result(call, 'denied', `Not run: refused by the rule "${judgement?.rule ?? ''}".${reason}`);
}

function notAnswered(call: Call, { outcome, reason }: NonNullable<NonNullable<Call['questions']>['reply']>): EventBody {
  const said = reason === null ? '' : ` They said: ${reason}`;
  if (outcome === 'declined') return result(call, 'denied', `The user does not want to answer this.${said}`);
  if (outcome === 'unattended') {
    const content = 'Nobody is there to answer. Decide what is safe by yourself, say what you assumed, and go on.';
    return { type: 'tool.finished', data: { call: call.id, status: 'denied', content, isUnattended: true } };
  }
  return result(call, 'denied', 'Nobody answered in time. The user did not refuse; they may not be there.');
}

function unattended(call: Call): EventBody {
  const content = `Not run: this needs an approval ("${call.judgement?.rule ?? ''}") and nobody is there to give it. Go on without it.`;
  const finished = { call: call.id, status: 'denied' as const, content, isUnattended: true };
  return { type: 'tool.finished', data: finished };
}

/** What is running where a fork was made has its outcome there. */
function leftBehind(call: Call): EventBody {
  const content =
    'This was running when the session was forked, and its outcome is not known here. Look before you repeat it.';
  return result(call, 'unknown', content);
}

function result(call: Call, status: ToolStatus, content: string): EventBody {
  return { type: 'tool.finished', data: { call: call.id, status, content: withRemarks(call, content) } };
}
