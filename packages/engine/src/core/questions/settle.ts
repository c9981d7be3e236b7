/** Putting the questions of a call to the person, and what follows where nobody answers. */
import type { Answer, EventBody, Question } from '@pawl/protocol';
import { withRemarks } from '../calls/state.ts';
import type { Call, State } from '../state.ts';

/** Whether the call has questions that were not put to the person yet. */
export function hasUnaskedQuestions({ judgement, questions }: Call): boolean {
  return (judgement?.questions ?? []).length > 0 && questions === null;
}

/** The answers that count where nobody answers; null when some question has no default. */
function defaultsOf(questions: readonly Question[]): Answer[] | null {
  const defaults = questions.flatMap((question) => question.default ?? []);
  return defaults.length === questions.length ? defaults : null;
}

/** Ends questions that nobody answered, with the defaults where every question has one. */
export function closeUnanswered(call: Call, outcome: 'timeout' | 'unattended' | 'cancelled'): EventBody {
  const asked = call.questions?.asked ?? call.judgement?.questions ?? [];
  const answers = outcome === 'cancelled' ? null : defaultsOf(asked);
  return { type: 'question.answered', data: { call: call.id, outcome, ...(answers !== null && { answers }) } };
}

/** Puts the questions to the person, if there is one. */
export function askQuestions(state: State, call: Call): EventBody {
  if (!state.settings.isAttended) return closeUnanswered(call, 'unattended');
  const { questions: asked = [], answerWithinMs } = call.judgement ?? {};
  const limits = [answerWithinMs, state.settings.limits.approvalTimeoutMs].filter(
    (limit) => limit !== undefined && limit > 0,
  );
  const withinMs = Math.min(...limits.map(Number));
  const expiresAt = limits.length === 0 ? null : state.now + withinMs;
  return { type: 'question.asked', data: { call: call.id, questions: asked, expiresAt } };
}

export function settleQuestions(state: State, call: Call): EventBody[] {
  if (call.questions?.isExpired === true) return [closeUnanswered(call, 'timeout')];
  return state.settings.isAttended ? [] : [closeUnanswered(call, 'unattended')];
}

type Reply = NonNullable<NonNullable<Call['questions']>['reply']>;

/** The result of a call that does not run because its questions have no answer. */
export function refuseUnanswered(call: Call, { outcome, reason }: Reply): EventBody {
  const denied = (content: string) => ({ call: call.id, status: 'denied' as const, content });
  if (outcome === 'unattended') {
    const content = 'Nobody is there to answer. Decide what is safe by yourself, say what you assumed, and go on.';
    return { type: 'tool.finished', data: { ...denied(content), isUnattended: true } };
  }
  const said = reason === null ? '' : ` They said: ${reason}`;
  const content =
    outcome === 'declined'
      ? `The user does not want to answer this.${said}`
      : 'Nobody answered in time. The user did not refuse; they may not be there.';
  return { type: 'tool.finished', data: denied(withRemarks(call, content)) };
}
