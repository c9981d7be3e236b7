/** What a command runs besides itself: behind `timeout 5`, in `bash -c '…'`, after `find -exec`. */
import { readArguments } from '../programs/arguments.ts';
import { rowsOf } from '../programs/catalogue.ts';
import { belowWord, unknownWord, type Word } from './word.ts';
import { clouding, reservedWords, shells, textRunners } from './words-of-shell.ts';

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
  if (Object.hasOwn(textRunners, name)) {
    const text = textOf(rest.slice(textRunners[name]));
    const isEval = name === 'eval';
    if (isEval && text !== null && rest.every((word) => !word.raw.startsWith('-'))) return runsText(command, text);
    return {
      ...alone(command, `${name} runs a text that may mean something else there`),
      inner: { text: text ?? '', dialect: 'other' },
    };
  }
  if (name === 'trap') return unwrapTrap(command);
  if (name === 'find') return unwrapFind(command);
  if (name === 'set') return unwrapSet(command);
  return unwrapKnown(command, name);
}

const runsText = (own: Simple, text: string, dialect: Dialect | null = null): Unwrapped => ({
  own,
  isTransparent: isOfSystem(own),
  inner: { text, dialect },
  others: [],
  doubt: null,
});

/** By the table: what runs its operands, or a program from its input. */
function unwrapKnown(command: Simple, name: string): Unwrapped {
  const { words } = command;
  const known = readArguments(words);
  if (known === null) return alone(command);
  const { row, found, guarded, uncertain, readsProgram, given } = known;
  const strange = [...known.strange, ...uncertain];
  if (Object.hasOwn(shells, name) && row.reach !== 'tells') return unwrapShell(command, name);
  const isBuiltin = row.traits.has('builtin') && words[0]?.text === name;
  if (isBuiltin && strange.length + guarded.length > 0) return alone(command, `a word of ${name} may be evaluated`);
  if (readsProgram) return alone(command, `${name} may run what it reads from its input`);
  const isRunner = row.reach === 'wraps' || row.reach === 'governs';
  const inner = found.find(({ role }) => role === 'command' || role === 'runnable');
  if (isRunner && strange.length > 0) {
    return alone(command, `a word of ${name} is not known here, or what it runs`);
  }
  if (inner === undefined || (inner.role === 'runnable' && !isOtherProgram(inner.word))) {
    // `exec > file` and the like: nothing is run, but something is done.
    return { ...alone(command), isTransparent: words.length === 1 && /^(?:exec|time|xargs)$/.test(name) };
  }
  if (name === 'time' && !inner.word.isQuoted && reservedWords.has(inner.word.raw)) {
    return alone(command, `what ${name} runs is not known`);
  }
  const assignments = found.flatMap(({ role, word }) => (role === 'assign' ? [word] : []));
  return {
    own: command,
    isTransparent: row.reach === 'wraps' && isOfSystem(command),
    inner: {
      command: {
        assignments: [...command.assignments, ...assignments],
        words: row.traits.has('adds') ? withAdded(words, inner.at, given) : words.slice(inner.at),
      },
      at: inner.at,
    },
    others: [],
    doubt: null,
  };
}

/** `yarn run vitest`, and not `yarn run test`, which is a script of the project. */
function isOtherProgram({ text }: Word): boolean {
  const [row] = text === null ? [] : rowsOf(text);
  return row !== undefined && row.reach !== 'reads';
}

/** The words that `xargs` makes: those that it reads stand at the end, or each in its place. */
function withAdded(words: readonly Word[], at: number, given: ReadonlySet<string>): Word[] {
  const inner = words.slice(at);
  if (!given.has('-I')) return [...inner, { ...unknownWord('…'), isGiven: true }];
  const place = words.findIndex(({ text }) => text?.startsWith('-') === true && text.includes('I'));
  const glued = words[place]?.text?.split('I')[1] ?? '';
  const mark = glued === '' ? (words[place + 1]?.text ?? '') : glued;
  return inner.map((word) =>
    mark === '' || word.raw.includes(mark) ? { ...unknownWord(word.raw), isSingle: true, isGiven: true } : word,
  );
}

/** A text behind `-c`, however many options stand in between; else a file, or what comes from the input. */
function unwrapShell(command: Simple, name: string): Unwrapped {
  const known = readArguments(command.words);
  if (known === null || known.strange.length > 0) return alone(command, `an option of ${name} is not known here`);
  const [first] = known.found.filter(({ isOperand }) => isOperand);
  if (known.given.has('-c')) {
    if (first === undefined || first.word.text === null || first.word.isInHome) {
      return alone(command, `what ${name} runs is not known`);
    }
    return runsText(command, first.word.text, shells[name] ?? 'other');
  }
  if (first !== undefined && first.word.text === null) return alone(command, `what ${name} runs is not known`);
  return alone(command, known.readsProgram ? `${name} runs what it reads from its input` : null);
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
