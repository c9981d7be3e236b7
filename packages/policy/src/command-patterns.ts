import { baseName, fragmentsOf, isWrapper, plainWords, sureCommands, withoutAssignments } from './commands.ts';
import { readsOnly } from './reading.ts';
import { matchesText } from './wildcard.ts';

/**
 * Patterns for shell commands. They are compared word by word: `git *` covers `git` with any arguments, never `gitx`.
 * A `*` that is the last word stands for any further words, elsewhere for exactly one; within a word it stands for any
 * characters.
 */

const wordsOf = (pattern: string) => pattern.split(/\s+/).filter((word) => word !== '');

/**
 * Whether an allow covers a command: only one without any shell syntax, exactly as the pattern says. A `*` within a
 * word does not reach over a `/`, and never stands for `..`.
 */
export function allowsCommand(pattern: string, command: string): boolean {
  const words = plainWords(command);
  if (words === null) return false;
  const expected = wordsOf(pattern);
  const isOpen = expected.at(-1) === '*';
  if (isOpen) expected.pop();
  if (isOpen ? words.length < expected.length : words.length !== expected.length) return false;
  return expected.every((word, index) => allowsWord(word, words[index] as string));
}

function allowsWord(pattern: string, word: string): boolean {
  if (pattern === '*' || pattern === word) return true;
  const names = word.split('/');
  const expected = pattern.split('/');
  if (names.length !== expected.length || names.includes('..')) return false;
  return expected.every((name, index) => matchesText(name, names[index] as string, { hasOne: false }));
}

/** Whether a deny or an ask covers a command; `maybe` where only a reading beyond the sure one finds it. */
export type Coverage = 'yes' | 'maybe' | 'no';

/**
 * Whether a deny or an ask covers any part of a command. It errs to the side of finding it: paths in front of a
 * program's name, assignments, wrappers, the order and the spelling of flags and further arguments make no difference.
 */
export function findsCommand(pattern: string, command: string): Coverage {
  if (command.length > longestRead) return 'maybe';
  const expected = readPattern(pattern);
  const sure = sureCommands(command);
  const fragments = fragmentsOf(command);
  const isCertain = (words: readonly string[]) => {
    const bare = withoutAssignments(words);
    const [name] = bare;
    return (
      findsIn(expected, bare) || (name !== undefined && isWrapper(baseName(name)) && findsAnywhere(expected, bare))
    );
  };
  if ((sure ?? fragments).some(isCertain)) return 'yes';
  if (sure?.some((words) => words.some((word) => isWrapper(baseName(word)))) && fragments.some(isCertain)) return 'yes';
  if (readsOnly(command)) return 'no';
  return fragments.some((words) => findsAnywhere(expected, words)) ? 'maybe' : 'no';
}

/** Characters of a command beyond which nobody reads it word by word; its time grows with the square. */
const longestRead = 16_384;

const findsAnywhere = (pattern: CommandPattern, words: readonly string[]) =>
  words.some((word, index) => isNamed(pattern, word) && findsIn(pattern, words.slice(index)));

type CommandPattern = { name: string; arguments: string[]; flags: string[] };

function readPattern(pattern: string): CommandPattern {
  const [name = '*', ...words] = wordsOf(pattern);
  if (words.at(-1) === '*') words.pop();
  const isFlag = (word: string) => /^-./.test(word);
  return { name, arguments: words.filter((word) => !isFlag(word)), flags: words.filter(isFlag) };
}

const isNamed = (pattern: CommandPattern, word: string) =>
  matchesText(pattern.name, word, { hasOne: false }) ||
  matchesText(baseName(pattern.name), baseName(word), { hasOne: false });

/** Whether the words begin with what the pattern names; a word behind a flag may be that flag's value and is skipped. */
function findsIn(pattern: CommandPattern, words: readonly string[]): boolean {
  const [name, ...rest] = words;
  if (name === undefined || !isNamed(pattern, name)) return false;
  const flags = rest.filter((word) => /^-./.test(word));
  return pattern.flags.every((flag) => hasFlag(flag, flags)) && beginsWith(pattern.arguments, rest);
}

function beginsWith(expected: readonly string[], words: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const [index, word] of words.entries()) {
    if (reached.has(expected.length) || reached.size === 0) break;
    if (/^-./.test(word)) continue;
    const isSkippable = /^-./.test(words[index - 1] ?? '');
    const next = new Set<number>(isSkippable ? reached : []);
    for (const place of reached) {
      if (matchesText(expected[place] as string, word, { hasOne: false })) next.add(place + 1);
    }
    reached = next;
  }
  return reached.has(expected.length);
}

/** A flag in any spelling: by itself, in a cluster of short ones, long, or a long one that begins with the short letter. */
function hasFlag(flag: string, flags: readonly string[]): boolean {
  if (flag.startsWith('--')) {
    const name = flag.slice(2).split('=')[0] as string;
    const letter = name[0]?.toLowerCase() ?? '';
    return flags.some((given) =>
      given.startsWith('--')
        ? isAbbreviation(given.slice(2).split('=')[0] as string, name)
        : given.toLowerCase().includes(letter),
    );
  }
  return Array.from(flag.slice(1).toLowerCase()).every((letter) =>
    flags.some((given) =>
      given.startsWith('--') ? given[2]?.toLowerCase() === letter : given.slice(1).toLowerCase().includes(letter),
    ),
  );
}

const isAbbreviation = (given: string, name: string) =>
  matchesText(name, given, { hasOne: false }) || name.startsWith(given) || given.startsWith(name);
