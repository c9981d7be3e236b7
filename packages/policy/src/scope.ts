/** Where a task may change something, if it was told so. It limits what rules and modes allow, and widens nothing. */
import type { Question } from './claims.ts';
import type { Ruling } from './judge.ts';
import { folderOfPattern, isInside, matchesPath, type PathBase, segmentsOf } from './paths.ts';
import { isNowhere } from './programs/arguments.ts';
import { analyse } from './shell/analyse.ts';
import { touchedBy } from './shell/touched.ts';

/** Folders and patterns of each owner up the tree; what is changed lies in one of each. A folder covers what is in it. */
export type WriteScopes = readonly (readonly string[])[];

/**
 * Whether this keeps a call from running: null if not. `paths` are all that the call touches, canonical; `isHeld` says
 * that a sandbox lets it change nothing but `scopeRoots`, which a command that does more than read needs.
 * Commands must have been prepared (`prepareCommand`).
 */
export function judgeScope(
  scopes: WriteScopes,
  {
    effect,
    subjects,
    paths,
    isHeld,
    ...base
  }: Pick<Question, 'tool' | 'effect' | 'subjects' | 'canonicalPaths'> &
    PathBase & { paths: readonly string[]; isHeld: boolean },
): Ruling | null {
  if (scopes.length === 0 || effect === 'read') return null;
  const commands = subjects.flatMap(({ kind, value }) => (kind === 'command' ? [value] : []));
  const targets = commands.flatMap((command) => redirectTargets(command, base));
  const stray = [...paths, ...targets.flatMap((target) => target ?? [])].find((path) => !isInScope(scopes, path, base));
  if (stray !== undefined) return refusal(scopes, `${stray} lies outside of it.`);
  if (targets.includes(null)) return refusal(scopes, 'Where this writes to is not certain.');
  if (commands.length > 0) {
    if (isHeld) return null;
    return refusal(
      scopes,
      'No sandbox holds this command to it, and it is not known to only read. Use the file tools.',
    );
  }
  return isHeld || paths.length > 0 || effect === 'idempotent'
    ? null
    : refusal(scopes, `Nobody can tell what ${base.tool} changes.`);
}

/** Whether a canonical path may be changed. */
function isInScope(scopes: WriteScopes, path: string, base: PathBase): boolean {
  return scopes.every((patterns) =>
    patterns.some((pattern) => matchesPath(pattern, path, base, { withContents: true })),
  );
}

/** What the redirects of a command write to; null where that is not certain. */
function redirectTargets(command: string, base: PathBase & Pick<Question, 'canonicalPaths'>): (string | null)[] {
  return analyse(command).flatMap((part) => {
    if (part.kind !== 'redirect' || part.access !== 'write' || isNowhere(part.target)) return [];
    return touchedBy(part).map(({ path, isGlob }) => {
      if (path === null || isGlob) return null;
      const absolute = absolutePath(path, base);
      return base.canonicalPaths?.get(absolute) ?? `/${segmentsOf(absolute).join('/')}`;
    });
  });
}

function absolutePath(path: string, { cwd, home }: PathBase): string {
  if (path.startsWith('/')) return path;
  return path === '~' || path.startsWith('~/') ? home + path.slice(1) : `${cwd}/${path}`;
}

/**
 * The folders that may be changed whole: what a sandbox leaves writable. A pattern that covers less than a folder gives
 * none, so that a sandbox is stricter than the scope and never laxer.
 */
export function scopeRoots(scopes: WriteScopes, base: PathBase): string[] {
  const [first = [], ...rest] = scopes.map((patterns) => patterns.flatMap((pattern) => wholeFolder(pattern, base)));
  const roots = rest.reduce((held, next) => held.flatMap((one) => next.flatMap((other) => inner(one, other))), first);
  return [...new Set(roots)];
}

function wholeFolder(pattern: string, base: PathBase): string[] {
  const folder = folderOfPattern(pattern, base);
  const covers = (path: string) => matchesPath(pattern, path, base, { withContents: true });
  // Names that no pattern means: what covers these covers whatever is there.
  return covers(`${folder}/\u0001`) && covers(`${folder}/\u0001/\u0001`) ? [folder] : [];
}

function inner(one: string, other: string): string[] {
  if (isInside(one, other)) return [other];
  return isInside(other, one) ? [one] : [];
}

function refusal(scopes: WriteScopes, why: string): Ruling {
  const named = scopes.map((patterns) => patterns.join(', ')).join('; and of these only ');
  return { verdict: 'deny', rule: 'write scope', reason: `This task may only change ${named}. ${why}` };
}
