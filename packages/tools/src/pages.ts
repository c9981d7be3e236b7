import { PawlError } from '@pawl/protocol';

/** Lines of one page; together with `pageBytes` small enough that the engine never has to cut a page's middle out. */
const pageLines = 500;
const maxPageLines = 590;
const pageBytes = 46_000;
/** Characters of a line beyond which it is cut, or wrapped into several. */
const longestLine = 2000;

export type Page = {
  lines: { number: number; text: string }[];
  /** Lines of the whole. */
  total: number;
  /** The line to go on with, or null at the end. */
  next: number | null;
};

/**
 * A part of a text that a model can take in at once. Where `wrapsLines`, an overlong line counts as several, so that
 * all of it can be reached; else it is cut and says so.
 * @throws `out_of_range` for an offset behind the last line.
 */
export function pageOf(
  text: string,
  { offset = 1, limit = pageLines }: { offset?: number; limit?: number },
  options: { wrapsLines: boolean },
): Page {
  const all = splitLines(text).flatMap((line) => (options.wrapsLines ? wrap(line) : [cut(line)]));
  if (all.length > 0 && offset > all.length) {
    throw new PawlError('out_of_range', `There are only ${all.length} lines; offset ${offset} is behind the last.`);
  }
  const lines: Page['lines'] = [];
  let bytes = 0;
  for (let index = offset - 1; index < all.length && lines.length < Math.min(limit, maxPageLines); index++) {
    const line = all[index] as string;
    bytes += Buffer.byteLength(line) + 8;
    if (bytes > pageBytes && lines.length > 0) break;
    lines.push({ number: index + 1, text: line });
  }
  const end = offset - 1 + lines.length;
  return { lines, total: all.length, next: end < all.length ? end + 1 : null };
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (text.endsWith('\n')) lines.pop();
  return lines;
}

const cut = (line: string) =>
  line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (line cut: ${line.length} characters)`;

function wrap(line: string): string[] {
  if (line.length <= longestLine) return [line];
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += longestLine) pieces.push(line.slice(at, at + longestLine));
  return pieces;
}
