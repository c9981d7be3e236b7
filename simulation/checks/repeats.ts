/**
 * The loop check, said once more beside the engine. Where calls run side by side nobody can tell what the engine knew as
 * it judged; then only what holds either way is held against it.
 */
import { canonicalJson } from '@pawl/engine/core';
import type { DurableEvent, EventData, ToolEffect } from '@pawl/protocol';
import { kindOf, paths } from '../world/kinds.ts';
import { isWrongInItself } from './answers.ts';
import type { Book, CallBook } from './book.ts';
import type { Violate } from './invariants.ts';

const window = 20;

type Done = {
  key: string;
  result: string;
  isOk: boolean;
  effect: ToolEffect | null;
  digest: string | null;
  step: number;
};
type Known = { done: Done[]; step: number; before: Map<string, string>; isTrimmed: boolean };

export type RepeatsWorld = {
  /** Digest of a file as it stands now. */
  digestOf(path: string): string;
  /** Whether that is what the engine finds where it looks at the file itself. */
  hasTrueDigests: boolean;
  isPolling(tool: string): boolean;
};

const known = new WeakMap<Book, Known>();

/** `isCopied`: the event comes from another session, where it was looked at. */
export function checkRepeats(
  book: Book,
  event: DurableEvent,
  world: RepeatsWorld,
  violate: Violate,
  isCopied: boolean,
): void {
  const own: Known = known.get(book) ?? { done: [], step: 0, before: new Map(), isTrimmed: false };
  known.set(book, own);
  switch (event.type) {
    case 'turn.started':
      own.done = [];
      own.isTrimmed = false;
      return;
    case 'step.started':
      own.step = event.seq;
      own.before = new Map(paths.map((path) => [path, world.digestOf(path)]));
      return;
    case 'context.trimmed':
    case 'context.compacted':
      // What the model was shown is taken from it again; which of it, the loop check may go by or not.
      own.isTrimmed = true;
      return;
    case 'tool.judged': {
      const call = callOf(book, event.data.call);
      if (call === undefined || isCopied) return;
      const { rule, verdict } = event.data;
      const why =
        rule === 'check loop'
          ? refusedWrongly(own, call, world)
          : verdict === 'deny'
            ? null
            : allowedWrongly(own, call, world);
      if (why !== null) violate('I39 loop', `${book.session} ${event.seq}: ${call.id} ${why}`);
      return;
    }
    case 'tool.finished': {
      const call = callOf(book, event.data.call);
      if (call !== undefined) note(own, call, event.data);
      return;
    }
    default:
  }
}

const callOf = (book: Book, id: string) => book.turn?.calls.find((call) => call.id === id);
const keyOf = ({ tool, input }: Pick<CallBook, 'tool' | 'input'>) => `${tool} ${canonicalJson(input)}`;

function note(own: Known, call: CallBook, { status, content, details }: EventData['tool.finished']): void {
  const rule = call.judgement?.rule ?? '';
  if (call.isExcess || isWrongInItself(call) || rule === 'check loop' || rule === 'check tool') return;
  const digest = (details?.files as { [path: string]: string } | undefined)?.[String(call.input.path)] ?? null;
  own.done.push({
    key: keyOf(call),
    result: `${status} ${content}`,
    isOk: status === 'ok',
    effect: call.judgement?.effect ?? null,
    digest,
    step: own.step,
  });
}

/** Whether something else has succeeded that may have changed something, after this place in the list. */
const isBroken = (list: readonly Done[], key: string, after: number): boolean =>
  list.some((done, place) => place > after && done.isOk && done.effect !== 'read' && done.key !== key);

type Pair = { older: Done; last: Done; place: number };

/** The last two of the same call. */
function pairOf(list: readonly Done[], key: string): Pair | null {
  const places = list.flatMap((done, place) => (done.key === key ? [place] : [])).slice(-2);
  const [place = 0, other = 0] = places;
  const [older, last] = [list[place], list[other]];
  return places.length < 2 || older === undefined || last === undefined ? null : { older, last, place };
}

const isOfThisStep = ({ done, step }: Known, key: string): boolean =>
  done.some((one) => one.key === key && one.step === step);

/** Why a call should not have been refused, or null. */
function refusedWrongly(own: Known, call: CallBook, world: RepeatsWorld): string | null {
  const key = keyOf(call);
  if (isWrongInItself(call)) return 'is wrong in itself, and is told that it repeats itself.';
  if (world.isPolling(call.tool)) return 'polls, and is told that it repeats itself.';
  if (own.isTrimmed || isOfThisStep(own, key)) return null;
  const earlier = own.done.filter(({ step }) => step < own.step);
  const pair = pairOf(earlier, key);
  if (pair === null) return 'is refused, and was not made twice before in this turn.';
  const { older, last, place } = pair;
  if (older.result !== last.result) return 'is refused, and had other results before.';
  if (isBroken(earlier, key, place)) return 'is refused, and something else was changed since.';
  const path = String(call.input.path);
  const isRead = kindOf(call.tool)?.effect === 'read' && kindOf(call.tool)?.hasPath === true;
  const hasChanged = isRead && last.digest !== null && own.before.get(path) !== last.digest;
  return hasChanged ? `is refused, and ${path} has changed since it was read.` : null;
}

/** Why a call should have been refused, or null. */
function allowedWrongly(own: Known, call: CallBook, world: RepeatsWorld): string | null {
  const key = keyOf(call);
  if (world.isPolling(call.tool) || own.isTrimmed || isOfThisStep(own, key)) return null;
  const recent = own.done.slice(-window);
  const pair = pairOf(recent, key);
  if (pair === null || pair.older.result !== pair.last.result || isBroken(recent, key, pair.place)) return null;
  const { older, last } = pair;
  const kind = kindOf(call.tool);
  const now = world.digestOf(String(call.input.path));
  // The engine finds another file there than the one that was reported.
  if (kind?.effect === 'read' && kind.hasPath && !world.hasTrueDigests) return null;
  if (kind?.effect === 'read' && kind.hasPath && (older.digest !== last.digest || last.digest !== now)) return null;
  // What failed may have failed for what the session did not know then.
  if (kind?.hasPath === true && !last.isOk) return null;
  return `may run, and is made for the third time with the result "${last.result}".`;
}
