/** What tools do to the simulated world, held against what the log allowed. */
import type { Book, CallBook } from './book.ts';
import type { Violate } from './invariants.ts';
import type { Owner } from './scheduler.ts';

/** A body begins on a machine: its intent must be durable, and nothing that conflicts may run there. */
export function checkBegin(book: Book, id: string, owner: Owner, violate: Violate): CallBook | null {
  const call = book.calls.get(id);
  // Who lost the session does not know what was decided since; what it had the right to begin it may.
  if (call?.mayBeginOn.has(owner) === true && owner !== book.driver) return call;
  if (call === undefined || !call.isStarted) {
    violate('I3 intent', `${book.session}: the body of ${id} began on ${owner.name} without an intent in the log.`);
    return null;
  }
  if (call.isFinished) violate('I2 result', `${book.session}: the body of ${id} began after its result.`);
  const known = book.acknowledged.get(owner) ?? 0;
  const cancelSeq = book.turn?.cancelSeq ?? null;
  if (cancelSeq !== null && cancelSeq <= known) {
    violate('I5 cancel', `${book.session}: the body of ${id} began although its turn was known to be cancelled.`);
  }
  for (const other of book.bodies) {
    if (!other.isFinished && isConflict(call, other)) {
      violate('I16 parallel', `${book.session}: ${id} and ${other.id} ran at the same time.`);
    }
  }
  book.bodies.add(call);
  return call;
}

export function endBody(book: Book, call: CallBook): void {
  book.bodies.delete(call);
}

/** The tool touches the world, for this call. */
export function checkDeed(book: Book, call: CallBook, owner: Owner, violate: Violate): void {
  const deed = book.deeds.get(call.id) ?? { count: 0, notDone: 0 };
  deed.count += 1;
  book.deeds.set(call.id, deed);
  call.hasDeed = true;
  const effect = call.judgement?.effect;
  if (effect === 'read' || effect === 'idempotent') return;
  if (deed.count > 1 + deed.notDone) {
    violate('I4 once', `${book.session}: ${call.id} (${effect}) was done ${deed.count} times, last on ${owner.name}.`);
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
