/** What a compaction does to a history: when, to what, and what it must not lose. */
import type { ModelRequest } from '@pawl/engine';
import type { DurableEvent, EventData, Message, UserPart } from '@pawl/protocol';
import { textOf, todoLine } from '@pawl/protocol';
import type { Book } from './book.ts';
import type { Violate } from './invariants.ts';

type CompactionEvent = Extract<
  DurableEvent,
  { type: `compaction.${string}` | 'context.trimmed' | 'context.removed' | 'context.compacted' }
>;

/** One that is under way, as the log tells it. */
export type CompactionBook = {
  number: number;
  through: string;
  /** The history that is summarised, as it was when it began. */
  ground: string;
  isReady: boolean;
};

const textOfHistory = (messages: readonly Message[]) => JSON.stringify(messages);

export function checkCompaction(book: Book, event: CompactionEvent, wrong: Violate): void {
  const open = book.compaction;
  if (event.type === 'context.trimmed') {
    for (const { message: id, call } of event.data.results) trim(book, id, call, wrong);
    book.signedFrom = book.history.length;
    return;
  }
  if (event.type === 'context.removed') {
    for (const part of event.data.parts) remove(book, part, wrong);
    book.signedFrom = book.history.length;
    return;
  }
  const { compaction: number } = event.data;
  if (event.type === 'compaction.started') {
    const place = book.history.findIndex(({ id }) => id === event.data.through);
    if (open !== null) wrong('I22 compaction', `compaction ${open.number} is under way.`);
    if (number !== book.compactions + 1) wrong('I22 compaction', `${book.compactions} was the last.`);
    if (place < 0) wrong('I22 compaction', `there is no message ${event.data.through}.`);
    if (place === book.history.length - 1) wrong('I22 compaction', 'it takes what is to be answered next.');
    book.compactions = number;
    const ground = textOfHistory(book.history.slice(0, place + 1));
    book.compaction = { number, through: event.data.through, ground, isReady: false };
    return;
  }
  if (open?.number !== number) {
    wrong('I22 compaction', `compaction ${number} is not under way.`);
    return;
  }
  switch (event.type) {
    case 'compaction.summarised':
      if (open.isReady) wrong('I22 compaction', 'it was summarised before.');
      if (book.turn?.cancelSeq != null) wrong('I23 cancel', 'its turn was cancelled.');
      open.isReady = true;
      return;
    case 'compaction.failed':
      if (open.isReady) wrong('I22 compaction', 'it was summarised before.');
      book.compaction = null;
      return;
    case 'compaction.cancelled':
      book.compaction = null;
      return;
    case 'context.compacted':
      apply(book, open, event, wrong);
      return;
    default:
      event satisfies never;
  }
}

function trim(book: Book, id: string, call: string, wrong: Violate): void {
  const place = book.history.findIndex((message) => message.id === id);
  const message = book.history[place];
  const result = message?.role === 'tool' ? message.results.find((one) => one.call === call) : undefined;
  if (result === undefined) wrong('I22 compaction', `there is no result of ${call} in ${id}.`);
  if (place >= book.history.length - 12) wrong('I22 compaction', `${id} is one of the latest messages.`);
  if (book.trimmed.has(`${id} ${call}`)) wrong('I22 compaction', `${call} was trimmed before.`);
  book.trimmed.add(`${id} ${call}`);
}

/** What stands in the place of content is in the event, and everything else stays as it was. */
function remove(
  book: Book,
  { message: id, call, part, text }: EventData['context.removed']['parts'][number],
  wrong: Violate,
): void {
  const place = book.history.findIndex((message) => message.id === id);
  const message = book.history[place];
  if (message?.role === 'user' && part !== undefined && message.content[part] !== undefined) {
    book.history[place] = { ...message, content: message.content.with(part, { type: 'text', text }) };
  } else if (message?.role === 'tool' && message.results.some((result) => result.call === call)) {
    const results = message.results.map(({ files, ...result }) =>
      result.call === call ? { ...result, content: text } : { ...result, ...(files !== undefined && { files }) },
    );
    book.history[place] = { ...message, results };
    book.trimmed.delete(`${id} ${call}`);
  } else wrong('I22 compaction', `there is no such content in ${id}.`);
}

function apply(
  book: Book,
  open: CompactionBook,
  event: DurableEvent & { type: 'context.compacted' },
  wrong: Violate,
): void {
  const { content, through } = event.data;
  const place = book.history.findIndex(({ id }) => id === through);
  const ground = textOfHistory(book.history.slice(0, place + 1));
  if (!open.isReady) wrong('I22 compaction', 'nothing was summarised.');
  if (ground !== open.ground) wrong('I22 compaction', 'the history under it is another one.');
  if (book.turn?.calls.some((call) => !call.isFinished)) wrong('I22 compaction', 'calls are open.');
  if (book.state.turn?.phase === 'model') wrong('I22 compaction', 'the model is being called.');
  for (const text of [...book.corrections, ...(book.task === null ? [] : [book.task])]) {
    const isKept = content.includes(text.replaceAll('\n', '\n  ')) || content.includes(text);
    if (!isKept) wrong('I20 memory', `it has lost "${text}".`);
  }
  for (const todo of book.state.todos.items) {
    if (todo.status !== 'completed' && !content.includes(todoLine(todo)))
      wrong('I20 memory', `it has lost "${todo.text}".`);
  }
  const first: Book['history'][number] = {
    role: 'user',
    id: `m${event.seq}`,
    source: 'engine',
    content: [{ type: 'text', text: content }],
  };
  book.history = [first, ...book.history.slice(place + 1)];
  book.signedFrom = book.history.length;
  book.compaction = null;
  if (book.trouble.cuts >= 3) book.trouble.hasCompacted = true;
}

const wordsOf = (content: readonly UserPart[]) => textOf(content.filter(({ type }) => type === 'text')).trim();

/** What must never be lost, by the log alone. */
export function noteSaid(book: Book, event: DurableEvent): void {
  switch (event.type) {
    case 'input.queued': {
      const { delivery, isFeedback, input } = event.data;
      const isSteering = delivery === 'steer' || delivery === 'interrupt' || isFeedback === true;
      if (isSteering && !book.mails.has(input)) book.steering.add(input);
      return;
    }
    case 'mail.received':
      book.mails.add(event.data.mail);
      return;
    case 'message.added': {
      const { message } = event.data;
      if (message.role !== 'user' || message.input === undefined) return;
      const text = wordsOf(message.content);
      const isTask = book.task === null && message.source === 'input';
      if (isTask) book.task = text;
      else if (book.steering.has(message.input) && text !== '') book.corrections.add(text);
      return;
    }
    case 'approval.resolved':
    case 'review.resolved': {
      const { decision, reason } = event.data;
      if ((decision === 'deny' || decision === 'reject') && reason !== undefined) book.corrections.add(reason);
      return;
    }
    default:
  }
}

/** What is sent begins with what somebody said, and what it is about is in it. */
export function checkWindow(book: Book, { messages }: ModelRequest, violate: Violate): void {
  const [first] = messages;
  if (first?.role !== 'user')
    violate('I21 window', `${book.session}: the window begins with a ${first?.role} message.`);
  const said = JSON.stringify(messages);
  const lost = [...book.corrections].find((text) => !said.includes(JSON.stringify(text).slice(1, -1)));
  if (lost !== undefined) violate('I20 memory', `${book.session}: the window has lost "${lost}".`);
}

/** The history was repaired under it, so it must not take its place. */
export function checkEnd(book: Book, wrong: Violate): void {
  if (book.compaction !== null && book.turn?.cancelSeq != null) {
    wrong('I23 cancel', `compaction ${book.compaction.number} outlives its turn, which was cancelled.`);
  }
}
