/** What a command runs besides itself: behind `timeout 5`, in `bash -c '…'`, after `find -exec`. */
import {
  clouding,
  interpreters,
  reservedWords,
  shells,
  textRunners,
  type Wrapper,
  wrappers,
} from '../tables/wrappers.ts';
import { belowWord, mayBeOption, unknownWord, type Word } from './word.ts';

export type Simple = { assignments: readonly Word[]; words: readonly Word[] };

/**
 * Which shell reads a text: the one that is read here, one that knows no more than POSIX says (`&>` means something
 * else there), or one that may read anything otherwise.
 */
export type Dialect = 'bash' | 'posix' | 'other';

/** What one look at a command finds. `text` is to be read as a command line of its own. */
export type Unwrapped = {
  /** The command without what it runs. */
  own: Simple;
  /** Whether it needs no rule of its own, because it does nothing but run what is found in it. */
  isTransparent: boolean;
  inner: { command: Simple; at: number } | { text: string; dialect: Dialect | null } | null;
  others: readonly Simple[];
  doubt: string | null;
};

/** A program of this name in a folder of somebody's own is another one. */
function isOfSystem({ words }: Simple): boolean {
  return /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[^/]+$/.test(words[0]?.text ?? '');
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

const alone = (own: Simple, doubt: string | null = null): Unwrapped => ({
  own,
  isTransparent: false,
  inner: null,
  others: [],
  doubt,
});

const textOf = (words: readonly Word[]): string | null =>
  words.every(({ text, isInHome }) => text !== null && !isInHome) ? words.map(({ text }) => text).join(' ') : null;

export function unwrap(command: Simple): Unwrapped {
  const [first, ...rest] = command.words;
  if (first === undefined) return alone(command);
  if (first.text === null || first.isInHome) return alone(command, 'what it runs is not known');
  if (first.text === '') return alone(command, 'what it runs has no name');
  const name = baseName(first.text);
  if (first.text === name && clouding.has(name)) return alone(command, `${name} changes what the words after it mean`);
  if (Object.hasOwn(wrappers, name)) return unwrapWrapper(command, name, wrappers[name] as Wrapper);
  if (Object.hasOwn(textRunners, name)) {
    const text = textOf(rest.slice(textRunners[name]));
    const isEval = name === 'eval';
    if (isEval && text !== null && rest.every((word) => !word.raw.startsWith('-'))) return runsText(command, text);
    return {
      ...alone(command, `${name} runs a text that may mean something else there`),
      inner: { text: text ?? '', dialect: 'other' },
    };
  }
  if (Object.hasOwn(shells, name)) return unwrapShell(command, name);
  if (name === 'trap') return unwrapTrap(command);
  if (name === 'find') return unwrapFind(command);
  if (name === 'set') return unwrapSet(command);
  if (interpreters.has(name) && readsProgram(rest) && !runsTests(name, rest)) {
    return alone(command, `${name} may run what it reads from its input`);
  }
  return alone(command);
}

const runsText = (own: Simple, text: string, dialect: Dialect | null = null): Unwrapped => ({
  own,
  isTransparent: isOfSystem(own),
  inner: { text, dialect },
  others: [],
  doubt: null,
});

/** No file to run, or `-`; options that ask for a version or carry the program are harmless here, or told elsewhere. */
function readsProgram(words: readonly Word[]): boolean {
  return words.every(
    (word) => mayBeOption(word) && !/^--?(?:version|help|[vVceph]|eval|print|check|r)/.test(word.text ?? ''),
  );
}

/** `node --test` finds what it runs by itself. */
const runsTests = (name: string, words: readonly Word[]) =>
  name === 'node' && words.some(({ text }) => text === '--test');

function unwrapWrapper(command: Simple, name: string, wrapper: Wrapper): Unwrapped {
  const { words } = command;
  if (name === 'command' && /^-[vV]+$/.test(words[1]?.text ?? '')) return alone(command);
  const unsure = alone(command, `a word of ${name} is not known here`);
  let at = 1;
  let ownWords = wrapper.ownWords;
  let hasEnded = false;
  const assignments: Word[] = [];
  for (; at < words.length; at++) {
    const word = words[at] as Word;
    const { text } = word;
    if (text === null || word.isInHome) {
      if (ownWords > 0 && !mayBeOption(word)) return unsure;
      return { ...unsure, doubt: `what ${name} runs is not known` };
    }
    if (text === '--' && !hasEnded && ownWords === wrapper.ownWords) {
      hasEnded = true;
      continue;
    }
    if (/^-./.test(text) && !hasEnded && ownWords === wrapper.ownWords && assignments.length === 0) {
      const taken = optionLength(text, wrapper);
      if (taken === null) return unsure;
      at += taken - 1;
    } else if (wrapper.setsVariables && /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text)) assignments.push(word);
    else if (ownWords > 0) ownWords--;
    else break;
  }
  if (at >= words.length) {
    // `exec > file` and the like: nothing is run, but something is done.
    return words.length === 1 && (name === 'exec' || name === 'xargs' || name === 'time')
      ? { ...alone(command), isTransparent: true }
      : alone(command);
  }
  const [inner] = words.slice(at);
  if (name === 'time' && inner !== undefined && !inner.isQuoted && reservedWords.has(inner.raw)) return unsure;
  const added = wrapper.addsWords ? [unknownWord('…')] : [];
  return {
    own: command,
    isTransparent: !wrapper.needsRule && isOfSystem(command),
    inner: {
      command: { assignments: [...command.assignments, ...assignments], words: [...words.slice(at), ...added] },
      at,
    },
    others: [],
    doubt: null,
  };
}

/** How many words an option takes, or null for one that the table does not have. */
function optionLength(text: string, { flags, valued, longFlags, longValued }: Wrapper): number | null {
  if (text.startsWith('--')) {
    const [name = '', value] = text.slice(2).split(/=(.*)/s);
    if (longFlags.includes(name) && value === undefined) return 1;
    return longValued.includes(name) ? (value === undefined ? 2 : 1) : null;
  }
  // `nice -5`
  if (/^-[0-9]+$/.test(text) && valued.includes('n')) return 1;
  for (let index = 1; index < text.length; index++) {
    const letter = text[index] as string;
    if (valued.includes(letter)) return index === text.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return null;
  }
  return 1;
}

function unwrapShell(command: Simple, name: string): Unwrapped {
  const rest = command.words.slice(1);
  let at = 0;
  for (; at < rest.length; at++) {
    const { text } = rest[at] as Word;
    if (text === null) return alone(command, `what ${name} runs is not known`);
    if (!/^[-+]./.test(text)) break;
    if (text === '--version' && rest.length === 1) return alone(command);
    if (!/^-[cleuxv]+$/.test(text)) return alone(command, `an option of ${name} is not known here`);
    if (text.includes('c')) {
      const script = rest[at + 1];
      if (script === undefined || script.text === null || script.isInHome) {
        return alone(command, `what ${name} runs is not known`);
      }
      return runsText(command, script.text, shells[name] ?? 'other');
    }
  }
  return alone(command, at === rest.length ? `${name} runs what it reads from its input` : null);
}

function unwrapTrap(command: Simple): Unwrapped {
  const [, action, ...signals] = command.words;
  if (action === undefined || signals.length === 0) return alone(command, 'trap is not read in this form');
  if (action.text === '-' || action.text === '') return alone(command);
  if (action.text === null || action.text.startsWith('-')) return alone(command, 'what trap runs is not known');
  return runsText(command, action.text);
}

const plainSettings = /^[-+][eufvn]+$/;

/** `set -e` and its like change how errors end a script; others what words mean. */
function unwrapSet(command: Simple): Unwrapped {
  const rest = command.words.slice(1).map(({ text }) => text);
  const isPlain = rest.every(
    (text, index) =>
      text !== null &&
      (plainSettings.test(text) ||
        /^[-+][euf]*o$/.test(text) ||
        (/^(?:pipefail|errexit|nounset|noglob)$/.test(text) && /o$/.test(rest[index - 1] ?? ''))),
  );
  return isPlain && rest.length > 0
    ? { ...alone(command), isTransparent: true }
    : alone(command, 'set changes what the words after it mean');
}

const executing = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** Where all names begin that `find` finds; null where that is not one place, or not known. */
function startOf(words: readonly Word[]): string | null {
  const rest = words.slice(words.findIndex(({ text }) => !/^-[HLP]$/.test(text ?? '')));
  const end = rest.findIndex(({ text }) => /^[-(!]/.test(text ?? ''));
  const [first, ...others] = rest.slice(0, end < 0 ? undefined : end);
  // Some options take a word, and one says that the places stand in a file.
  const isPlain =
    /^(?:-[a-z]{2,}|[(!]$)/.test(rest[end]?.text ?? '') && !words.some(({ text }) => /^-files0/.test(text ?? ''));
  if (!isPlain || others.length > 0) return null;
  return first === undefined ? '.' : first.isInHome ? null : first.text;
}

function unwrapFind(command: Simple): Unwrapped {
  const kept: Word[] = [];
  const others: Simple[] = [];
  const { words } = command;
  const start = startOf(words.slice(1));
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (!executing.has(word.text ?? '')) {
      kept.push(word);
      continue;
    }
    const from = at + 1;
    while (at < words.length && words[at]?.text !== ';' && !(words[at]?.text === '+' && words[at - 1]?.text === '{}'))
      at++;
    if (at === words.length) return alone(command, 'what find runs has no end');
    const found = word.text === '-exec' ? start : null;
    const inner = words.slice(from, at).map((each) => {
      if (!each.raw.includes('{}')) return each;
      return found !== null && each.text === '{}' ? belowWord(found, each.raw) : unknownWord(each.raw);
    });
    if (inner.length > 0) others.push({ assignments: [], words: inner });
  }
  return { ...alone({ assignments: command.assignments, words: kept }), others };
}
