/** What tools do to the simulated world, held against what the log allowed. */
import type { State } from '@pawl/engine/core';
import { kindOf } from '../world/kinds.ts';
import type { Owner } from '../world/scheduler.ts';
import type { Body, Book, CallBook } from './book.ts';
import { checkEarlyBegin } from './early.ts';
import type { Violate } from './invariants.ts';

export type BodyWorld = {
  violate: Violate;
  book(session: string): Book;
  /** The state that a machine has of a session. */
  live(session: string, owner: Owner): Readonly<State> | undefined;
};

type Beginning = Pick<Body, 'tool' | 'input' | 'basis' | 'owner' | 'signal'> & { id: string };

/** A body begins on a machine. Null if it should not have, and does nothing then. */
export function beginBody(book: Book, { id, ...begun }: Beginning, world: BodyWorld): Body | null {
  const { owner } = begun;
  const live = world.live(book.session, owner);
  const isEarly = live?.turn?.phase === 'model';
  const tenure = book.tenures.get(owner) ?? 1;
  const body: Body = { run: book.runs.size + 1, call: id, ...begun, isEarly, tenure, isVoid: false, isUsed: false };
  book.runs.set(body.run, body);
  if (isEarly) {
    checkEarlyBegin(book, body, live, world.violate);
    book.early.add(body);
    return body;
  }
  return mayBegin(book, body, world.violate) ? body : null;
}

/** Its intent must be durable, and nothing that conflicts may run there. */
function mayBegin(book: Book, { call: id, owner }: Body, violate: Violate): boolean {
  const call = book.calls.get(id);
  // Who lost the session does not know what was decided since; what it had the right to begin it may.
  if (call?.mayBeginOn.has(owner) === true && owner !== book.driver) return true;
  if (call === undefined || !call.isStarted) {
    violate('I3 intent', `${book.session}: the body of ${id} began on ${owner.name} without an intent in the log.`);
    return false;
  }
  if (call.isFinished) violate('I2 result', `${book.session}: the body of ${id} began after its result.`);
  const known = book.acknowledged.get(owner) ?? 0;
  const cancelSeq = book.turn?.cancelSeq ?? null;
  if (cancelSeq !== null && cancelSeq <= known) {
    violate('I5 cancel', `${book.session}: the body of ${id} began although its turn was known to be cancelled.`);
  }
  for (const other of [...book.bodies, ...readEarly(book, owner)]) {
    if (!other.isFinished && isConflict(call, other)) {
      violate('I16 parallel', `${book.session}: ${id} and ${other.id} ran at the same time.`);
    }
  }
  book.bodies.add(call);
  return true;
}

/** Calls that were begun early on this machine, run still, and are in the log as started now. */
function readEarly(book: Book, owner: Owner): CallBook[] {
  return [...book.early].flatMap((body) => {
    const call = book.calls.get(body.call);
    const isAsked = call?.tool === body.tool && JSON.stringify(call.input) === JSON.stringify(body.input);
    const isLive = body.owner === owner && body.tenure === book.tenure && !body.signal.aborted;
    return call?.isStarted && isAsked && isLive ? [call] : [];
  });
}

export function endBody(book: Book, body: Body): void {
  book.early.delete(body);
  const call = book.calls.get(body.call);
  if (call !== undefined && !body.isEarly) book.bodies.delete(call);
}

/** The tool touches the world, for this call. */
export function checkDeed(book: Book, { call: id, isEarly, owner }: Body, { violate }: BodyWorld): void {
  const call = book.calls.get(id);
  if (isEarly || call === undefined) return;
  const deed = book.deeds.get(id) ?? { count: 0, notDone: 0 };
  deed.count += 1;
  book.deeds.set(id, deed);
  call.hasDeed = true;
  const effect = kindOf(call.tool)?.effect;
  if (effect === 'read' || effect === 'idempotent') return;
  if (deed.count > 1 + deed.notDone) {
    violate('I4 once', `${book.session}: ${id} (${effect}) was done ${deed.count} times, last on ${owner.name}.`);
  }
}

/** Whether a call has done what it was to do. */
export function isDone(book: Book, id: string): boolean {
  return (book.deeds.get(id)?.count ?? 0) > 0;
}

/** The tool answered that a call was not done, which gives leave to do it. */
export function noteNotDone(book: Book, id: string): void {
  const deed = book.deeds.get(id) ?? { count: 0, notDone: 0 };
  deed.notDone += 1;
  book.deeds.set(id, deed);
}

function isConflict(left: CallBook, right: CallBook): boolean {
  const [a, b] = [left.judgement, right.judgement];
  if (a === null || b === null) return true;
  if (a.effect === 'read' && b.effect === 'read') return false;
  if (a.effect === 'external' || b.effect === 'external') return true;
  if (a.paths.length === 0 || b.paths.length === 0) return true;
  return a.paths.some((path) => b.paths.includes(path));
}
