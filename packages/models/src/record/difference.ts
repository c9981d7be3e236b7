/** The first place where a request is not the recorded one. */
import { isVolatileField, type Places, withoutVolatile } from './volatile.ts';

/** A request's body, and the folders of the run that it is of. */
export type Sent = { body: string; places: Places };
/** Where, as `messages[2].content`, and an excerpt of what stands there; null for nothing. */
export type Difference = { path: string; was: string | null; is: string | null };

/** Null where both say the same, but for what may differ. */
export function firstDifference(recorded: Sent, now: Sent): Difference | null {
  if (recorded.body === now.body) return null;
  const [was, is] = [parsed(recorded.body), parsed(now.body)];
  return compare(was, is, { recorded: recorded.places, now: now.places, path: '' });
}

/** How far two bodies agree: the most similar recorded request is the one that was probably meant. */
export function agreement(recorded: string, now: string): number {
  let at = 0;
  while (at < recorded.length && recorded[at] === now[at]) at++;
  return at;
}

type Where = { recorded: Places; now: Places; path: string };

function compare(was: unknown, is: unknown, where: Where): Difference | null {
  if (typeof was === 'string' && typeof is === 'string') return compareTexts(was, is, where);
  if (Array.isArray(was) && Array.isArray(is)) {
    for (let index = 0; index < Math.max(was.length, is.length); index++) {
      const found = compare(was[index], is[index], { ...where, path: `${where.path}[${index}]` });
      if (found !== null) return found;
    }
    return null;
  }
  if (isObject(was) && isObject(is)) {
    // The order of keys means nothing.
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if (where.path === '' && isVolatileField(name)) continue;
      const path = where.path === '' ? name : `${where.path}.${name}`;
      const found = compare(was[name], is[name], { ...where, path });
      if (found !== null) return found;
    }
    return null;
  }
  return was === is ? null : { path: where.path, was: excerptOf(was), is: excerptOf(is) };
}

function compareTexts(was: string, is: string, { recorded, now, path }: Where): Difference | null {
  if (was === is) return null;
  const [before, after] = [withoutVolatile(was, recorded), withoutVolatile(is, now)];
  if (before === after || isWithKey(before, after)) return null;
  const at = agreement(before, after);
  return { path, was: excerpt(before, at), is: excerpt(after, at) };
}

/** Whether a text is the recorded one, in which a key is written as `[key]`. */
function isWithKey(recorded: string, text: string): boolean {
  const pieces = recorded.split('[key]');
  if (pieces.length === 1) return false;
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const found = index === 0 ? (text.startsWith(piece) ? 0 : -1) : text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at === text.length || pieces.at(-1) === '';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const excerptOf = (value: unknown) => (value === undefined ? null : excerpt(JSON.stringify(value), 0));

const maxBefore = 40;
const maxAfter = 80;

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - maxBefore);
  const to = at + maxAfter;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
