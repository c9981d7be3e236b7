import { escapePattern, matchesSequence, matchesText, textMatcher } from './wildcard.ts';

/**
 * Paths as lists of segments. They are compared segment by segment and never as strings, so that `/repo-evil` is not
 * inside `/repo`. Every path given here is absolute and canonical (symlinks resolved), with `/` between segments;
 * canonicalising needs the disk and is the caller's part.
 */

/** The segments of a path, with `.` and `..` worked out. */
export function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return segments;
}

/** What makes a path be worked out before it can be compared: empty segments, `.` and `..`. */
const unresolved = /\/(?:\.{0,2}(?:\/|$))/;

/** Whether `child` is `parent` itself or lies below it. */
export function isInside(parent: string, child: string): boolean {
  if (parent.startsWith('/') && child.startsWith('/') && !unresolved.test(parent) && !unresolved.test(child)) {
    return child.startsWith(parent) && (child.length === parent.length || child[parent.length] === '/');
  }
  const outer = segmentsOf(parent);
  const inner = segmentsOf(child);
  return outer.length <= inner.length && outer.every((segment, index) => segment === inner[index]);
}

/** Where patterns start: relative ones at the session's folder, `~/` at the user's home. Both absolute. */
export type PathBase = { cwd: string; home: string };

const mostKept = 4096;
const kept = new Map<string, readonly string[]>();

/** The absolute pattern, in segments; literal parts that come from the base are escaped. */
function absolutePattern(pattern: string, base: PathBase): readonly string[] {
  const key = `${base.cwd}\0${base.home}\0${pattern}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const segments = readPattern(pattern, base);
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, segments);
  return segments;
}

function readPattern(pattern: string, base: PathBase): string[] {
  const literal = (path: string) => segmentsOf(path).map(escapePattern);
  if (pattern.startsWith('/')) return resolveDots([], pattern);
  if (pattern === '~' || pattern.startsWith('~/')) return resolveDots(literal(base.home), pattern.slice(1));
  return resolveDots(literal(base.cwd), pattern);
}

function resolveDots(start: string[], pattern: string): string[] {
  const segments = [...start];
  for (const segment of pattern.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return segments;
}

/**
 * Whether a pattern covers a path. `**` stands for any number of segments (also none), `*` for any characters within
 * one segment (a leading dot too), `?` for one, `\` for the next character itself. A `withContents` match also covers
 * everything below what the pattern names: a deny of a folder is a deny of what is in it. One that `ignoresCase` takes
 * names as the most forgiving file systems do.
 */
export function matchesPath(
  pattern: string,
  path: string,
  base: PathBase,
  options: { withContents?: boolean; ignoresCase?: boolean } = {},
): boolean {
  return pathMatcher([pattern], base, options)(path);
}

/** Whether any of the patterns covers a path. They are read once, for many paths. */
export function pathMatcher(
  patterns: readonly string[],
  base: PathBase,
  { withContents = false, ignoresCase = false }: { withContents?: boolean; ignoresCase?: boolean } = {},
): (path: string) => boolean {
  const read = ignoresCase ? foldName : (name: string) => name;
  const sequences = patterns.map((pattern) => [
    ...absolutePattern(pattern, base).map((name) => (name === '**' ? 'any' : textMatcher(read(name)))),
    ...(withContents ? ['any' as const] : []),
  ]);
  return (path) => {
    const names = segmentsOf(path).map(read);
    return sequences.some((sequence) =>
      matchesSequence(
        sequence,
        names,
        (one) => one === 'any',
        (one, name) => one !== 'any' && one(name),
      ),
    );
  };
}

/** Characters that HFS+ leaves out of names. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** A name, or a path, as the most forgiving file systems compare it: in any case, in any normal form of Unicode. */
export function foldName(name: string): string {
  return isAscii.test(name) ? name.toLowerCase() : name.replace(ignorable, '').normalize('NFKC').toLowerCase();
}

const isAscii = /^[\x20-\x7e]*$/;

/**
 * Whether a pattern may cover a path that another pattern covers. It errs to the side of yes: a name is compared only
 * up to the first star of either and from the last.
 */
export function mayOverlap(pattern: string, other: string, base: PathBase): boolean {
  const one = [...absolutePattern(pattern, base).map(foldName), '**'];
  return overlaps(one, absolutePattern(other, base).map(foldName));
}

function overlaps(one: readonly string[], other: readonly string[]): boolean {
  /** Places of `other` that are reached with what `one` has used up. */
  let reached = new Set([0]);
  const spread = (places: Set<number>) => {
    for (const place of places) if (other[place] === '**') places.add(place + 1);
    return places;
  };
  spread(reached);
  for (const segment of one) {
    const next = new Set<number>();
    for (const place of reached) {
      if (segment === '**') for (let later = place; later <= other.length; later++) next.add(later);
      else if (other[place] === '**') next.add(place);
      else if (place < other.length && namesOverlap(segment, other[place] as string)) next.add(place + 1);
    }
    reached = spread(next);
  }
  return reached.has(other.length);
}

function namesOverlap(one: string, other: string): boolean {
  const [oneStart = '', otherStart = ''] = [one, other].map((name) => name.split(/[*?\\]/)[0]);
  const [oneEnd = '', otherEnd = ''] = [one, other].map((name) => name.split(/[*?\\]/).at(-1));
  const startsAlike = oneStart.startsWith(otherStart) || otherStart.startsWith(oneStart);
  const endsAlike = oneEnd.endsWith(otherEnd) || otherEnd.endsWith(oneEnd);
  const isLiteral = (name: string) => !/[*?\\]/.test(name);
  if (isLiteral(one)) return matchesText(other, one);
  if (isLiteral(other)) return matchesText(one, other);
  return startsAlike && endsAlike;
}

/** The folder below which all lies that a pattern covers: its segments up to the first star. */
export function folderOfPattern(pattern: string, base: PathBase): string {
  const segments = absolutePattern(pattern, base);
  const end = segments.findIndex((segment) => /[*?\\]/.test(segment));
  return `/${segments.slice(0, end < 0 ? undefined : end).join('/')}`;
}
