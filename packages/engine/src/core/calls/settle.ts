/** What follows for the calls of a step: questions to a person, refusals, intents, and results for those that never ran. */
import type { EventBody, ToolStatus } from '@pawl/protocol';
import { isOwedAnswer, unanswered } from '../questions/decide.ts';
import { originOf } from '../session/origin.ts';
import type { Call, State, Turn } from '../state.ts';
import { isOutOfTime, isStopping } from '../turn/ending.ts';
import { isClear, maxParallelCalls, withRemarks } from './conflicts.ts';

export function settleCalls(state: State, turn: Turn): EventBody[] {
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
  if (isOutOfTime(turn)) {
    return [...withdrawn(call), result(call, 'out_of_time', 'Not run: the turn ran out of time.')];
  }
  const why = isStopping(turn) ? 'the turn was cancelled' : 'the turn was ended by another call';
  return [...withdrawn(call), result(call, 'cancelled', `Not run: ${why}.`)];
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
      ...(judgement?.reason !== undefined && { reason: judgement.reason }),
      suggestions: judgement?.suggestions ?? [],
      expiresAt: approvalTimeoutMs === 0 ? null : state.now + approvalTimeoutMs,
      ...(judgement?.preview !== undefined && { preview: judgement.preview }),
      ...(judgement?.parts !== undefined && { parts: judgement.parts }),
      ...(judgement?.approvers !== undefined && { approvers: judgement.approvers }),
      ...originOf(state.settings),
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
  const { rule = '', reason, parts = [] } = call.judgement ?? {};
  const asking = parts.filter(({ verdict }) => verdict === 'ask').map(({ text }) => text);
  const content = [
    `Not run: this needs an approval ("${rule}") and nobody is there to give it.`,
    ...(reason === undefined ? [] : [reason]),
    ...(asking.length === 0 ? [] : [`These parts of it need one: ${asking.join('; ')}.`]),
    'Go on without it.',
  ].join(' ');
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
