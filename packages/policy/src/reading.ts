import { isInside } from './paths.ts';
import { isNowhere, isReading, readArguments } from './programs/arguments.ts';
import { programNames, rowsOf } from './programs/catalogue.ts';
import { analyse, type CommandPart, needsGrammar, type Part } from './shell/analyse.ts';
import { withoutDots } from './shell/folders.ts';
import { isGrammarLoaded } from './shell/grammar.ts';
import { touchedBy } from './shell/touched.ts';
import { isHarmlessAssignment, isPlainVariable } from './shell/words-of-shell.ts';

/** The names of all commands that the table knows. */
export const readingCommands = (): readonly string[] =>
  programNames().filter((name) => rowsOf(name).some(({ reach }) => reach === 'reads' || reach === 'tells'));

/** Where a command runs: whether a sandbox lets it change nothing, and whether what git's settings name is overruled. */
type Where = { isContained: boolean; isQuiet: boolean };

/**
 * Whether a shell command is known to change nothing: every part of it stands in the table of commands that only read.
 * It holds if what git's settings name is overruled for it (`quietGit` of the tools).
 * A command that was not prepared (`prepareCommand`) and is more than plain words counts as changing something.
 */
export function readsOnly(command: string): boolean {
  return isHarmlessThroughout(command, { isContained: false, isQuiet: true });
}

/** The same in a sandbox that lets nothing be changed and nobody be reached: there some more programs do no harm. */
export function readsWhereContained(command: string): boolean {
  return isHarmlessThroughout(command, { isContained: true, isQuiet: false });
}

/** The names of all programs and builtins that a command line runs, as far as its text tells. Prepared (`prepareCommand`). */
export function commandNames(command: string): readonly string[] {
  if (needsGrammar(command) && !isGrammarLoaded()) return [];
  const names = analyse(command).flatMap((part) => (part.kind === 'command' ? (part.words[0]?.text ?? []) : []));
  return [...new Set(names)];
}

function isHarmlessThroughout(command: string, where: Where): boolean {
  if (needsGrammar(command) && !isGrammarLoaded()) return false;
  const parts = analyse(command);
  return parts.length > 0 && parts.every((part) => isHarmless(part, where) !== null);
}

/** Why a part of a command changes nothing, in a few words; null if it may. */
export function isHarmless(part: Part, where: Where): string | null {
  switch (part.kind) {
    case 'command':
      if (part.isTransparent) return 'runs only what stands beside it';
      return whyHarmless(part, where);
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

function whyHarmless({ words, assignments }: CommandPart, { isContained, isQuiet }: Where): string | null {
  const known = readArguments(words);
  const name = words[0]?.text ?? '';
  // A program of this name in a folder of somebody's own is another one.
  if (
    known === null ||
    name.includes('/') ||
    !isReading(known, { isContained }) ||
    !assignments.every(isHarmlessAssignment)
  )
    return null;
  const { row, uncertain } = known;
  const isEverywhere = row.reach === 'reads' || row.reach === 'tells' || (isQuiet && row.reach === 'quiet');
  if (isEverywhere && uncertain.length === 0) return `${name} only reads`;
  return isContained ? `${name} reads, in a sandbox where it can change and reach nothing` : null;
}

/**
 * Whether a command names a place outside of the session's folder, or one that only the shell will know: an absolute
 * path that is not below `cwd`, one in the home, one that `..` leads out of it. Where links lead is the caller's to know.
 * Names that another command has told count as inside where a sandbox keeps what is elsewhere from being read
 * (`isContained`). Only meaningful for a command that only reads.
 */
export function reachesOutside(command: string, cwd: string, where: { isContained?: boolean } = {}): boolean {
  if (needsGrammar(command) && !isGrammarLoaded()) return true;
  return analyse(command).some((part) => partReachesOutside(part, cwd, where));
}

export function partReachesOutside(part: Part, cwd: string, { isContained = false } = {}): boolean {
  return touchedBy(part).some(({ path, isGlob, isGuess, given }) => {
    if (isGuess === true) return false;
    if (path === null) return given === undefined || (given === 'contents' && !isContained);
    return leadsOutside(path, cwd, isGlob);
  });
}

/** A name that a star stands for may be a link, and `..` behind it leads anywhere. */
function leadsOutside(path: string, cwd: string, isGlob: boolean): boolean {
  if (path.startsWith('~') || (isGlob && /(?:^|\/)\.\.(?:\/|$)/.test(path))) return true;
  return path.startsWith('/') ? !isInside(cwd, path) : /^\.\.(?:\/|$)/.test(withoutDots(path));
}
