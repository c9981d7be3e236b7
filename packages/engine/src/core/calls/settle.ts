/** What follows for the calls of a step: questions to a person, refusals, intents, and results for those that never ran. */
import type { EventBody, ToolStatus } from '@pawl/protocol';
import { closeUnanswered, hasUnaskedQuestions } from '../questions/decide.ts';
import { originOf } from '../session/origin.ts';
import type { Call, State, Turn } from '../state.ts';
import { isStopping } from '../turn/ending.ts';
import { isClear, maxParallelCalls, withRemarks } from './conflicts.ts';

export function settleCalls(state: State, turn: Turn): EventBody[] {
  const events = turn.calls.flatMap((call) => settleCall(state, turn, call));
  // What that changes is looked at anew before anything begins.
  return events.length > 0 ? events : startCalls(turn);
}

/** The intents of the calls that may run now: allowed, with nothing before them in their way, and not too many at once. */
function startCalls(turn: Turn): EventBody[] {
  const running = turn.calls.filter((call) => call.status === 'running').length;
  return turn.calls
    .filter((call) => call.status === 'allowed' && isClear(turn, call))
    .slice(0, Math.max(0, maxParallelCalls - running))
    .map((call) => ({ type: 'tool.started', data: { call: call.id, effect: call.claims?.effect ?? 'external' } }));
}

function settleCall(state: State, turn: Turn, call: Call): EventBody[] {
  if (call.status === 'finished') return [];
  if (call.status === 'running') return turn.isForked ? [closeForkedCall(call)] : [];
  if (call.status === 'refused') return [refuseCall(call)];
  if (isStopping(turn) || turn.ending !== null) return dropCall(turn, call);
  if (call.status === 'questioned') return settleQuestions(state, call);
  if (call.status === 'allowed' && hasUnaskedQuestions(call)) return [askQuestions(state, call)];
  if (call.status !== 'asking') return [];

  if (call.approval?.isExpired === true) {
    return [{ type: 'approval.resolved', data: { call: call.id, decision: 'timeout' } }];
  }
  if (!state.settings.isAttended) return [...withdrawRequests(call), refuseUnattended(call)];
  return call.approval === null ? [requestApproval(state, call)] : [];
}

/** Puts them to the person, if there is one. */
function askQuestions(state: State, call: Call): EventBody {
  if (!state.settings.isAttended) return closeUnanswered(call, 'unattended');
  const { questions: asked = [], answerWithinMs } = call.judgement ?? {};
  const limits = [answerWithinMs, state.settings.limits.approvalTimeoutMs].filter(
    (limit) => limit !== undefined && limit > 0,
  );
  const withinMs = Math.min(...limits.map(Number));
  const expiresAt = limits.length === 0 ? null : state.now + withinMs;
  return { type: 'question.asked', data: { call: call.id, questions: asked, expiresAt } };
}

function settleQuestions(state: State, call: Call): EventBody[] {
  if (call.questions?.isExpired === true) return [closeUnanswered(call, 'timeout')];
  return state.settings.isAttended ? [] : [closeUnanswered(call, 'unattended')];
}

/** A call that had not begun when the turn was stopped or ended. */
function dropCall(turn: Turn, call: Call): EventBody[] {
  const why = isStopping(turn) ? 'the turn was cancelled' : 'the turn was ended by another call';
  return [
    ...withdrawRequests(call),
    toolFinished(call, 'cancelled', `Not run: ${turn.isOverTime ? 'the turn ran out of time' : why}.`),
  ];
}

/** An open question is taken back from those who were asked. */
function withdrawRequests(call: Call): EventBody[] {
  if (call.status === 'questioned') return [closeUnanswered(call, 'cancelled')];
  if (call.approval === null || call.status !== 'asking') return [];
  return [{ type: 'approval.resolved', data: { call: call.id, decision: 'cancelled' } }];
}

function requestApproval(state: State, call: Call): EventBody {
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

function refuseCall(call: Call): EventBody {
  const { answer, judgement } = call;
  const reply = call.questions?.reply ?? null;
  if (reply !== null && reply.answers === null) return refuseUnanswered(call, reply);
  if (answer?.decision === 'timeout') {
    return toolFinished(
      call,
      'denied',
      'Not run: nobody answered the approval in time. This was not a refusal by the user.',
    );
  }
  if (answer?.decision === 'deny') {
    const reason = answer.reason === null ? '' : ` They said: ${answer.reason}`;
    return toolFinished(call, 'denied', `Not run: the user refused this call.${reason}`);
  }
  if (judgement?.isMistake === true) return toolFinished(call, 'error', judgement.reason ?? 'This call is not valid.');
  const reason = judgement?.reason === undefined ? '' : ` ${judgement.reason}`;
  return toolFinished(call, 'denied', `Not run: refused by the rule "${judgement?.rule ?? ''}".${reason}`);
}

function refuseUnanswered(
  call: Call,
  { outcome, reason }: NonNullable<NonNullable<Call['questions']>['reply']>,
): EventBody {
  const said = reason === null ? '' : ` They said: ${reason}`;
  if (outcome === 'declined') return toolFinished(call, 'denied', `The user does not want to answer this.${said}`);
  if (outcome === 'unattended') {
    const content = 'Nobody is there to answer. Decide what is safe by yourself, say what you assumed, and go on.';
    return { type: 'tool.finished', data: { call: call.id, status: 'denied', content, isUnattended: true } };
  }
  return toolFinished(call, 'denied', 'Nobody answered in time. The user did not refuse; they may not be there.');
}

function refuseUnattended(call: Call): EventBody {
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
function closeForkedCall(call: Call): EventBody {
  const content =
    'This was running when the session was forked, and its outcome is not known here. Look before you repeat it.';
  return toolFinished(call, 'unknown', content);
}

function toolFinished(call: Call, status: ToolStatus, content: string): EventBody {
  return { type: 'tool.finished', data: { call: call.id, status, content: withRemarks(call, content) } };
}
