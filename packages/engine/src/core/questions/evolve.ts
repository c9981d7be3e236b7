/** What becomes of the questions that a call asks the person. */
import type { DurableEvent } from '@pawl/protocol';
import { findCall, judgeOnceMore } from '../calls/evolve.ts';
import type { Call, State } from '../state.ts';

type QuestionEvent = Extract<DurableEvent, { type: 'question.asked' | 'question.answered' }>;

export function evolveQuestion(state: State, event: QuestionEvent): void {
  const call = findCall(state, event.data.call);
  if (call === undefined) return;
  if (event.type === 'question.asked') {
    const { questions, expiresAt } = event.data;
    call.questions = { asked: questions, round: call.round, expiresAt, isExpired: false, reply: null };
    call.status = 'questioned';
    return;
  }
  const { outcome, answers = null, reason = null } = event.data;
  // Where nobody is there, nothing was asked before it is answered.
  const asked = call.questions ?? { ...notAsked(call), round: call.round };
  call.questions = { ...asked, reply: { outcome, answers, reason, by: event.by } };
  if (answers === null) call.status = 'refused';
  else if (call.isStale) judgeOnceMore(call);
  else call.status = 'allowed';
}

const notAsked = ({ judgement }: Call) => ({ asked: judgement?.questions ?? [], expiresAt: null, isExpired: false });
