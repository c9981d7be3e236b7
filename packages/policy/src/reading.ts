import { isInside } from './paths.ts';
import { analyse, type CommandPart, needsGrammar, type Part } from './shell/analyse.ts';
import { isGrammarLoaded } from './shell/grammar.ts';
import { isNowhere, touchedBy } from './shell/touched.ts';
import { mayBeOption, type Word } from './shell/word.ts';
import { containedReaders } from './tables/contained-readers.ts';
import { harmlessVariables, type Reader, readers } from './tables/readers.ts';

/** The names of all commands that the table knows. */
export const readingCommands: readonly string[] = Object.keys(readers);

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
      if (readerOf(part) !== null) return `${nameOf(part)} only reads`;
      return isContained && entryOf(part, containedReaders) !== null
        ? `${nameOf(part)} reads, in a sandbox where it can change and reach nothing`
        : null;
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

const nameOf = ({ words }: CommandPart) => words[0]?.text ?? '';

/**
 * Variables that no program looks at. Whatever a shell is given in its environment it hands on, changed too; names of
 * that kind have capitals, or an underscore (`http_proxy`).
 */
const isPlainVariable = (name: string) => /^[a-z][a-z0-9]*$/.test(name);

/** Assignments in front of a command that change nothing but how its text looks. */
export const isHarmlessAssignment = ({ text }: Word): boolean => {
  const [, name = '', value = ''] = /^([A-Z_]+)=([A-Za-z0-9_.-]*)$/.exec(text ?? '') ?? [];
  return harmlessVariables.has(name) && !value.includes('..');
};

/** The entry of the table that lets this command read. */
export const readerOf = (part: CommandPart): Reader | null => entryOf(part, readers);

function entryOf({ words, assignments }: CommandPart, table: Readonly<Record<string, readonly Reader[]>>) {
  const [name, ...rest] = words;
  if (name?.text == null || !Object.hasOwn(table, name.text) || !assignments.every(isHarmlessAssignment)) return null;
  return (table[name.text] as readonly Reader[]).find((reader) => covers(reader, name.text as string, rest)) ?? null;
}

function covers(reader: Reader, name: string, words: readonly Word[]): boolean {
  const { subcommand = [], leading = [], valued = [], operandsOnlyWith, mostOperands } = reader;
  const { firstOperand, everyOperand } = reader;
  const start = words.findIndex(({ text }) => text === null || !leading.includes(text));
  if (!subcommand.every((word, index) => words[start + index]?.text === word)) return false;
  const rest = words.slice(start + subcommand.length);
  if (!rest.every((word) => isOptionCovered(reader, word))) return false;
  if (name === '[[') return rest.every(isPlainTest);
  // A version is asked for with an option; without one an interpreter would run its input, and `make --` what a file says.
  if (mostOperands === 0 && rest.every(({ text }) => text === '--')) return false;
  const isValue = (index: number) => valued.includes(rest[index - 1]?.text ?? '');
  // Nobody knows how many words a pattern becomes, and then where the value ends.
  if (rest.some(({ text }, index) => text === null && isValue(index))) return false;
  const end = rest.findIndex(({ text }, index) => text === '--' && !isValue(index));
  const isOperand = (word: Word, index: number) => word.text === '-' || !mayBeOption(word) || (end >= 0 && index > end);
  const operands = rest.filter((word, index) => isOperand(word, index) && !isValue(index));
  if (mostOperands !== undefined && (operands.length > mostOperands || rest.some(({ text }) => text === null)))
    return false;
  if (
    operandsOnlyWith !== undefined &&
    operands.length > 0 &&
    !rest.some(({ text }) => operandsOnlyWith.includes(text ?? ''))
  )
    return false;
  const isFitting = ({ text, raw }: Word) => {
    const written = text ?? (/^[\w./*?-]+$/.test(raw) ? raw : null);
    return written !== null && everyOperand?.test(written) !== false;
  };
  if (everyOperand !== undefined && !operands.every(isFitting)) return false;
  const [first] = operands;
  return firstOperand === undefined || first === undefined || (first.text !== null && firstOperand.test(first.text));
}

/** `-eq` and its like evaluate both sides as arithmetic, which may run something. */
const isPlainTest = ({ text, raw, isQuoted }: Word): boolean =>
  isQuoted ||
  (text === null ? !/[[(]/.test(raw) : /^(?:-[defhLnrswxz]|-[no]t|-ef|&&|\|\||!|==?|!=|=~|\]\]|[^-].*)$/.test(text));

function isOptionCovered({ options, hasLongWords, takesStars }: Reader, word: Word): boolean {
  if (!mayBeOption(word)) return true;
  if ('any' in options) return true;
  const { text } = word;
  if (text === null) return takesStars === true && word.glob !== null;
  if (text === '-' || text === '--') return true;
  if ('like' in options) return options.like.test(text);
  if ('only' in options) {
    if (options.only.some((option) => text === option || (option.endsWith('=') && text.startsWith(option))))
      return true;
    // `find` takes numbers with a sign as values.
    return hasLongWords === true && /^-[0-9]+[a-zA-Z]?$/.test(text);
  }
  return !options.except.some((flag) => isSpelling(flag, text));
}

/** A forbidden flag in any spelling: long ones from their first letters, short ones also within a cluster. */
const isSpelling = (flag: string, text: string) =>
  flag.startsWith('--')
    ? text.startsWith(flag) || (text.startsWith('--') && flag.startsWith(text.split('=')[0] as string))
    : text.startsWith('-') && !text.startsWith('--') && text.includes(flag.slice(1));

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
