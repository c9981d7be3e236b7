import { isInside } from './paths.ts';
import { isNowhere, isReading, readArguments } from './programs/arguments.ts';
import { programNames, rowsOf } from './programs/catalogue.ts';
import { analyse, type CommandPart, needsGrammar, type Part } from './shell/analyse.ts';
import { isGrammarLoaded } from './shell/grammar.ts';
import { touchedBy } from './shell/touched.ts';
import { isHarmlessAssignment, isPlainVariable } from './shell/words-of-shell.ts';

/** The names of all commands that the table knows. */
export const readingCommands = (): readonly string[] =>
  programNames().filter((name) => rowsOf(name).some(({ reach }) => reach === 'reads' || reach === 'tells'));

/**
 * Whether a shell command is known to change nothing: every part of it stands in the table of commands that only read.
 * A command that was not prepared (`prepareCommand`) and is more than plain words counts as changing something.
 */
export function readsOnly(command: string): boolean {
  return isHarmlessThroughout(command, { isContained: false });
}

/** The same in a sandbox that lets nothing be changed and nobody be reached: there some more programs do no harm. */
export function readsWhereContained(command: string): boolean {
  return isHarmlessThroughout(command, { isContained: true });
}

function isHarmlessThroughout(command: string, where: { isContained: boolean }): boolean {
  if (needsGrammar(command) && !isGrammarLoaded()) return false;
  const parts = analyse(command);
  return parts.length > 0 && parts.every((part) => isHarmless(part, where) !== null);
}

/** Why a part of a command changes nothing, in a few words; null if it may. */
export function isHarmless(part: Part, { isContained }: { isContained: boolean }): string | null {
  switch (part.kind) {
    case 'command':
      if (part.isTransparent) return 'runs only what stands beside it';
      return whyHarmless(part, isContained);
    case 'assignment':
      return isPlainVariable(part.name) ? 'sets a variable of this command line' : null;
    case 'redirect':
      if (isNowhere(part.target)) return 'writes nothing';
      return part.access === 'read' && !part.target.lead.startsWith('/dev/') ? 'reads' : null;
    case 'doubt':
      return null;
    default:
      return part satisfies never;
  }
}

function whyHarmless({ words, assignments }: CommandPart, isContained: boolean): string | null {
  const known = readArguments(words);
  const name = words[0]?.text ?? '';
  // A program of this name in a folder of somebody's own is another one.
  if (known === null || name.includes('/') || !isReading(known) || !assignments.every(isHarmlessAssignment))
    return null;
  if (known.row.reach !== 'contained') return `${name} only reads`;
  return isContained ? `${name} reads, in a sandbox where it can change and reach nothing` : null;
}

/**
 * Whether a command names a place outside of the session's folder, or one that only the shell will know: an absolute
 * path that is not below `cwd`, one in the home, one with `..`. Only meaningful for a command that only reads.
 */
export function reachesOutside(command: string, cwd: string): boolean {
  if (needsGrammar(command) && !isGrammarLoaded()) return true;
  return analyse(command).some((part) => partReachesOutside(part, cwd));
}

export function partReachesOutside(part: Part, cwd: string): boolean {
  const named = touchedBy(part).filter(({ isGuess }) => isGuess !== true);
  return named.some(({ path }) => path === null || leadsOutside(path, cwd));
}

/** What `..` means behind a symbolic link is not worked out. */
const leadsOutside = (path: string, cwd: string) =>
  /^~|(?:^|\/)\.\.(?:\/|$)/.test(path) || (path.startsWith('/') && !isInside(cwd, path));
