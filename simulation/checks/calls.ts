/** The life of a call, event by event: judged, asked about, started, finished, each once and in this order. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { verdictOn } from '../world/policy.ts';
import { noteResults } from './answers.ts';
import type { Book, CallBook, TurnBook } from './book.ts';
import { checkRun } from './early.ts';
import type { Violate } from './invariants.ts';

type EventOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>;

export type CallEvent = EventOf<
  | 'tool.judged'
  | 'tool.deferred'
  | 'tool.outdated'
  | 'tool.started'
  | 'tool.finished'
  | 'approval.requested'
  | 'approval.resolved'
>;

export function checkCall(book: Book, turn: TurnBook, call: CallBook, event: CallEvent, wrong: Violate): void {
  if (call.isFinished) {
    wrong('I2 result', `call ${call.id} has its result already.`);
    return;
  }
  switch (event.type) {
    case 'tool.judged':
      if (call.isStarted) wrong('I3 intent', `call ${call.id} was started already.`);
      call.judgement = event.data;
      return;
    case 'tool.deferred':
      if (call.isStarted) wrong('I3 intent', `call ${call.id} was started already.`);
      call.judgement = null;
      return;
    case 'tool.outdated':
      if (!call.isStarted) wrong('I3 intent', `call ${call.id} was not started.`);
      if (call.hasDeed) wrong('I4 once', `call ${call.id} did something before it found itself outdated.`);
      call.isStarted = false;
      call.isApproved = false;
      call.judgement = null;
      return;
    case 'approval.requested':
      if (call.judgement?.verdict !== 'ask')
        wrong('I6 approval', `call ${call.id} was judged ${call.judgement?.verdict}.`);
      if (call.hasOpenQuestion) wrong('I6 approval', `call ${call.id} is being asked about.`);
      if (!book.state.settings.isAttended) wrong('I6 approval', 'nobody is there to answer.');
      call.hasOpenQuestion = true;
      return;
    case 'approval.resolved':
      checkAnswer(turn, call, event, wrong);
      return;
    case 'tool.started': {
      const isAllowed = call.judgement?.verdict === 'allow' || (call.judgement?.verdict === 'ask' && call.isApproved);
      if (turn.cancelSeq !== null) wrong('I5 cancel', `call ${call.id} was started after the cancel.`);
      if (call.isStarted) wrong('I2 result', `call ${call.id} was started before.`);
      if (call.isRefused) wrong('I7 refusal', `call ${call.id} was refused.`);
      if (!isAllowed)
        wrong('I7 refusal', `call ${call.id} was judged ${call.judgement?.verdict}, and nobody approved.`);
      checkVerdict(book, call, wrong);
      if (event.data.effect !== call.judgement?.effect) wrong('I3 intent', `another effect than judged.`);
      call.isStarted = true;
      call.startedBy = book.tenure;
      noteLeave(book, call);
      return;
    }
    case 'tool.finished':
      checkRun(book, turn, call, event.data, wrong);
      checkResult(book, call, event.data, wrong);
      book.history = withResults(book, turn, event.seq);
      return;
    default:
      event satisfies never;
  }
}

/** What was judged must hold by the rules and the mode under which the call begins. */
function checkVerdict({ state }: Book, call: CallBook, wrong: Violate): void {
  const verdict = verdictOn(state.settings, call.tool, call.input);
  if (call.isExcess) wrong('I7 refusal', `call ${call.id} is one too many.`);
  if (verdict === 'deny') wrong('I7 refusal', `call ${call.id} was started, and is denied by now.`);
  if (verdict === 'ask' && !call.isApproved) {
    wrong('I7 refusal', `call ${call.id} was started without the approval that it needs by now.`);
  }
}

function checkAnswer(turn: TurnBook, call: CallBook, event: EventOf<'approval.resolved'>, wrong: Violate): void {
  const { decision, input } = event.data;
  if (!call.hasOpenQuestion) wrong('I6 approval', `nothing was asked about ${call.id}.`);
  call.hasOpenQuestion = false;
  const isAnswer = decision === 'allow' || decision === 'deny';
  const expected = isAnswer ? 'human' : 'engine';
  if (event.by.kind !== expected) wrong('I6 approval', `${decision} came from ${event.by.kind} ${event.by.id}.`);
  if (isAnswer && turn.cancelSeq !== null) wrong('I5 cancel', `call ${call.id} was answered after the cancel.`);
  if (decision !== 'allow') {
    call.isRefused = true;
    return;
  }
  call.isApproved = true;
  if (input === undefined) return;
  call.input = input;
  call.judgement = null;
}

function checkResult(
  book: Book,
  call: CallBook,
  { status, content, files, isUnattended }: EventData['tool.finished'],
  wrong: Violate,
): void {
  if (!call.isStarted && (status === 'ok' || status === 'unknown')) {
    wrong('I2 result', `call ${call.id} has the result ${status} and was never started.`);
  }
  if (call.isStarted && status === 'denied') wrong('I2 result', `call ${call.id} was started and then denied.`);
  if (isUnattended === true && book.state.settings.isAttended) wrong('I6 approval', 'somebody was there to be asked.');
  if (call.hasOpenQuestion) wrong('I6 approval', `the question about ${call.id} is still open.`);
  call.isFinished = true;
  call.result = { call: call.id, tool: call.tool, status, content, ...(files !== undefined && { files }) };
}

/** The history, with the results of a step once they are all there. */
function withResults(book: Book, turn: TurnBook, seq: number): Book['history'] {
  if (turn.calls.some((call) => !call.isFinished)) return book.history;
  noteResults(book, turn);
  const results = turn.calls.flatMap((call) => call.result ?? []);
  return [...book.history, { role: 'tool', id: `m${seq}`, results }];
}

/** The driver may now begin the call, or find out about it; it may do so even after it lost the session unawares. */
export function noteLeave(book: Book, call: CallBook): void {
  if (book.driver !== null) call.mayBeginOn.add(book.driver);
}
