/** What follows for the calls of a step: approvals and questions, refusals, intents, and results for calls that never run. */
import type { EventBody, ToolStatus } from '@pawl/protocol';
import { settleApproval, withdrawApproval } from '../approvals/settle.ts';
import {
  askQuestions,
  closeUnanswered,
  hasUnaskedQuestions,
  refuseUnanswered,
  settleQuestions,
} from '../questions/settle.ts';
import type { Call, State, Turn } from '../state.ts';
import { isOutOfTime, isStopping } from '../turn/ending.ts';
import { isClear, maxParallelCalls } from './conflicts.ts';
import { withRemarks } from './state.ts';

export function settleCalls(state: State, turn: Turn): EventBody[] {
  const events = turn.calls.flatMap((call) => settleCall(state, turn, call));
  // The state is looked at again with these events before any call starts.
  return events.length > 0 ? events : startCalls(turn);
}

/** The intents of the calls that may run now: allowed, in conflict with no earlier call, and not too many at once. */
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
  return call.status === 'asking' ? settleApproval(state, call) : [];
}

/** A call that had not started when the turn was stopped or ended. What is open is taken back from those who were asked. */
function dropCall(turn: Turn, call: Call): EventBody[] {
  const withdrawn = call.status === 'questioned' ? [closeUnanswered(call, 'cancelled')] : withdrawApproval(call);
  if (isOutOfTime(turn)) return [...withdrawn, toolFinished(call, 'out_of_time', 'Not run: the turn ran out of time.')];
  const why = isStopping(turn) ? 'the turn was cancelled' : 'the turn was ended by another call';
  return [...withdrawn, toolFinished(call, 'cancelled', `Not run: ${why}.`)];
}

function refuseCall(call: Call): EventBody {
  const { answer, judgement } = call;
  const reply = call.questions?.reply ?? null;
  if (reply !== null && reply.answers === null) return refuseUnanswered(call, reply);
  if (answer?.decision === 'timeout') {
    const content = 'Not run: nobody answered the approval in time. This was not a refusal by the user.';
    return toolFinished(call, 'denied', content);
  }
  if (answer?.decision === 'deny') {
    const reason = answer.reason === null ? '' : ` They said: ${answer.reason}`;
    return toolFinished(call, 'denied', `Not run: the user refused this call.${reason}`);
  }
  if (judgement?.isMistake === true) return toolFinished(call, 'error', judgement.reason ?? 'This call is not valid.');
  const reason = judgement?.reason === undefined ? '' : ` ${judgement.reason}`;
  return toolFinished(call, 'denied', `Not run: refused by the rule "${judgement?.rule ?? ''}".${reason}`);
}

/** A call that was running where a fork was made has its outcome in the log of the original. */
function closeForkedCall(call: Call): EventBody {
  const content =
    'This was running when the session was forked, and its outcome is not known here. Look before you repeat it.';
  return toolFinished(call, 'unknown', content);
}

function toolFinished(call: Call, status: ToolStatus, content: string): EventBody {
  return { type: 'tool.finished', data: { call: call.id, status, content: withRemarks(call, content) } };
}
