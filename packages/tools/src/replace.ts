import { PawlError } from '@pawl/protocol';
import { lineEndOf, withLineEnd } from './encodings.ts';
import { escapeInvisible } from './escape.ts';

export type Replacement = { old: string; new: string; all?: boolean };

/**
 * The text with `old` replaced. Line ends are compared as equal, and what is put in gets the file's own; nothing else
 * of the text changes.
 * @throws `no_match`, `many_matches` or `no_change`, each saying what would help.
 */
export function replaceText(text: string, replacement: Replacement, shown: string): string {
  const old = replacement.old.replaceAll('\r\n', '\n');
  const put = withLineEnd(replacement.new, lineEndOf(text));
  if (old === '')
    throw new PawlError('no_match', 'old is empty. Give the text to replace, or use write for a whole file.');
  if (old === replacement.new.replaceAll('\r\n', '\n')) {
    throw new PawlError('no_change', 'old and new are the same, so nothing would change.');
  }
  const { plain, originalAt } = withoutCarriageReturns(text);
  const places = occurrences(plain, old);
  if (places.length === 0) throw new PawlError('no_match', explainMiss(plain, old, shown));
  if (places.length > 1 && replacement.all !== true)
    throw new PawlError('many_matches', explainMany(plain, places, shown));
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, originalAt(place)), put);
    from = originalAt(place + old.length);
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function occurrences(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** The text with plain line feeds, and the way back from a place in it to the same place in the original. */
function withoutCarriageReturns(text: string): { plain: string; originalAt(place: number): number } {
  if (!text.includes('\r\n')) return { plain: text, originalAt: (place) => place };
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

const lineNumberAt = (text: string, place: number) => text.slice(0, place).split('\n').length;

const mostListed = 10;

/** `count` is how many there are, where not all are given. */
const list = (numbers: readonly number[], count = numbers.length) =>
  numbers.slice(0, mostListed).join(', ') + (count > mostListed ? ` and ${count - mostListed} more` : '');

function explainMany(text: string, places: readonly number[], shown: string): string {
  const lines = places.slice(0, mostListed).map((place) => lineNumberAt(text, place));
  return `old occurs ${places.length} times in ${shown}, on lines ${list(lines, places.length)}. Add lines around it until it occurs once, or set all.`;
}

const quote = (text: string) =>
  `"${escapeInvisible(text.length > 160 ? `${text.slice(0, 160)}…` : text).replaceAll('\t', '\\t')}"`;

function explainMiss(text: string, old: string, shown: string): string {
  const start = `old does not occur in ${shown}.`;
  if (/^\s*\d+\t/.test(old)) {
    return `${start} It begins with a line number as read shows them; leave numbers and the tab behind them out.`;
  }
  const lines = text.split('\n');
  const spaced = findIgnoringSpace(lines, old.split('\n'));
  if (spaced.length > 0) {
    const first = spaced[0] as number;
    return `${start} Line ${list(spaced.map((line) => line + 1))} differs only in white space. Line ${first + 1} really is ${quote(lines[first] as string)}.`;
  }
  const nearest = findNearest(lines, old);
  if (nearest === null) return `${start} Nothing in it is similar. Read the file again.`;
  return `${start} The nearest is line ${nearest + 1}: ${quote(lines[nearest] as string)}.`;
}

/** Indexes of the lines where `old` would begin if no line's indentation and inner spacing counted. */
function findIgnoringSpace(lines: readonly string[], old: readonly string[]): number[] {
  const squeeze = (line: string) => line.replace(/\s+/g, ' ').trim();
  const wanted = old.map(squeeze);
  while (wanted.at(-1) === '' && wanted.length > 1) wanted.pop();
  if (wanted.every((line) => line === '')) return [];
  const squeezed = lines.map(squeeze);
  const [first] = wanted;
  return squeezed.flatMap((line, index) =>
    line === first && wanted.every((each, offset) => squeezed[index + offset] === each) ? [index] : [],
  );
}

const mostCompared = 20_000;

/** The line most like the first telling line of `old`, by the pairs of characters that they share; null below one half. */
function findNearest(lines: readonly string[], old: string): number | null {
  const wanted = pairsOf(
    old.split('\n').reduce((longest, line) => (line.trim().length > longest.length ? line.trim() : longest), ''),
  );
  if (wanted.size === 0) return null;
  let best = { index: -1, score: 0.5 };
  for (const [index, line] of lines.slice(0, mostCompared).entries()) {
    const pairs = pairsOf(line.trim().slice(0, 400));
    let shared = 0;
    for (const pair of pairs) if (wanted.has(pair)) shared++;
    const score = (2 * shared) / (pairs.size + wanted.size);
    if (score > best.score) best = { index, score };
  }
  return best.index < 0 ? null : best.index;
}

function pairsOf(line: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < line.length && at < 400; at++) pairs.add(line.slice(at, at + 2));
  return pairs;
}
