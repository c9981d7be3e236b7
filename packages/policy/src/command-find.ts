import { readArguments } from './programs/arguments.ts';
import { analyse, type CommandPart, type Part } from './shell/analyse.ts';
import { baseName } from './shell/unwrap.ts';
import { matchesText } from './wildcard.ts';

/** Whether a deny or an ask covers a command; `maybe` where only a reading beyond the sure one finds it. */
export type Coverage = 'yes' | 'maybe' | 'no';

/**
 * Whether a deny or an ask covers one part of a command line. It errs to the side of finding it: paths in front of a
 * program's name, assignments, the order and the spelling of flags and further arguments make no difference.
 */
export function findsPart(pattern: string, part: Part): Coverage {
  const expected = readPattern(pattern);
  switch (part.kind) {
    case 'command':
      return findsSimple(expected, part);
    case 'assignment':
      return isAssignment(expected.name) && matchesText(expected.name, part.text, { hasOne: false }) ? 'yes' : 'no';
    case 'redirect':
      return 'no';
    case 'doubt':
      return fragmentsOf(part.text).some((words) => findsAnywhere(expected, words)) ? 'maybe' : 'no';
    default:
      return part satisfies never;
  }
}

/** The same for a whole command line. */
export function findsCommand(pattern: string, command: string): Coverage {
  const found = analyse(command).map((part) => findsPart(pattern, part));
  return found.includes('yes') ? 'yes' : found.includes('maybe') ? 'maybe' : 'no';
}

const wordsOf = (pattern: string) => pattern.split(/\s+/).filter((word) => word !== '');
const isAssignment = (word: string) => /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(word);

type CommandPattern = { name: string; arguments: string[]; flags: string[] };

const mostKept = 4096;
const kept = new Map<string, CommandPattern>();

function readPattern(pattern: string): CommandPattern {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (kept.size >= mostKept) kept.clear();
  const read = wordsOfPattern(pattern);
  kept.set(pattern, read);
  return read;
}

function wordsOfPattern(pattern: string): CommandPattern {
  const [name = '*', ...words] = wordsOf(pattern);
  if (words.at(-1) === '*') words.pop();
  const isFlag = (word: string) => /^-./.test(word);
  return { name, arguments: words.filter((word) => !isFlag(word)), flags: words.filter(isFlag) };
}

function findsSimple(expected: CommandPattern, part: CommandPart): Coverage {
  if (isAssignment(expected.name)) {
    const isFound = part.assignments.some(({ raw, text }) =>
      matchesText(expected.name, text ?? raw, { hasOne: false }),
    );
    return isFound ? 'yes' : 'no';
  }
  const [first, ...rest] = part.words;
  if (first === undefined) return 'no';
  if (first.text === null) return 'maybe';
  const texts = part.words.map(({ text }) => text);
  const known = texts.filter((text) => text !== null);
  if (findsIn(expected, known)) return 'yes';
  const isOpen = known.length < texts.length;
  if (isOpen && mayFind(expected, texts)) return 'maybe';
  const read = readArguments(part.words);
  if (part.isTransparent || (read !== null && read.strange.length + read.uncertain.length + read.guarded.length === 0))
    return 'no';
  const fragments = rest.flatMap(({ text, lead }) => fragmentsOf(text ?? lead));
  const isFound = [known.slice(1), ...fragments].some((words) => findsAnywhere(expected, words));
  return isFound ? 'maybe' : 'no';
}

/** Whether the command may become what the pattern names, once the shell has put in words that are null here. */
function mayFind(pattern: CommandPattern, [name, ...words]: readonly (string | null)[]): boolean {
  if (name == null || !isName(pattern, name)) return false;
  let reached = new Set([0]);
  for (const [index, word] of words.entries()) {
    const next = new Set<number>(/^-/.test(words[index - 1] ?? '') || word?.startsWith('-') ? reached : []);
    for (const place of reached) {
      if (place === pattern.arguments.length) return true;
      if (word === null) for (let later = place; later <= pattern.arguments.length; later++) next.add(later);
      else if (matchesText(pattern.arguments[place] as string, word, { hasOne: false })) next.add(place + 1);
    }
    reached = next;
  }
  return reached.has(pattern.arguments.length);
}

/** Everything in a text that might be a command, cut at every character that could begin or end one. */
function fragmentsOf(text: string): string[][] {
  return text
    .replace(/\\\r?\n/g, '')
    .replace(/["'\\]/g, '')
    .split(/[;&|<>(){}`$\n\r\0!#]/)
    .map((fragment) => fragment.split(/\s+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
}

/** Nobody reads so many words one after another. */
const mostWords = 500;

const findsAnywhere = (pattern: CommandPattern, words: readonly string[]) =>
  words.some(
    (word, index) => isName(pattern, word) && (words.length > mostWords || findsIn(pattern, words.slice(index))),
  );

const isName = (pattern: CommandPattern, word: string) => {
  const [expected, name] = [pattern.name.toLowerCase(), word.toLowerCase()];
  return (
    matchesText(expected, name, { hasOne: false }) || matchesText(baseName(expected), baseName(name), { hasOne: false })
  );
};

/** Whether the words begin with what the pattern names; a word behind a flag may be that flag's value and is skipped. */
function findsIn(pattern: CommandPattern, words: readonly string[]): boolean {
  const [name, ...rest] = words;
  if (name === undefined || !isName(pattern, name)) return false;
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
