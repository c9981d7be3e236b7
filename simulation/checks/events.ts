/** Holds every event that becomes durable against the rules, one after another. */
import type { State } from '@pawl/engine/core';
import type { DurableEvent } from '@pawl/protocol';
import type { Owner } from '../world/scheduler.ts';
import { checkAsking, checkEnding, isExcess, noteAnswer, noteFailure } from './answers.ts';
import type { Book, CallBook } from './book.ts';
import { noTrouble } from './book.ts';
import { checkCall, noteLeave } from './calls.ts';
import { checkCompaction, checkEnd, noteSaid } from './compaction.ts';
import { checkDemand } from './demands.ts';
import type { Violate } from './invariants.ts';
import { checkLoop } from './loops.ts';
import { checkAsked, checkQuestion } from './questions.ts';
import { checkRepeats, type RepeatsWorld } from './repeats.ts';

/** One record, as `owner` wrote it. `fold` takes each event into the book's state after it was checked. */
export function checkRecord(
  book: Book,
  events: readonly DurableEvent[],
  owner: Owner,
  violate: Violate,
  fold: (state: State, event: DurableEvent) => State,
  repeats: RepeatsWorld,
): void {
  const isTakingOver = events.some((event) => event.type === 'session.opened') || book.driver === null;
  if (isTakingOver) book.driver = owner;
  if (book.driver !== owner) {
    violate('I1 sequence', `${owner.name} wrote to ${book.session}, which ${book.driver?.name} drives.`);
  }
  book.records += 1;
  const isCopied = events.some(({ type }) => type === 'session.forked');
  for (const event of events) {
    const before = book.events.at(-1)?.seq ?? 0;
    if (event.seq !== before + 1) violate('I1 sequence', `${book.session}: event ${event.seq} follows ${before}.`);
    book.events.push(event);
    checkDemand(book, event, violate);
    checkLoop(book, event, violate);
    checkRepeats(book, event, repeats, violate, isCopied);
    checkEvent(book, event, violate);
    fold(book.state, event);
  }
}

function checkEvent(book: Book, event: DurableEvent, violate: Violate): void {
  noteCommand(book, event, violate);
  noteSaid(book, event);
  const place = `${book.session} ${event.seq} ${event.type}`;
  const wrong = (invariant: Parameters<Violate>[0], why: string) => violate(invariant, `${place}: ${why}`);
  switch (event.type) {
    case 'session.opened':
      book.tenure = event.seq;
      if (book.driver !== null) book.tenures.set(book.driver, event.seq);
      book.bodies = new Set();
      for (const call of book.turn?.calls ?? []) if (call.isStarted) noteLeave(book, call);
      return;
    case 'session.created':
    case 'session.configured':
    case 'session.paused':
    case 'session.resumed':
    case 'session.renamed':
    case 'session.archived':
    case 'session.unarchived':
    case 'stage.declared':
    case 'todo.updated':
    case 'note.set':
    case 'tools.offered':
    case 'files.reverted':
    case 'context.gathered':
    case 'plan.written':
    case 'plan.accepted':
    case 'review.requested':
    // Looked at by checkers of their own.
    case 'result.checked':
    case 'loop.changed':
    case 'loop.verified':
    case 'mail.sent':
    case 'mail.delayed':
    case 'mail.delivered':
    case 'mail.failed':
    case 'mail.received':
    case 'mail.acknowledged':
    case 'task.requested':
    case 'task.joined':
    case 'task.started':
    case 'task.changed':
    case 'task.sent':
    case 'task.delivered':
    case 'task.reopened':
    case 'task.cancelled':
    case 'task.ended':
    case 'task.assigned':
    case 'task.nudged':
    case 'task.finished':
      return;
    case 'session.forked': {
      // What ran there is closed as unknown here, and commands and queue stay behind.
      book.commands.clear();
      for (const [id, input] of book.inputs) if (input.state === 'queued') book.inputs.delete(id);
      book.compaction = null;
      if (book.turn !== null) book.turn.cancelSeq ??= event.seq;
      return;
    }
    case 'timer.fired': {
      const { durationMs } = book.state.settings.limits;
      const ranForMs = event.at - (book.state.turn?.startedAt ?? 0);
      if (!event.data.timer.startsWith('timer:turn:')) return;
      if (event.data.timer.endsWith(`:${durationMs}`)) noteOver(book, `t${book.turn?.number}`, event.seq);
      // The clocks of two machines may be this far apart.
      if (durationMs === null || ranForMs < durationMs - 100) wrong('I10 turn', `its time was not up.`);
      return;
    }
    case 'rule.added':
    case 'rule.removed':
    case 'review.resolved':
      if (event.by.kind !== 'human') wrong('I6 approval', `by ${event.by.kind} ${event.by.id}.`);
      return;
    case 'input.queued': {
      const { input, content } = event.data;
      if (book.inputs.has(input)) wrong('I9 input', `input ${input} was queued before.`);
      const { delivery } = event.data;
      const isSent = delivery !== 'context';
      const isUrgent = delivery === 'context' || delivery === 'steer';
      book.inputs.set(input, { id: input, content, state: 'queued', isSent, isUrgent, isCommitted: false });
      return;
    }
    case 'input.edited':
    case 'input.removed': {
      const input = book.inputs.get(event.data.input);
      if (input?.state !== 'queued') wrong('I9 input', `input ${event.data.input} is not queued.`);
      if (event.by.command === undefined) wrong('I9 input', `nobody asked for it.`);
      if (input === undefined) return;
      if (event.type === 'input.edited') input.content = event.data.content;
      else input.state = 'removed';
      return;
    }
    case 'message.added':
      checkMessage(book, event, wrong);
      return;
    case 'history.repaired':
      for (const repair of event.data.repairs) {
        if (repair.op !== 'drop_message') wrong('I8 request', `the history needed ${repair.op}.`);
        else book.history = book.history.filter((message) => message.id !== repair.message);
      }
      book.signedFrom = book.history.length;
      return;
    case 'context.trimmed':
    case 'context.removed':
    case 'context.compacted':
    case 'compaction.started':
    case 'compaction.summarised':
    case 'compaction.failed':
    case 'compaction.cancelled':
      checkCompaction(book, event, wrong);
      return;
    case 'model.failed':
      if (book.turn?.number !== event.data.turn) wrong('I10 turn', `its turn is not open.`);
      noteFailure(book, event.data);
      return;
    case 'turn.started':
    case 'step.started':
    case 'turn.ended':
    case 'cancel.requested':
      checkTurn(book, event, wrong);
      return;
    case 'tool.judged':
    case 'tool.deferred':
    case 'tool.outdated':
    case 'tool.started':
    case 'tool.finished':
    case 'approval.requested':
    case 'approval.resolved':
    case 'question.asked':
    case 'question.answered': {
      const call = book.turn?.calls.find((other) => other.id === event.data.call);
      if (call === undefined || book.turn === null) wrong('I2 result', `there is no open call ${event.data.call}.`);
      else if (event.type === 'question.asked' || event.type === 'question.answered') {
        checkQuestion(book, book.turn, call, event, wrong);
      } else {
        if (event.type === 'tool.started' || event.type === 'tool.finished') checkAsked(call, event, wrong);
        checkCall(book, book.turn, call, event, wrong);
      }
      return;
    }
    default:
      event satisfies never;
  }
}

type Wrong = Violate;

/** From this event on nothing of a turn, or of a step, is asked for early. */
function noteOver(book: Book, place: string, seq: number): void {
  if (!book.over.has(place)) book.over.set(place, seq);
}
type EventOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>;

function noteCommand(book: Book, { seq, by }: DurableEvent, violate: Violate): void {
  if (by.command === undefined) return;
  const digest = by.digest ?? '';
  const before = book.commands.get(by.command);
  if (before !== undefined && (before.record !== book.records || before.digest !== digest)) {
    violate('I14 command', `${book.session} ${seq}: command ${by.command} counted before, at ${before.seq}.`);
  }
  book.commands.set(by.command, { record: book.records, seq, digest, by });
}

function checkMessage(book: Book, event: EventOf<'message.added'>, wrong: Wrong): void {
  const { message } = event.data;
  book.history.push({ ...message, id: `m${event.seq}` });
  if (message.role === 'user') {
    if (message.input === undefined) return;
    const input = book.inputs.get(message.input);
    if (message.source === 'context' && input?.isSent === true && !input.isCommitted) {
      wrong('I9 input', `input ${message.input} became context, and nobody asked for that.`);
    }
    if (input?.state !== 'queued') wrong('I9 input', `input ${message.input} is ${input?.state ?? 'unknown'}.`);
    else if (JSON.stringify(input.content) !== JSON.stringify(message.content)) {
      wrong('I9 input', `input ${message.input} was taken with other content than it last had.`);
    }
    if (input !== undefined) input.state = 'taken';
    return;
  }
  const turn = book.turn;
  if (turn === null) {
    wrong('I10 turn', 'an answer without a turn.');
    return;
  }
  if (turn.calls.some((call) => !call.isFinished)) wrong('I2 result', 'calls of the step before are still open.');
  const parts = message.content.filter((part) => part.type === 'tool_call');
  turn.calls = parts.map((part, index) => createCall(part, turn.number, isExcess(book, index, parts.length)));
  noteAnswer(book, message);
  for (const call of turn.calls) {
    if (book.calls.has(call.id)) wrong('I2 result', `call ${call.id} was made before.`);
    book.calls.set(call.id, call);
  }
}

type Asked = Pick<CallBook, 'id' | 'tool' | 'input'> & { malformed?: string | undefined };

function createCall({ id, tool, input, malformed }: Asked, turn: number, isTooMany: boolean): CallBook {
  return {
    id,
    tool,
    turn,
    input,
    isExcess: isTooMany,
    isNoJson: malformed !== undefined,
    judgement: null,
    isApproved: false,
    isRefused: false,
    hasOpenQuestion: false,
    isStarted: false,
    startedBy: null,
    mayBeginOn: new Set(),
    isFinished: false,
    result: null,
    hasDeed: false,
  };
}

function checkTurn(
  book: Book,
  event: EventOf<'turn.started' | 'step.started' | 'turn.ended' | 'cancel.requested'>,
  wrong: Wrong,
): void {
  const turn = book.turn;
  if (event.type === 'turn.started') {
    if (turn !== null) wrong('I10 turn', `turn ${turn.number} is open.`);
    if (event.data.turn !== book.turns + 1) wrong('I10 turn', `turn ${book.turns} was the last.`);
    book.turns = event.data.turn;
    book.turn = { number: event.data.turn, step: 0, cancelSeq: null, calls: [] };
    book.trouble = noTrouble();
    return;
  }
  if (turn === null || turn.number !== event.data.turn) {
    wrong('I10 turn', `turn ${event.data.turn} is not open.`);
    return;
  }
  switch (event.type) {
    case 'step.started':
      if (event.data.step !== turn.step + 1) wrong('I10 turn', `step ${turn.step} was the last.`);
      if (event.data.step > book.state.settings.limits.steps) wrong('I10 turn', 'a step beyond the limit.');
      if (turn.calls.some((call) => !call.isFinished)) wrong('I10 turn', 'calls of the step before are open.');
      if (turn.cancelSeq !== null) wrong('I5 cancel', 'a step after the cancel.');
      for (const input of book.inputs.values()) {
        if (input.isUrgent && input.state === 'queued') wrong('I9 input', `input ${input.id} should have come first.`);
      }
      checkAsking(book, wrong);
      noteOver(book, `t${turn.number}_s${turn.step}`, event.seq);
      turn.step = event.data.step;
      turn.calls = [];
      return;
    case 'cancel.requested':
      if (turn.cancelSeq !== null) wrong('I5 cancel', 'cancelled before.');
      turn.cancelSeq = event.seq;
      noteOver(book, `t${turn.number}`, event.seq);
      if (event.data.queue === 'commit') for (const input of book.inputs.values()) input.isCommitted = true;
      return;
    case 'turn.ended':
      if (turn.calls.some((call) => !call.isFinished)) wrong('I10 turn', 'it has open calls.');
      if (turn.cancelSeq !== null && event.data.outcome !== 'cancelled') {
        wrong('I5 cancel', `a cancelled turn ended as ${event.data.outcome}.`);
      }
      if (event.data.message === '') wrong('I10 turn', 'it ended without a sentence.');
      checkEnding(book, event.data, wrong);
      checkEnd(book, wrong);
      noteOver(book, `t${turn.number}`, event.seq);
      book.turn = null;
      return;
    default:
      event satisfies never;
  }
}
