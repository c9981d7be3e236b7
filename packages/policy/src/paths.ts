import { escapePattern, matchesSequence, matchesText } from './wildcard.ts';

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

/** Whether `child` is `parent` itself or lies below it. */
export function isInside(parent: string, child: string): boolean {
  const outer = segmentsOf(parent);
  const inner = segmentsOf(child);
  return outer.length <= inner.length && outer.every((segment, index) => segment === inner[index]);
}

/** Where patterns start: relative ones at the session's folder, `~/` at the user's home. Both absolute. */
export type PathBase = { cwd: string; home: string };

/** The absolute pattern, in segments; literal parts that come from the base are escaped. */
function absolutePattern(pattern: string, base: PathBase): string[] {
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
 * everything below what the pattern names: a deny of a folder is a deny of what is in it.
 */
export function matchesPath(
  pattern: string,
  path: string,
  base: PathBase,
  options: { withContents: boolean } = { withContents: false },
): boolean {
  const segments = absolutePattern(pattern, base);
  if (options.withContents) segments.push('**');
  return matchesSequence(
    segments,
    segmentsOf(path),
    (segment) => segment === '**',
    (segment, name) => matchesText(segment, name),
  );
}
