/** Reads what ripgrep prints: `./path NUL number (: or -) text` lines; `--` stands between groups of context. */

type Line = { number: string; isMatch: boolean; text: string };
export type FileMatches = { file: string; groups: Line[][] };

/** The lines of one file, not yet taken apart: of many results few are shown. */
type Block = { file: string; from: number; to: number; matches: number };

/** What ripgrep says instead of a line when a file turns out to be binary; the only lines without a NUL. */
const binaryNotice =
  /^[^\0\n]*: (?:binary file matches|WARNING: stopped searching binary file after match) \(found [^\0\n]* byte around offset \d+\)\n?/;

/**
 * The first files in the order of their paths, until they have so many matches; and how many there are in all. Of files
 * that are barred nothing is told, also not that they match.
 */
export function readMatches(
  output: string,
  most: number,
  { isCut, isBarred = () => false }: { isCut: boolean; isBarred?: (file: string) => boolean },
): { files: FileMatches[]; total: number } {
  const shown = blocksOf(output, isCut).filter(({ file }) => !isBarred(file));
  const blocks = shown.sort((one, other) => (one.file < other.file ? -1 : 1));
  const total = blocks.reduce((sum, { matches }) => sum + matches, 0);
  const files: FileMatches[] = [];
  let taken = 0;
  for (const { file, from, to, matches } of blocks) {
    if (taken >= most) break;
    taken += matches;
    files.push({ file, groups: groupsIn(output, from, to) });
  }
  return { files, total };
}

/** Lines of one file come together. */
function blocksOf(output: string, isCut: boolean): Block[] {
  const blocks: Block[] = [];
  let block: Block | null = null;
  for (let at = 0; at < output.length; ) {
    const line = lineAt(output, at, isCut);
    if (line === 'end') break;
    if (typeof line === 'number') {
      at = line;
      continue;
    }
    const isSame: boolean = block !== null && isAt(output, block.file, at + 2, line.pathEnd);
    if (!isSame) {
      block = { file: output.slice(at + 2, line.pathEnd), from: at, to: at, matches: 0 };
      blocks.push(block);
    }
    if (block !== null) {
      block.to = line.next;
      if (output[line.markAt] === ':') block.matches += 1;
    }
    at = line.next;
  }
  return blocks;
}

const isAt = (output: string, text: string, from: number, to: number) =>
  to - from === text.length && output.startsWith(text, from);

type RawLine = { pathEnd: number; markAt: number; textEnd: number; next: number };

/** The line at a place; where to go on, for what is no line of a file; or that there are no more whole ones. */
function lineAt(output: string, at: number, isCut: boolean): RawLine | number | 'end' {
  if (output.startsWith('--\n', at)) return at + 3;
  const firstEnd = output.indexOf('\n', at);
  const pathEnd = output.indexOf('\0', at);
  if (pathEnd < 0 || (firstEnd >= 0 && pathEnd > firstEnd)) {
    // A notice; or a path with a line break in it.
    const line = output.slice(at, firstEnd < 0 ? undefined : firstEnd + 1);
    if (output.startsWith('./', at) && binaryNotice.test(line)) return at + line.length;
  }
  const lineEnd = pathEnd < 0 ? -1 : output.indexOf('\n', pathEnd);
  if (pathEnd < 0 || (lineEnd < 0 && isCut)) return 'end';
  let markAt = pathEnd + 1;
  while (output.charCodeAt(markAt) >= 48 && output.charCodeAt(markAt) <= 57) markAt++;
  const next = lineEnd < 0 ? output.length : lineEnd + 1;
  const isLine = output[markAt] === ':' || output[markAt] === '-';
  return isLine ? { pathEnd, markAt, textEnd: lineEnd < 0 ? output.length : lineEnd, next } : next;
}

function groupsIn(output: string, from: number, to: number): Line[][] {
  const groups: Line[][] = [];
  let isNewGroup = true;
  for (let at = from; at < to; ) {
    if (output.startsWith('--\n', at)) isNewGroup = true;
    const line = lineAt(output, at, false);
    if (line === 'end') break;
    if (typeof line === 'number') {
      at = line;
      continue;
    }
    if (isNewGroup) groups.push([]);
    isNewGroup = false;
    groups.at(-1)?.push({
      number: output.slice(line.pathEnd + 1, line.markAt),
      isMatch: output[line.markAt] === ':',
      text: output.slice(line.markAt + 1, line.textEnd),
    });
    at = line.next;
  }
  return groups;
}
