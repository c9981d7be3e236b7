import { readArguments } from './programs/arguments.ts';
import { isSuspicious } from './programs/unknown.ts';
import { analyse, type CommandPart } from './shell/analyse.ts';
import { mayBeOption, type Word } from './shell/word.ts';
import { isHarmlessAssignment } from './shell/words-of-shell.ts';
import { matchesText } from './wildcard.ts';

/**
 * Patterns for shell commands, as an allow reads them. They are compared word by word: `git *` covers `git` with any
 * arguments, never `gitx`. A `*` that is the last word stands for any further words, elsewhere for exactly one; within a word it stands for any
 * characters.
 */

const wordsOf = (pattern: string) => pattern.split(/\s+/).filter((word) => word !== '');
const isAssignment = (word: string) => /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(word);

/**
 * Whether an allow covers one command of a command line: a simple one, whose name is known, of which every assignment in
 * front is named by the pattern, and every word that a star does not reach. A command that another one runs is also
 * covered by a pattern that covers that other one and names this: `sudo systemctl *`. `outside` are places of words that
 * lead out of where the session works.
 */
export function allowsPart(pattern: string, part: CommandPart, outside: readonly number[] = []): boolean {
  if (matchesAllowed(wordsOf(pattern), part, outside)) return true;
  for (let outer = part.by, at = outer?.at ?? 0; outer !== null; outer = outer.command.by, at += outer?.at ?? 0) {
    const expected = wordsOf(pattern);
    const isNaming =
      namesWords(expected, at + 1) &&
      [...unreached(part.words), ...outside].every((place) =>
        isNamed(expected[at + place], part.words[place]?.text ?? ''),
      );
    if (isNaming && matchesAllowed(expected, outer.command, [])) return true;
  }
  return false;
}

/**
 * The words of a command that a star does not reach, by their places: what nobody knows, and what is known to run
 * programs or to write by name. Of a program that no table has, options that mean this everywhere.
 */
function unreached(words: readonly Word[]): readonly number[] {
  const read = readArguments(words);
  if (read !== null) return [...read.strange, ...read.uncertain, ...read.guarded];
  return words.flatMap((word, at) => {
    const isUncertain = word.text === null && mayBeOption(word);
    return at > 0 && (isSuspicious(word) || isUncertain) ? [at] : [];
  });
}

/** Whether an allow covers every part of a command line. */
export function allowsCommand(pattern: string, command: string): boolean {
  const parts = analyse(command);
  return (
    parts.length > 0 &&
    parts.every((part) => part.kind === 'command' && (part.isTransparent || allowsPart(pattern, part)))
  );
}

const namesWords = (expected: readonly string[], count: number) =>
  expected.length >= count && expected.slice(0, count).every((word) => !word.includes('*'));

function matchesAllowed(expected: readonly string[], part: CommandPart, outside: readonly number[]): boolean {
  const isNaming = isAssignment(expected[0] ?? '');
  if (!isNaming && !part.assignments.every(isHarmlessAssignment)) return false;
  const words = isNaming ? [...part.assignments, ...part.words] : part.words;
  const fixed = expected.at(-1) === '*' ? expected.slice(0, -1) : expected;
  const isOpen = fixed.length < expected.length;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  if (!fixed.every((word, index) => allowsWord(word, words[index] as Word))) return false;
  const ahead = isNaming ? part.assignments.length : 0;
  return [...unreached(part.words), ...outside].every((place) =>
    isNamed(fixed[place + ahead], part.words[place]?.text ?? ''),
  );
}

/** A `*` within a word does not reach over a `/`, and never stands for `..`. */
function allowsWord(pattern: string, { text, isInHome }: Word): boolean {
  if (text === null) return false;
  if (pattern === '*') return true;
  if (pattern === text) return true;
  const names = text.split('/');
  const expected = pattern.split('/');
  if (names.length !== expected.length || names.includes('..') || isInHome) return false;
  return expected.every((name, index) => matchesText(name, names[index] as string, { hasOne: false }));
}

/** Whether a word of the pattern says which option it is about, and not only that there may be one. */
function isNamed(expected: string | undefined, text: string): boolean {
  if (expected === undefined) return false;
  if (expected === text) return true;
  const [literal = ''] = expected.split('*');
  const [option = ''] = text.split('=');
  return text.includes('=') ? literal.startsWith(`${option}=`) : /^-[A-Za-z]/.test(literal) && text.startsWith(literal);
}
