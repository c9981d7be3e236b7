/** Puts hunks into a text: by their context, and by their line numbers only where the context leaves a choice. */
import { PawlError } from '@pawl/protocol';
import { lineEndOf } from '../encodings.ts';
import { explainMiss } from '../text/explain.ts';
import type { Hunk } from './types.ts';

type Line = { text: string; end: string };

/** @throws `no_match` or `many_matches`, saying which hunk and what would help. */
export function applyHunks(text: string, hunks: readonly Hunk[], shown: string): string {
  const lines = splitLines(text);
  const end = lineEndOf(text);
  const out: Line[] = [];
  let cursor = 0;
  let shift = 0;
  let endsWithLineEnd: boolean | null = null;
  for (const [index, hunk] of hunks.entries()) {
    const name = hunks.length === 1 ? 'The hunk' : `Hunk ${index + 1} of ${hunks.length}`;
    const at = locate({ lines, hunk, cursor, shift, text: `${name} for ${shown}` });
    if (hunk.line !== null) shift = at - (hunk.line - 1);
    out.push(...lines.slice(cursor, at));
    cursor = at;
    for (const { mark, text: added } of hunk.lines) {
      if (mark === '+') out.push({ text: added, end });
      else {
        // The file's own line: the patch may have other white space at its end.
        if (mark === ' ') out.push(lines[cursor] as Line);
        cursor++;
      }
    }
    if (cursor === lines.length) endsWithLineEnd = hunk.endsWithLineEnd ?? endsWithLineEnd;
  }
  out.push(...lines.slice(cursor));
  const hadLineEnd = lines.length === 0 || lines.at(-1)?.end !== '';
  return joinLines(out, end, endsWithLineEnd ?? hadLineEnd);
}

function splitLines(text: string): Line[] {
  const pattern = text.includes('\n') ? /\r?\n/g : /\r/g;
  const lines: Line[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    lines.push({ text: text.slice(from, match.index), end: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) lines.push({ text: text.slice(from), end: '' });
  return lines;
}

function joinLines(lines: readonly Line[], end: string, endsWithLineEnd: boolean): string {
  return lines
    .map((line, index) => {
      if (index === lines.length - 1 && !endsWithLineEnd) return line.text;
      return line.text + (line.end === '' ? end : line.end);
    })
    .join('');
}

/** `shift` is how far the hunk before was from where it said. */
type Search = { lines: readonly Line[]; hunk: Hunk; cursor: number; shift: number; text: string };

/** Index of the line where a hunk begins. */
function locate({ lines, hunk, cursor, shift, text }: Search): number {
  const old = hunk.lines.filter(({ mark }) => mark !== '+').map((line) => line.text);
  const from = behindAnchors(lines, hunk, cursor, text);
  if (old.length === 0) return placeOfAddition({ lines, hunk, cursor, shift, text }, from);
  const places = findLines(lines, old, from, hunk.isAtEnd);
  const [first] = places;
  if (first === undefined) throw new PawlError('no_match', missText({ lines, hunk, cursor, shift, text }, old));
  if (places.length === 1 || hunk.anchors.length > 0) return first;
  const expected = hunk.line === null ? null : hunk.line - 1 + shift;
  if (expected !== null && places.includes(expected)) return expected;
  const listed = places.slice(0, 10).map((place) => place + 1);
  throw new PawlError(
    'many_matches',
    `${text} fits at ${places.length} places, on lines ${listed.join(', ')}. Add lines of context until it fits once, or a line "@@ " with the function or class around it. Nothing was changed.`,
  );
}

function placeOfAddition({ lines, hunk, cursor, shift, text }: Search, from: number): number {
  if (hunk.anchors.length > 0) return from + 1;
  if (hunk.line === null) return lines.length;
  const place = hunk.line - 1 + shift;
  if (place >= cursor && place <= lines.length) return place;
  throw new PawlError(
    'no_match',
    `${text} adds lines at line ${hunk.line}, which the file does not have there. Give lines of context. Nothing was changed.`,
  );
}

/** The line of the last anchor, from `cursor` on; `cursor` if there is none. */
function behindAnchors(lines: readonly Line[], { anchors }: Hunk, cursor: number, text: string): number {
  let from = cursor;
  for (const [index, anchor] of anchors.entries()) {
    const start = index === 0 ? from : from + 1;
    const rest = lines.slice(start);
    const whole = rest.findIndex((line) => line.text.trim() === anchor);
    const found = whole >= 0 ? whole : rest.findIndex((line) => line.text.includes(anchor));
    if (found < 0) {
      throw new PawlError(
        'no_match',
        `${text} begins with "@@ ${anchor.slice(0, 120)}", and no line from line ${start + 1} on is so. Read the file, then write the line as it is. Nothing was changed.`,
      );
    }
    from = start + found;
  }
  return from;
}

const foldings: ((text: string) => string)[] = [(text) => text, (text) => text.trimEnd()];

/** Where the old lines stand; with other white space at their ends only if nowhere exactly. */
function findLines(lines: readonly Line[], old: readonly string[], from: number, isAtEnd: boolean): number[] {
  for (const fold of foldings) {
    const wanted = old.map(fold);
    const places: number[] = [];
    for (let at = from; at + old.length <= lines.length; at++) {
      if (wanted.every((text, offset) => fold(lines[at + offset]?.text ?? '') === text)) places.push(at);
    }
    const last = places.filter((at) => at + old.length === lines.length);
    if (isAtEnd && last.length > 0) return last;
    if (places.length > 0) return places;
  }
  return [];
}

function missText({ lines, hunk, cursor, text }: Search, old: readonly string[]): string {
  if (findLines(lines, old, 0, false).length > 0) {
    return `${text} fits only before line ${cursor + 1}, where the hunk before it ends or its "@@" line stands. Give hunks in the order of the file. Nothing was changed.`;
  }
  const wanted = {
    old: old.join('\n'),
    new: hunk.lines
      .filter(({ mark }) => mark !== '-')
      .map((line) => line.text)
      .join('\n'),
  };
  const reason = explainMiss(lines.map((line) => line.text).join('\n'), wanted, 'it');
  return `${text} does not fit. Of its old lines: ${reason.replaceAll(/\bold\b/g, 'the text')} Nothing was changed.`;
}
