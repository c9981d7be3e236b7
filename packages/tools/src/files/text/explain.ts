/** Why a text to replace was not found, or not found once, in words that lead to the right one. */
import { escapeInvisible } from '../../escape.ts';

const maxListed = 10;
const longestQuote = 160;

/** `count` is how many there are, where not all are given. */
const list = (numbers: readonly number[], count = numbers.length) =>
  numbers.slice(0, maxListed).join(', ') + (count > maxListed ? ` and ${count - maxListed} more` : '');

const lineNumberAt = (text: string, place: number) => text.slice(0, place).split('\n').length;

export function explainMany(text: string, places: readonly number[], shown: string): string {
  const lines = places.slice(0, maxListed).map((place) => lineNumberAt(text, place));
  return `old occurs ${places.length} times in ${shown}, on lines ${list(lines, places.length)}. Add lines around it until it occurs once, or set all.`;
}

const quote = (text: string) => {
  const cut = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
  return `"${escapeInvisible(cut).replaceAll('\t', '\\t')}"`;
};

/** The likeliest reason first. `plain` and both texts have plain line feeds. */
export function explainMiss(plain: string, wanted: { old: string; new: string }, shown: string): string {
  const { old } = wanted;
  const start = `old does not occur in ${shown}.`;
  if (/^\s*\d+\t/.test(old)) {
    return `${start} It begins with a line number as read shows them; leave numbers and the tab behind them out.`;
  }
  const unescaped = old.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  if (unescaped !== old && plain.includes(unescaped)) {
    return `${start} It has \\n, \\t or \\" written out where the file has the characters themselves.`;
  }
  if (wanted.new.trim().length > 3 && plain.includes(wanted.new)) {
    const line = lineNumberAt(plain, plain.indexOf(wanted.new));
    return `${start} But new stands on line ${line} already: this edit may have been made before.`;
  }
  const lines = plain.split('\n');
  const oldLines = linesOf(old);
  for (const { name, fold } of likenesses) {
    const places = findLike(lines, oldLines, fold);
    if (places.length > 0) return `${start} ${explainLike(lines, oldLines, places, name)}`;
  }
  return `${start} ${explainNearest(lines, oldLines)}`;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  while (lines.at(-1)?.trim() === '' && lines.length > 1) lines.pop();
  return lines;
}

/* ------------------------------------------- the same but for its spelling */

const squeeze = (line: string) => line.replace(/\s+/g, ' ').trim();
const lookAlikes: [RegExp, string][] = [
  [/[‘’‚‛′]/g, "'"],
  [/[“”„‟″«»]/g, '"'],
  [/[‐‑‒–—―−]/g, '-'],
  [/…/g, '...'],
  [/[\u200b-\u200d\u2060\ufeff]/g, ''],
];
const plainCharacters = (line: string) =>
  squeeze(lookAlikes.reduce((text, [pattern, plain]) => text.replace(pattern, plain), line.normalize('NFC')));

/** Ways in which a text may be the right one all the same, the closest first. */
const likenesses: { name: string; fold: (line: string) => string }[] = [
  { name: 'white space', fold: squeeze },
  { name: 'typographic characters (quotes, dashes, accents)', fold: plainCharacters },
  { name: 'upper and lower case', fold: (line) => plainCharacters(line).toLowerCase() },
];

/** Indexes of the lines where the wanted ones would begin, if lines counted as equal that fold alike. */
function findLike(lines: readonly string[], wanted: readonly string[], fold: (line: string) => string): number[] {
  const folded = wanted.map(fold);
  if (folded.every((line) => line === '')) return [];
  const all = lines.map(fold);
  return all.flatMap((line, index) =>
    line === folded[0] && folded.every((each, offset) => all[index + offset] === each) ? [index] : [],
  );
}

function explainLike(
  lines: readonly string[],
  wanted: readonly string[],
  places: readonly number[],
  name: string,
): string {
  const first = places[0] as number;
  const offset = wanted.findIndex((line, index) => line !== lines[first + index]);
  const [mine = '', real = ''] = [wanted[Math.max(0, offset)], lines[first + Math.max(0, offset)]];
  const detail = name === 'white space' ? ` ${whiteSpaceText(mine, real)}` : '';
  const where = list(places.map((line) => line + 1));
  return `Line ${where} differs only in ${name}. Line ${first + Math.max(0, offset) + 1} really is ${quote(real)}.${detail}`;
}

const indentOf = (line: string) => /^\s*/.exec(line)?.[0] ?? '';

function indentText(indent: string): string {
  if (indent === '') return 'no indentation';
  const tabs = indent.split('\t').length - 1;
  if (tabs === indent.length) return tabs === 1 ? 'one tab' : `${tabs} tabs`;
  return tabs === 0 ? `${indent.length} spaces` : `${tabs} tabs and ${indent.length - tabs} spaces`;
}

function whiteSpaceText(mine: string, real: string): string {
  if (/\S\s+$/.test(real) && !/\S\s+$/.test(mine)) return 'It ends in white space.';
  if (indentOf(mine) !== indentOf(real)) {
    return `It is indented with ${indentText(indentOf(real))}; old has ${indentText(indentOf(mine))}.`;
  }
  return real.includes('\u00a0') ? 'It has non-breaking spaces.' : 'The spaces within it differ.';
}

/* --------------------------------------------------- the most similar place */

export const nothingSimilar = 'Nothing in it is similar. Read the file again.';
const maxCompared = 20_000;
const maxShownLines = 12;

/** The place most like the wanted lines, with what it really is. */
function explainNearest(lines: readonly string[], wanted: readonly string[]): string {
  const longest = wanted.reduce(
    (best, line, index) => (line.trim().length > (wanted[best] ?? '').trim().length ? index : best),
    0,
  );
  const nearest = nearestLine(lines, (wanted[longest] ?? '').trim());
  if (nearest === null) return nothingSimilar;
  if (wanted.length === 1) return `The nearest is line ${nearest + 1}: ${quote(lines[nearest] as string)}.`;
  const from = Math.max(0, nearest - longest);
  const block = lines.slice(from, from + Math.min(wanted.length, maxShownLines));
  const equal = wanted.filter((line, index) => line === lines[from + index]).length;
  const wrong = wanted.findIndex((line, index) => line !== lines[from + index]);
  const numbered = block.map((line, index) => `${from + index + 1}\t${escapeInvisible(line.slice(0, longestQuote))}`);
  const first = wrong < 0 ? '' : ` The first line of old that differs is ${quote(wanted[wrong] as string)}.`;
  return `The nearest place has ${equal} of its ${wanted.length} lines.${first} There the file has (number, tab, line):\n${numbered.join('\n')}`;
}

/** The line most like a given one, by the pairs of characters that they share; null below one half. */
function nearestLine(lines: readonly string[], given: string): number | null {
  const wanted = pairsOf(given);
  if (wanted.size === 0) return null;
  let best = { index: -1, score: 0.5 };
  for (const [index, line] of lines.slice(0, maxCompared).entries()) {
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
