/** Questions to people: asked once for a call that was judged to ask them, answered once, and before the call begins. */
import type { DurableEvent } from '@pawl/protocol';
import type { Book, CallBook, TurnBook } from './book.ts';
import type { Violate } from './invariants.ts';

type EventOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>;

/** What became of a call's questions; those of another judgement are others. */
type Asked = { questions: string; isOpen: boolean; isAnswered: boolean };
const asked = new WeakMap<CallBook, Asked>();

const questionsOf = ({ judgement }: CallBook): string => JSON.stringify(judgement?.questions ?? []);

/** Whether somebody could answer it now. */
export const isQuestioned = (call: CallBook): boolean => asked.get(call)?.isOpen === true;

export function checkQuestion(
  book: Book,
  turn: TurnBook,
  call: CallBook,
  event: EventOf<'question.asked' | 'question.answered'>,
  wrong: Violate,
): void {
  const known = asked.get(call);
  if (call.isStarted || call.isFinished) wrong('I6 approval', `call ${call.id} has begun already.`);
  if (event.type === 'question.asked') {
    if (JSON.stringify(event.data.questions) !== questionsOf(call))
      wrong('I6 approval', 'other questions than judged.');
    if (known?.isOpen === true) wrong('I6 approval', `call ${call.id} asks already.`);
    if (known?.isAnswered === true && known.questions === questionsOf(call)) {
      wrong('I6 approval', `call ${call.id} was answered already.`);
    }
    if (!book.state.settings.isAttended) wrong('I6 approval', 'nobody is there to answer.');
    if (turn.cancelSeq !== null) wrong('I5 cancel', `call ${call.id} asks after the cancel.`);
    asked.set(call, { questions: questionsOf(call), isOpen: true, isAnswered: false });
    return;
  }
  const { outcome, answers } = event.data;
  const isPerson = outcome === 'answered' || outcome === 'declined';
  if (event.by.kind !== (isPerson ? 'human' : 'engine')) {
    wrong('I6 approval', `${outcome} came from ${event.by.kind} ${event.by.id}.`);
  }
  if (known?.isOpen !== true && outcome !== 'unattended') wrong('I6 approval', `nothing was asked by ${call.id}.`);
  if (outcome === 'unattended' && book.state.settings.isAttended)
    wrong('I6 approval', 'somebody was there to be asked.');
  if (isPerson && turn.cancelSeq !== null) wrong('I5 cancel', `call ${call.id} was answered after the cancel.`);
  asked.set(call, { questions: questionsOf(call), isOpen: false, isAnswered: answers !== undefined });
  if (answers === undefined) call.isRefused = true;
}

/** A call begins with an answer to what it asks, and ends with nothing open. */
export function checkAsked(call: CallBook, event: EventOf<'tool.started' | 'tool.finished'>, wrong: Violate): void {
  const known = asked.get(call);
  if (event.type === 'tool.finished') {
    if (known?.isOpen === true) wrong('I6 approval', `the questions of ${call.id} are still open.`);
    return;
  }
  const isOwed = (call.judgement?.questions ?? []).length > 0;
  const isAnswered = known?.isAnswered === true && known.questions === questionsOf(call);
  if (isOwed && !isAnswered) wrong('I7 refusal', `call ${call.id} was started without the answer to what it asks.`);
}
