import { type Fields, string } from '../fields.ts';

/** A call's input as it grows out of pieces, each of which sets or continues the value at one path. */
export type Arguments = {
  /** Takes pieces; returns the JSON text that they add to what was returned before. */
  add(pieces: readonly Fields[]): string;
  /** No more pieces come: what is missing of the text, and the whole. They differ in order only where the pieces came out of order. */
  finish(): { rest: string; whole: string };
};

type Container = { [key: string]: unknown } | unknown[];
type Key = string | number;
/** A container whose closing bracket is not yet written, and how many members it has. */
type Open = { container: Container; size: number };

/** No input is nested deeper; a path without end would. */
const deepest = 100;

/**
 * Puts streamed arguments together. Source of the form (`jsonPath`, one of four values, `willContinue`):
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc.
 * Each piece costs what it brings, however long the input has become.
 */
export function createArguments(): Arguments {
  const root: Container = newObject();
  const open: Open[] = [{ container: root, size: 0 }];
  /** All that was returned, and what the pieces at hand add to it. */
  let text = '';
  let added = '';
  let hasBegun = false;
  /** Where the string stands whose closing quote is not yet written. */
  let openString: { container: Container; key: Key } | null = null;
  /** False when a piece went back to a container that was closed: then the text so far cannot be continued. */
  let isOrderly = true;
  /** True when a piece made no sense: then there is no input. */
  let isBroken = false;

  function write(piece: string): void {
    if (isOrderly) added += piece;
  }

  function closeString(): void {
    if (openString === null) return;
    openString = null;
    write('"');
  }

  /** Writes what stands before a new member of the container at `level`. */
  function beginMember(level: number, key: Key): void {
    closeString();
    if (!hasBegun) write('{');
    hasBegun = true;
    while (open.length > level + 1) write(Array.isArray(open.pop()?.container) ? ']' : '}');
    const holder = open[level];
    if (holder === undefined) return;
    if (holder.size++ > 0) write(',');
    if (!Array.isArray(holder.container)) write(`${JSON.stringify(key)}:`);
  }

  function addPiece(piece: Fields): void {
    const { path, isArrayEnd } = readPath(string(piece.jsonPath));
    if (path === null || path.length > deepest) {
      isBroken = true;
      return;
    }
    let container: Container = root;
    for (const [level, segment] of path.entries()) {
      const key = keyIn(container, segment);
      if (key === null) {
        isBroken = true;
        return;
      }
      const present = memberOf(container, key);
      if (level === path.length - 1) {
        setValue(level, container, key, present, piece, isArrayEnd);
        return;
      }
      if (present === undefined) {
        const inner: Container = typeof path[level + 1] === 'number' ? [] : newObject();
        beginMember(level, key);
        write(Array.isArray(inner) ? '[' : '{');
        open.push({ container: inner, size: 0 });
        setMember(container, key, inner);
        container = inner;
      } else if (typeof present === 'object' && present !== null) {
        if (open[level + 1]?.container !== present) isOrderly = false;
        container = present as Container;
      } else {
        isBroken = true;
        return;
      }
    }
  }

  function setValue(
    level: number,
    container: Container,
    key: Key,
    present: unknown,
    piece: Fields,
    isArrayEnd: boolean,
  ): void {
    const value = pieceValue(piece);
    const isLast = piece.willContinue !== true;
    const isOpen = openString?.container === container && openString.key === key;
    if (value === undefined) {
      if (isOpen && isLast) closeString();
      // A container without members has no piece but its end.
      if (present !== undefined || !isLast) return;
      beginMember(level, key);
      write(isArrayEnd ? '[]' : '{}');
      setMember(container, key, isArrayEnd ? [] : newObject());
    } else if (typeof value === 'string' && typeof present === 'string') {
      if (!isOpen) isOrderly = false;
      setMember(container, key, present + value);
      write(JSON.stringify(value).slice(1, -1));
      if (isLast) closeString();
    } else {
      if (present !== undefined) isOrderly = false;
      beginMember(level, key);
      setMember(container, key, value);
      const json = JSON.stringify(value);
      const staysOpen = typeof value === 'string' && !isLast;
      if (staysOpen) openString = { container, key };
      write(staysOpen ? json.slice(0, -1) : json);
    }
  }

  return {
    add(pieces) {
      added = '';
      for (const piece of pieces) if (!isBroken) addPiece(piece);
      text += added;
      return added;
    },
    finish() {
      // Unclosed, so that nobody takes it for an input.
      if (isBroken) return { rest: '', whole: text === '' ? '{' : text };
      const whole = JSON.stringify(root);
      return { rest: isOrderly && whole.startsWith(text) ? whole.slice(text.length) : '', whole };
    },
  };
}

/** Without a prototype, no key means anything but itself. */
function newObject(): { [key: string]: unknown } {
  return Object.create(null) as { [key: string]: unknown };
}

function memberOf(container: Container, key: Key): unknown {
  return (container as { [key: Key]: unknown })[key];
}

function setMember(container: Container, key: Key, value: unknown): void {
  (container as { [key: Key]: unknown })[key] = value;
}

/** Lists grow by one at their end: an index far out would fill the memory. */
function keyIn(container: Container, segment: Key): Key | null {
  if (!Array.isArray(container)) return typeof segment === 'string' ? segment : null;
  const index = typeof segment === 'number' || /^\d{1,9}$/.test(segment) ? Number(segment) : Number.NaN;
  return index <= container.length ? index : null;
}

/** Undefined for a piece that brings no value. */
function pieceValue(piece: Fields): string | number | boolean | null | undefined {
  if (typeof piece.stringValue === 'string') return piece.stringValue;
  if (typeof piece.numberValue === 'number') return piece.numberValue;
  if (typeof piece.boolValue === 'boolean') return piece.boolValue;
  return 'nullValue' in piece ? null : undefined;
}

/** The segments of `$.a.b[0]['c']`; a path that ends with `[]` is the end of a list. Null if it is none. */
function readPath(jsonPath: string): { path: Key[] | null; isArrayEnd: boolean } {
  const isArrayEnd = jsonPath.endsWith('[]');
  const rest = jsonPath.replace(/^\$/, '').replace(/\[\]$/, '');
  const path: Key[] = [];
  const segment = /\.?([^.[\]]+)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/y;
  while (segment.lastIndex < rest.length) {
    const found = segment.exec(rest);
    if (found === null) return { path: null, isArrayEnd };
    const [, name, index, single, double] = found;
    path.push(index === undefined ? (name ?? single ?? double ?? '') : Number(index));
  }
  return { path: path.length === 0 ? null : path, isArrayEnd };
}
