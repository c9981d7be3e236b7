/** Bodies that begin while an answer streams: when they may, when they have to stop, and what may come of them. */

import type { State } from '@pawl/engine/core';
import { canonicalJson } from '@pawl/engine/core';
import type { EventData } from '@pawl/protocol';
import { kindOf } from '../world/kinds.ts';
import { verdictOn } from '../world/policy.ts';
import type { Owner } from '../world/scheduler.ts';
import type { Body, Book, CallBook, TurnBook } from './book.ts';
import type { Violate } from './invariants.ts';

/** Early bodies of one session that may run at the same time. */
const maxAtOnce = 4;

/** A body begins while its machine waits for an answer. */
export function checkEarlyBegin(book: Book, body: Body, live: Readonly<State>, violate: Violate): void {
  const { call, tool, input, owner } = body;
  const wrong = (why: string) => violate('I18 early', `${book.session}: ${call} (${tool}) began early, and ${why}.`);
  const effect = kindOf(tool)?.effect;
  if (effect !== 'read') wrong(`it is of effect ${effect}`);
  // What has been decided counts from then on, though it is not written yet.
  const verdict = verdictOn(live.settings, tool, input);
  if (verdict !== 'allow') wrong(`the verdict at that moment is ${verdict}`);
  const step = `t${live.turn?.number}_s${live.turn?.step}`;
  if (stepOf(call) !== step) wrong(`the answer that streams is that of ${step}`);
  if (isOver(book, call, owner)) wrong('its turn was known to be over');
  // What did not stop when it was told to is left behind, and nobody's.
  const atWork = [...book.early].filter(
    (other) => other.owner === owner && other.tenure === body.tenure && !other.signal.aborted,
  );
  if (atWork.length >= maxAtOnce) wrong(`${atWork.length} are at work already`);
}

/** Whoever knows that an early body is not asked for any more must have told it to stop. */
export function checkEarlyStops(book: Book, violate: Violate): void {
  for (const { call, owner, signal, isVoid } of book.early) {
    if (owner.isDead || owner.isAsleep || signal.aborted) continue;
    if (isVoid) violate('I18 early', `${book.session}: ${call} goes on although its answer was withdrawn.`);
    if (isOver(book, call, owner)) violate('I18 early', `${book.session}: ${call} goes on although its turn is over.`);
  }
}

/** The stream on this machine is void, with all that was begun for it. */
export function withdraw(book: Book, owner: Owner): void {
  for (const body of book.runs.values()) if (body.isEarly && body.owner === owner) body.isVoid = true;
}

/** A result names the run it came from: it must be one for this call as it stands now, and come from it once. */
export function checkRun(
  book: Book,
  turn: TurnBook,
  call: CallBook,
  { details }: EventData['tool.finished'],
  wrong: Violate,
): void {
  const body = typeof details?.run === 'number' ? book.runs.get(details.run) : undefined;
  if (body === undefined) return;
  if (body.isUsed) wrong('I19 held', `call ${call.id} has the outcome of a run that was logged before.`);
  body.isUsed = true;
  if (body.call !== call.id) wrong('I19 held', `call ${call.id} has the outcome of ${body.call}.`);
  if (body.tool !== call.tool || canonicalJson(body.input) !== canonicalJson(call.input)) {
    wrong('I19 held', `call ${call.id} has the outcome of other arguments: ${canonicalJson(body.input)}.`);
  }
  if (!body.isEarly) return;
  if (body.isVoid) wrong('I19 held', `call ${call.id} has an outcome from an answer that was withdrawn.`);
  if (call.judgement?.verdict !== 'allow') {
    wrong('I19 held', `call ${call.id} has an early outcome, and its verdict is ${call.judgement?.verdict}.`);
  }
  if ((call.judgement?.basis ?? null) !== body.basis) {
    wrong('I19 held', `call ${call.id} was judged on ${call.judgement?.basis}, and read early on ${body.basis}.`);
  }
  const change = turn.calls
    .slice(0, turn.calls.indexOf(call))
    .find((other) => other.hasDeed && kindOf(other.tool)?.effect !== 'read');
  if (change !== undefined) wrong('I19 held', `call ${call.id} was read before ${change.id} changed something.`);
}

const stepOf = (call: string): string => call.slice(0, call.lastIndexOf('_'));

/** Whether a machine knows that nothing asks for an early call of this name any more. */
function isOver(book: Book, call: string, owner: Owner): boolean {
  const known = book.acknowledged.get(owner) ?? 0;
  const step = stepOf(call);
  const turn = step.slice(0, step.indexOf('_'));
  return [turn, step].some((place) => (book.over.get(place) ?? Number.POSITIVE_INFINITY) <= known);
}
