/** Turns with a target, by the log alone: how often their agent may rest, and when they may end well. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import type { Book } from './book.ts';
import type { Violate } from './invariants.ts';

const maxFruitless = 3;

type LoopBook = {
  maxIterations: number;
  verify: string | null;
  status: EventData['loop.changed']['status'];
  iteration: number;
  /** Rounds before this one, in a row, in which nothing was changed; and whether something was in this one. */
  fruitless: number;
  hasProgressed: boolean;
  /** An end was put forward that nothing stood in the way of. */
  isProposed: boolean;
  isAssessed: boolean;
  isVerified: boolean;
};

type Known = { todos: EventData['todo.updated']['todos']; loop: LoopBook | null };
const known = new WeakMap<Book, Known>();

/** Told each event before it is folded. */
export function checkLoop(book: Book, event: DurableEvent, violate: Violate): void {
  const own = known.get(book) ?? { todos: [], loop: null };
  known.set(book, own);
  const wrong: Violate = (invariant, why) => violate(invariant, `${book.session} ${event.seq} ${event.type}: ${why}`);
  const { loop } = own;
  switch (event.type) {
    case 'todo.updated':
      if (loop !== null && JSON.stringify(own.todos) !== JSON.stringify(event.data.todos)) loop.hasProgressed = true;
      own.todos = event.data.todos;
      return;
    case 'turn.started':
      own.loop = begun(event.data);
      return;
    case 'tool.finished':
      if (loop !== null) finished(book, own, loop, event.data, wrong);
      return;
    case 'loop.changed':
      if (loop === null) wrong('I37 rounds', 'its turn has no target.');
      else changed(own, loop, event.data, wrong);
      return;
    case 'loop.verified':
      if (loop?.status !== 'verifying' || !loop.isProposed) wrong('I38 verify', 'nobody asked for a check.');
      else if (loop.verify === null) wrong('I38 verify', 'no check was named.');
      else loop.isVerified = event.data.ok;
      if (loop !== null && !event.data.ok) loop.isProposed = false;
      return;
    case 'turn.ended': {
      const { outcome, loop: reached } = event.data;
      if (loop !== null && outcome === 'completed' && loop.status !== 'completed') {
        wrong('I36 target', `it completed while ${loop.status}.`);
      }
      if ((reached === undefined) !== (loop === null)) wrong('I36 target', 'it does not say how far it came.');
      own.loop = null;
      return;
    }
    default:
  }
}

function begun({ target }: EventData['turn.started']): LoopBook | null {
  if (target === undefined) return null;
  return {
    maxIterations: target.maxIterations,
    verify: target.verify ?? null,
    status: 'executing',
    iteration: 1,
    fruitless: 0,
    hasProgressed: false,
    isProposed: false,
    isAssessed: false,
    isVerified: false,
  };
}

const hasOpen = ({ todos }: Known) => todos.some(({ status }) => status !== 'completed');

function finished(book: Book, own: Known, loop: LoopBook, data: EventData['tool.finished'], wrong: Violate): void {
  const calls = book.turn?.calls ?? [];
  const effect = calls.find((call) => call.id === data.call)?.judgement?.effect;
  if (data.status === 'ok' && (effect === 'write' || effect === 'external')) loop.hasProgressed = true;
  if (data.endsTurn === undefined || data.isBlocked === true) return;
  if (calls.length > 1) wrong('I36 target', 'an end counts that came with other calls.');
  if (hasOpen(own)) wrong('I36 target', 'an end counts with something open on the list.');
  loop.isProposed = true;
}

function changed(own: Known, loop: LoopBook, { status, iteration }: EventData['loop.changed'], wrong: Violate): void {
  if (iteration > loop.maxIterations) wrong('I37 rounds', `round ${iteration} of ${loop.maxIterations}.`);
  if (status === 'completed') {
    if (!loop.isProposed) wrong('I36 target', 'nobody said that it is done.');
    if (hasOpen(own)) wrong('I36 target', 'something is open on the list.');
    if (loop.verify === null ? !loop.isAssessed : !loop.isVerified) {
      wrong('I36 target', loop.verify === null ? 'nobody took a second look.' : 'the check did not pass.');
    }
  }
  if (iteration !== loop.iteration) {
    if (iteration !== loop.iteration + 1) wrong('I37 rounds', `round ${loop.iteration} was the last.`);
    loop.fruitless = loop.hasProgressed ? 0 : loop.fruitless + 1;
    if (status === 'executing' && loop.fruitless >= maxFruitless) {
      wrong('I37 rounds', `it goes on after ${loop.fruitless} rounds that changed nothing.`);
    }
    Object.assign(loop, { iteration, hasProgressed: false, isProposed: false, isVerified: false });
    loop.isAssessed = status === 'assessing';
  }
  loop.status = status;
}
