/** The calls of the current step, and those of the turn that are done. */
import type { DurableEvent, EventData, Judgement, Preview, ToolCallPart } from '@pawl/protocol';
import { messagesAfter } from '../history/evolve.ts';
import { evolveQuestion } from '../questions/evolve.ts';
import { isSameJson } from '../same-json.ts';
import type { State, Turn } from '../state.ts';
import { judgeAgain, judgeAgainAsApproved } from './judge-again.ts';
import { isMalformed } from './malformed.ts';
import { recordOfCall, repetitionRule } from './repeats.ts';
import type { Call } from './state.ts';
import { approvalTimer, questionTimer } from './state.ts';

export function findCall(state: Pick<State, 'turn'>, id: string): Call | undefined {
  return state.turn?.calls.find((call) => call.id === id);
}

export function evolveCalls(state: State, event: DurableEvent): void {
  const { turn } = state;
  if (turn === null) return;
  switch (event.type) {
    case 'session.opened':
      for (const call of turn.calls) markInterrupted(call, event.data.damage !== undefined);
      break;
    case 'session.configured': {
      const { mode, profile } = event.data;
      const isOtherMode = mode !== undefined && mode !== state.settings.mode;
      if (isOtherMode || profile !== undefined) judgeOpenCallsAgain(turn.calls);
      break;
    }
    case 'rule.added':
      if (event.data.list !== 'allow') judgeOpenCallsAgain(turn.calls);
      break;
    case 'rule.removed':
      if (event.data.list === 'allow') judgeOpenCallsAgain(turn.calls);
      break;
    case 'step.started':
      turn.calls = [];
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role !== 'assistant' || message.isPartial === true) break;
      const parts = message.content.filter((part) => part.type === 'tool_call');
      turn.calls = parts.map((part) => proposedCall(part, event.data.refusedCalls?.[part.id] ?? null));
      break;
    }
    case 'context.trimmed':
      forgetCalls(turn, (id) => !event.data.results.some(({ call }) => call === id));
      break;
    case 'context.compacted': {
      const kept = messagesAfter(state, event.data.through);
      const shown = new Set(
        kept.flatMap((message) => (message.role === 'tool' ? message.results : [])).map(({ call }) => call),
      );
      forgetCalls(turn, (id) => shown.has(id));
      break;
    }
    case 'timer.fired':
      for (const call of turn.calls) expireRequests(call, event.data.timer);
      break;
    case 'tool.judged':
    case 'tool.deferred':
    case 'tool.outdated':
    case 'approval.requested':
    case 'approval.resolved':
    case 'tool.started': {
      const call = findCall(state, event.data.call);
      if (call !== undefined) evolveCall(call, event);
      break;
    }
    case 'question.asked':
    case 'question.answered': {
      const call = findCall(state, event.data.call);
      if (call !== undefined) evolveQuestion(call, event);
      break;
    }
    case 'tool.finished': {
      const call = findCall(state, event.data.call);
      if (call !== undefined) recordResult(state, turn, call, event.data);
      break;
    }
  }
}

/** A call whose result the model no longer sees may be repeated. */
function forgetCalls(turn: Turn, isShown: (call: string) => boolean): void {
  turn.doneCalls = turn.doneCalls.filter(({ id }) => isShown(id));
}

function expireRequests(call: Call, timer: string): void {
  if (call.approval !== null && timer === approvalTimer(call, call.approval.round)) call.approval.isExpired = true;
  if (call.questions !== null && timer === questionTimer(call, call.questions.round)) call.questions.isExpired = true;
}

type CallEvent = Extract<
  DurableEvent,
  {
    type:
      | 'tool.judged'
      | 'tool.deferred'
      | 'tool.outdated'
      | 'approval.requested'
      | 'approval.resolved'
      | 'tool.started';
  }
>;

function evolveCall(call: Call, event: CallEvent): void {
  switch (event.type) {
    case 'tool.judged': {
      call.judgement = event.data;
      call.claims = { effect: event.data.effect, paths: event.data.paths };
      call.isStale = false;
      const isAnswered = call.approved !== null && hasSeenPreview(call, event.data.preview);
      // Answers to other questions than these do not count.
      const isSameAsked = isSameJson(call.questions?.asked, event.data.questions);
      if (!isSameAsked) call.questions = null;
      call.status = event.data.verdict === 'ask' && isAnswered ? 'allowed' : statusAfter[event.data.verdict];
      break;
    }
    case 'tool.deferred': {
      call.status = 'deferred';
      call.round += 1;
      call.behind = event.data.behind;
      call.approved = null;
      call.claims = { effect: event.data.effect, paths: event.data.paths };
      break;
    }
    case 'tool.outdated': {
      judgeAgain(call);
      call.approved = null;
      break;
    }
    case 'approval.requested': {
      call.approval = { round: call.round, expiresAt: event.data.expiresAt, isExpired: false };
      // An earlier answer was to another request.
      call.answer = null;
      break;
    }
    case 'approval.resolved': {
      const seenBefore = { preview: call.judgement?.preview?.text ?? null };
      const { decision, reason, input, edit } = event.data;
      if (edit !== undefined) call.remarks.push(`The user changed the arguments before it ran: ${edit.summary}.`);
      if (decision === 'allow' && reason !== undefined) call.remarks.push(`The user allowed it and said: ${reason}`);
      if (decision !== 'allow') {
        call.approval = null;
        call.status = 'refused';
      } else if (input !== undefined) {
        call.input = input;
        judgeAgain(call);
        call.approved = { preview: null };
      } else if (call.isStale) {
        judgeAgain(call);
        call.approved = seenBefore;
      } else {
        call.approval = null;
        call.status = 'allowed';
      }
      call.answer = { decision, reason: reason ?? null, by: event.by };
      break;
    }
    case 'tool.started': {
      call.status = 'running';
      call.isInterrupted = false;
      break;
    }
    default:
      event satisfies never;
  }
}

/** Whether the approver has seen this preview, or wrote exactly this text into the arguments. */
function hasSeenPreview({ approved, input }: Call, preview: Preview | undefined): boolean {
  if (preview === undefined || preview.text === approved?.preview) return true;
  return Object.values(input).includes(preview.text);
}

const statusAfter = { allow: 'allowed', ask: 'asking', deny: 'refused' } as const;

/**
 * The process that ran this call is gone. Where events were lost by damage to the log, nobody knows how far a call had
 * come, so every open call counts as started.
 */
function markInterrupted(call: Call, isDamaged: boolean): void {
  if (isDamaged && call.status !== 'finished') {
    call.status = 'running';
    call.claims = null;
  }
  call.isInterrupted = call.status === 'running';
}

/** Calls that were judged by other rules or in another mode are judged again before they start. */
function judgeOpenCallsAgain(calls: readonly Call[]): void {
  for (const call of calls) {
    // A deferred call may be about to be judged; that judgement no longer counts.
    if (call.status === 'proposed' || call.status === 'deferred') call.round += 1;
    if (call.status === 'asking' || call.status === 'questioned') call.isStale = true;
    if (call.status === 'allowed') judgeAgainAsApproved(call);
  }
}

function proposedCall(part: ToolCallPart, refusal: string | null): Call {
  return {
    id: part.id,
    tool: part.tool,
    input: part.input,
    malformed: part.malformed ?? null,
    status: refusal === null ? 'proposed' : 'refused',
    round: 1,
    claims: null,
    behind: [],
    judgement: refusal === null ? null : excessJudgement(part.id, refusal),
    approval: null,
    approved: null,
    isStale: false,
    answer: null,
    remarks: [],
    questions: null,
    isInterrupted: false,
    result: null,
  };
}

const excessJudgement = (call: string, reason: string): Judgement => ({
  call,
  verdict: 'deny',
  rule: 'check count',
  reason,
  isMistake: true,
  effect: 'read',
  paths: [],
});

function recordResult(state: State, turn: Turn, call: Call, data: EventData['tool.finished']): void {
  const { status, content, files, isOutside, remarks } = data;
  call.status = 'finished';
  call.approval = null;
  call.result = {
    call: call.id,
    tool: call.tool,
    status,
    content,
    ...(files !== undefined && { files }),
    ...(isOutside !== undefined && { isOutside }),
    ...(remarks !== undefined && { remarks }),
  };
  // Malformed calls and refused repetitions do not count as done.
  if (!isMalformed(call) && call.judgement?.rule !== repetitionRule) turn.doneCalls.push(recordOfCall(state, call));
  if (turn.calls.some(({ result }) => result === null)) return;
  turn.malformedRounds = turn.calls.every(isMalformed) ? turn.malformedRounds + 1 : 0;
}
