/** The questions that a call asks a person, and their reply. */
import type { DurableEvent } from '@pawl/protocol';
import { judgeAgainAsApproved } from '../calls/judge-again.ts';
import type { Call } from '../state.ts';

type QuestionEvent = Extract<DurableEvent, { type: 'question.asked' | 'question.answered' }>;

export function evolveQuestion(call: Call, event: QuestionEvent): void {
  if (event.type === 'question.asked') {
    const { questions, expiresAt } = event.data;
    call.questions = { asked: questions, round: call.round, expiresAt, isExpired: false, reply: null };
    call.status = 'questioned';
    return;
  }
  const { outcome, answers = null, reason = null } = event.data;
  // With nobody there, questions are answered by their defaults without being asked.
  const asked = call.questions ?? { ...notAsked(call), round: call.round };
  call.questions = { ...asked, reply: { outcome, answers, reason, by: event.by } };
  if (answers === null) call.status = 'refused';
  else if (call.isStale) judgeAgainAsApproved(call);
  else call.status = 'allowed';
}

const notAsked = ({ judgement }: Call) => ({ asked: judgement?.questions ?? [], expiresAt: null, isExpired: false });
