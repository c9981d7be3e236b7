/** Reads the words of a command as its program does, by the table: which are options, values, operands, and unknown. */
import { literalWord, mayBeOption, unknownWord, type Word } from '../shell/word.ts';
import { rowsOf } from './catalogue.ts';
import type { Option, Role, Row } from './format.ts';
import { isAccepted, runningRoles, scriptRoles } from './roles.ts';
import { isPlainCondition, isPlainTest } from './scripts.ts';
import { isSuspicious } from './unknown.ts';

export type Argument = { at: number; role: Role; word: Word; isOperand: boolean };

export type Arguments = {
  row: Row;
  /** The words that lead to what is done: `git stash list`. */
  leading: number;
  found: readonly Argument[];
  /** Places of words of which nobody knows what they do. */
  strange: readonly number[];
  /** Places of words that may become options, of which nobody knows what they do: names that a star stands for. */
  uncertain: readonly number[];
  /** Places of words that are known to run programs, to write by name, or to reach outside. */
  guarded: readonly number[];
  /** Options as they are called in the table. */
  given: ReadonlySet<string>;
  /** Whether all that lies below its operands is read too, or below its folder if there is none. */
  isRecursive: boolean;
  /** Whether a program is run that comes from its input. */
  readsProgram: boolean;
};

const kept = new WeakMap<readonly Word[], Arguments | null>();

/** Null for a program that the table does not have. */
export function readArguments(words: readonly Word[]): Arguments | null {
  const known = kept.get(words);
  if (known !== undefined) return known;
  const rows = rowsOf(words[0]?.text ?? '');
  const read = rows.length === 0 ? null : readLevel(rows, words, 1, 0);
  kept.set(words, read);
  return read;
}

/** Rows of one program, or of one of its subcommands, whose own options may stand in front of the next word. */
function readLevel(rows: readonly Row[], words: readonly Word[], from: number, depth: number): Arguments {
  const own = rows.filter(({ subcommand }) => subcommand.length === depth);
  const base = own.find(({ operands }) => operands[0]?.role === 'sub');
  const read = base === undefined ? null : parse(base, words, from);
  const place = read === null ? from : (read.found.find(({ role }) => role === 'sub')?.at ?? words.length);
  const text = words[place]?.text ?? null;
  const inner = rows.filter(({ subcommand }) => text !== null && subcommand[depth]?.includes(text));
  if (inner.length > 0) return joined(read, place, readLevel(inner, words, place + 1, depth + 1));
  const others = own.filter((row) => row !== base);
  if (base === undefined || read === null)
    return others.length > 0 ? best(others, words, from) : unread(rows, words, from);
  // Alone it tells how it is used; a rule is not about that.
  if (place === words.length) return read.given.size > 0 ? read : { ...read, row: { ...base, reach: 'works' } };
  const behind = unread([base], words, place);
  return joined({ ...read, found: read.found.filter(({ role }) => role !== 'sub') }, place, behind);
}

/** A subcommand that no row has: only options that mean the same everywhere are told from others. */
function unread(rows: readonly Row[], words: readonly Word[], from: number): Arguments {
  const rest = words.flatMap((word, index) => (index >= from ? [{ at: index, word }] : []));
  const strange = rest.filter(({ at, word }) => at === from || isSuspicious(word) || isUncertain(word));
  return {
    row: { ...(rows[0] as Row), reach: 'named', traits: new Set() },
    leading: from,
    found: rest.map(({ at, word }) => ({ at, word, role: 'any', isOperand: true })),
    strange: strange.map(({ at }) => at),
    uncertain: [],
    guarded: [],
    given: new Set(),
    isRecursive: false,
    readsProgram: false,
  };
}

const isUncertain = (word: Word) => word.text === null && mayBeOption(word);

/** What stands in front of a subcommand, and what behind it. */
function joined(front: Arguments | null, place: number, rest: Arguments): Arguments {
  return {
    ...rest,
    leading: Math.max(rest.leading, place + 1),
    found: [...(front?.found.filter(({ role }) => role !== 'sub') ?? []), ...rest.found],
    strange: [...(front?.strange ?? []), ...rest.strange],
    uncertain: [...(front?.uncertain ?? []), ...rest.uncertain],
    guarded: [...(front?.guarded ?? []), ...(rest.row.reach === 'named' ? [place] : []), ...rest.guarded],
    given: new Set([...(front?.given ?? []), ...rest.given]),
  };
}

/** The row that knows all of the words, or else the one that comes last, which knows most. */
function best(rows: readonly Row[], words: readonly Word[], from: number): Arguments {
  const read = rows.map((row) => parse(row, words, from));
  return (
    read.find(({ strange, uncertain }) => strange.length + uncertain.length === 0) ??
    read.find(({ strange }) => strange.length === 0) ??
    (read.at(-1) as Arguments)
  );
}

/**
 * Whether the program runs nothing and changes nothing, as far as its words tell. `tee /dev/null` writes nothing. Where a
 * sandbox lets nothing be changed, a file that is named like an option does no harm.
 */
export function isReading({ row, found, strange, uncertain }: Arguments, { isContained = false } = {}): boolean {
  return (
    strange.length === 0 &&
    (isContained || uncertain.length === 0) &&
    /^(?:reads|tells|quiet|contained)$/.test(row.reach) &&
    !found.some((argument) => runningRoles.has(argument.role) || (isWritten(argument) && !isNowhere(argument.word)))
  );
}

const isWritten = ({ role }: Argument) => role === 'write';

/** Whether what is written there goes nowhere. */
export const isNowhere = ({ text }: Word): boolean => /^\/dev\/(?:null|stdout|stderr)$/.test(text ?? '');

/** A name of a file, of which nobody knows with which sign it begins. */
const isName = ({ text, glob, lead, isGiven }: Word) =>
  text === null && lead === '' && (glob !== null || isGiven === true);

function parse(row: Row, words: readonly Word[], from: number): Arguments {
  const reading = new ArgumentReader(row, words, from);
  return reading.read();
}

class ArgumentReader {
  readonly #row: Row;
  readonly #words: readonly Word[];
  readonly #from: number;
  readonly #found: Argument[] = [];
  readonly #operands: { at: number; word: Word }[] = [];
  readonly #strange = new Set<number>();
  readonly #uncertain = new Set<number>();
  readonly #guarded = new Set<number>();
  readonly #given = new Set<string>();
  #hasEnded: boolean;
  #firstIsGiven = false;
  #isOpened = false;
  #isRecursive = false;

  constructor(row: Row, words: readonly Word[], from: number) {
    this.#row = row;
    this.#words = words;
    this.#from = from;
    this.#hasEnded = row.traits.has('plain');
  }

  read(): Arguments {
    const { operands, traits, reach } = this.#row;
    const isScripted = operands.some(({ role }) => scriptRoles.has(role));
    const endsAtOperand = traits.has('posix') || operands.some(({ role }) => role === 'command' || role === 'sub');
    let commandAt: number | null = null;
    const endsAtFirst = operands[0]?.role === 'sub';
    for (let at = this.#from; at < this.#words.length && commandAt === null; ) {
      if (endsAtFirst && this.#operands.length > 0) break;
      const word = this.#words[at] as Word;
      if (!this.#hasEnded && word.text === '--') {
        this.#hasEnded = true;
        at++;
        // `find` goes on with its expression behind it.
        if (operands.length === 0 || traits.has('words')) this.#strange.add(at - 1);
      } else if (!this.#hasEnded && isName(word) && this.#isOption(word, at)) {
        this.#uncertain.add(at);
        this.#operands.push({ at, word });
        at++;
      } else if (!this.#hasEnded && this.#isOption(word, at)) {
        // What permutes takes it for an option, and what does not for an operand.
        if (isScripted && this.#operands.length > 0) this.#strange.add(at);
        at += this.#option(word, at);
        if (this.#found.at(-1)?.role === 'command') commandAt = this.#found.at(-1)?.at ?? null;
      } else {
        this.#operands.push({ at, word });
        if (endsAtOperand) this.#hasEnded = true;
        at++;
      }
    }
    const readsProgram = this.#placeOperands(commandAt !== null);
    this.#checkAll();
    if (reach === 'tells' && (this.#given.size === 0 || this.#operands.length > 0)) this.#strange.add(this.#from);
    return {
      row: this.#row,
      leading: this.#from,
      found: this.#found,
      strange: [...this.#strange],
      uncertain: [...this.#uncertain],
      guarded: [...this.#guarded],
      given: this.#given,
      isRecursive: this.#isRecursive,
      readsProgram,
    };
  }

  #isOption(word: Word, at: number): boolean {
    const { text, lead } = word;
    const { traits } = this.#row;
    // Options without a dash; what the shell makes of the word may be more of them.
    if (traits.has('bundle') && at === this.#from && (text === null || /^[A-Za-z]+$/.test(text))) return true;
    if (text !== null) return /^-./.test(text);
    return mayBeOption(word) && (!traits.has('open') || lead.startsWith('-'));
  }

  /** Reads an option with its values. Gives how many words that takes. */
  #option(word: Word, at: number): number {
    const { text, lead } = word;
    const written = text ?? lead;
    const { traits, options } = this.#row;
    if (written.startsWith('--') || (traits.has('words') && !(/^-[0-9]+$/.test(written) && options.has('-#')))) {
      return this.#longOption(word, at, written);
    }
    if (text === null) return this.#unknown(at);
    if (/^-[0-9]+$/.test(text) && options.has('-#')) return 1;
    const letters = text.startsWith('-') ? text.slice(1) : text;
    for (let index = 0; index < letters.length; index++) {
      const name = `-${letters[index]}`;
      const option = options.get(name);
      if (option === undefined) return this.#unknown(at);
      this.#take(name, option, at);
      if (option.roles.length === 0) continue;
      const rest = letters.slice(index + 1);
      if (rest === '') return option.isOptional ? 1 : this.#values(option, at, option.roles);
      // BSD and GNU agree on what is glued to a letter.
      this.#value(option.roles[0] as Role, literalWord(rest), at);
      return 1;
    }
    return 1;
  }

  #longOption(word: Word, at: number, written: string): number {
    const { options, beginnings } = this.#row;
    const end = written.indexOf('=');
    const whole = options.get(written);
    const name = whole === undefined && end > 0 ? written.slice(0, end) : written;
    const option = whole ?? options.get(name);
    if (option === undefined || (word.text === null && end < 0)) {
      const beginning = beginnings.find((start) => written.startsWith(start));
      const begun = options.get(`${beginning}*`);
      if (beginning === undefined || begun === undefined || word.text === null) return this.#unknown(at);
      this.#take(`${beginning}*`, begun, at);
      const [role] = begun.roles;
      if (role === undefined) return 1;
      const glued = written.slice(beginning.length);
      if (glued === '') return this.#values(begun, at, begun.roles);
      this.#value(role, literalWord(glued), at);
      return 1;
    }
    this.#take(name, option, at);
    if (name === written) return option.isOptional ? 1 : this.#values(option, at, option.roles, true);
    if (option.roles.length === 0) return this.#unknown(at);
    const value =
      word.text === null ? { ...unknownWord(word.raw), isSingle: true } : literalWord(written.slice(end + 1));
    this.#value(option.roles[0] as Role, value, at);
    return 1;
  }

  #take(name: string, { isGuarded, isFirstOperand, isOpener, isRecursive }: Option, at: number): void {
    this.#given.add(name);
    if (isGuarded) this.#guarded.add(at);
    if (isFirstOperand) {
      this.#firstIsGiven = true;
      if (this.#operands.length > 0) this.#strange.add(at);
    }
    if (isOpener) this.#isOpened = true;
    if (isRecursive) this.#isRecursive = true;
  }

  #unknown(at: number): number {
    this.#strange.add(at);
    const word = this.#words[at] as Word;
    this.#found.push({ at, role: 'code', word, isOperand: false });
    return 1;
  }

  /** Values in words of their own. */
  #values({ isGuarded }: Option, at: number, roles: readonly Role[], isLong = false): number {
    for (const [index, role] of roles.entries()) {
      const place = at + 1 + index;
      const word = this.#words[place];
      // One program takes a word for a value where another one has an option that needs none.
      const isDoubtful =
        word === undefined ||
        (word.text === null ? !word.isSingle : /^-./.test(word.text) && !/^-[0-9]/.test(word.text) && role !== 'mode');
      if (isDoubtful) this.#strange.add(Math.min(place, this.#words.length - 1));
      if (word === undefined) return index + 1;
      if (isGuarded) this.#guarded.add(place);
      // Where a program has no such option it may take the word behind it for a file.
      const isOther = isLong && role === 'text' && this.#row.reach === 'reads' && !this.#row.traits.has('words');
      this.#value(isOther ? 'any' : role, word, place);
    }
    return roles.length + 1;
  }

  #value(role: Role, word: Word, at: number): void {
    this.#found.push({ at, role, word, isOperand: false });
  }

  /** Gives each operand its role. Whether a program is missing that then comes from the input. */
  #placeOperands(isCommandGiven: boolean): boolean {
    const { operands, options, traits } = this.#row;
    let place = this.#firstIsGiven ? 1 : 0;
    const hasCommand = operands.some(({ role }) => role === 'command');
    const isShut = !this.#isOpened && Array.from(options.values()).some(({ isOpener }) => isOpener);
    if (operands[0]?.role === 'test') {
      const words = this.#words.slice(this.#from);
      const [name] = this.#words;
      const isFine =
        name?.text === '[['
          ? isPlainCondition(words)
          : isPlainTest(name?.text === '[' ? words.slice(0, -1) : words) &&
            (name?.text !== '[' || words.at(-1)?.text === ']');
      if (!isFine) for (const { at } of this.#operands) this.#strange.add(at);
    }
    for (const [index, { at, word }] of this.#operands.entries()) {
      const isMany = word.text === null && !word.isSingle;
      while (operands[place]?.isRepeated === true && operands[place + 1] !== undefined) {
        if (operands[place]?.role === 'assign' && isAccepted('assign', word.text) && word.text?.includes('=')) break;
        place++;
      }
      const operand = operands[place];
      const isLast = operand !== undefined && !operand.isRepeated && place === operands.length - 1;
      if (operand === undefined || isShut || (isMany && (isLast || hasCommand))) {
        this.#strange.add(at);
        this.#found.push({ at, role: 'code', word, isOperand: true });
        continue;
      }
      // Copies are made of all but the last one.
      const isSource = traits.has('last') && index < this.#operands.length - 1;
      const role: Role = isSource || (isMany && operand.role === 'text' && operands.length > 1) ? 'read' : operand.role;
      this.#found.push({ at, role, word, isOperand: true });
      if (role === 'command') return false;
      if (!operand.isRepeated) place++;
    }
    return operands[place]?.role === 'program' && place === 0 && !isCommandGiven && this.#strange.size === 0
      ? true
      : this.#operands[0]?.word.text === '-' && operands[0]?.role === 'program' && !this.#firstIsGiven;
  }

  #checkAll(): void {
    for (const { at, role, word } of this.#found) if (!isAccepted(role, word.text)) this.#strange.add(at);
  }
}
