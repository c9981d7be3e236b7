import { PawlError } from '@pawl/protocol';
import { lineEndOf, withLineEnd } from '../encodings.ts';
import { explainMany, explainMiss } from './explain.ts';

export type Replacement = { old: string; new: string; all?: boolean };

/**
 * The text with `old` replaced. Line ends are compared as equal, and what is put in gets the file's own; nothing else
 * of the text changes, nor does what `old` and `new` begin and end with alike.
 * @throws `no_match`, `many_matches` or `no_change`, each saying what would help.
 */
export function replaceText(text: string, replacement: Replacement, shown: string): string {
  const old = plainLines(replacement.old);
  const put = plainLines(replacement.new);
  if (old === '')
    throw new PawlError('no_match', 'old is empty. Give the text to replace, or use write for a whole file.');
  if (old === put) throw new PawlError('no_change', 'old and new are the same, so nothing would change.');
  const { plain, originalAt } = withPlainEnds(text);
  const places = occurrences(plain, old);
  if (places.length === 0) throw new PawlError('no_match', explainMiss(plain, { old, new: put }, shown));
  if (places.length > 1 && replacement.all !== true)
    throw new PawlError('many_matches', explainMany(plain, places, shown));
  const { start, end } = commonEnds(old, put);
  const middle = withLineEnd(put.slice(start, put.length - end), lineEndOf(text));
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, originalAt(place + start)), middle);
    from = originalAt(place + old.length - end);
  }
  parts.push(text.slice(from));
  return parts.join('');
}

const plainLines = (text: string) => text.replaceAll('\r\n', '\n');

/** Where a text occurs, without overlaps. */
export function occurrences(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** How many characters two texts begin and end with alike; the two do not overlap. */
function commonEnds(one: string, other: string): { start: number; end: number } {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return { start, end };
}

/** The text with plain line feeds, and the way back from a place in it to the same place in the original. */
function withPlainEnds(text: string): { plain: string; originalAt(place: number): number } {
  if (!text.includes('\r\n')) {
    const plain = lineEndOf(text) === '\r' ? text.replaceAll('\r', '\n') : text;
    return { plain, originalAt: (place) => place };
  }
  const removed: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) removed.push(at - removed.length);
  const originalAt = (place: number) => {
    let low = 0;
    let high = removed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((removed[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    return place + low;
  };
  return { plain: text.replaceAll('\r\n', '\n'), originalAt };
}
