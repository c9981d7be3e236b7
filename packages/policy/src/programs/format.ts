/**
 * The one format in which it is written down what programs do with their words. A table is text; each row is
 *
 *     <reach> <names> [<subcommand>] : <options> : <operands>
 *
 * A row names what is *known*. An option or an operand that it does not have is doubt, whatever it is.
 *
 * - Options: `-abc` three letters without a value, `-abn:text` the last of them with one, `-i?text` with one that can only be glued
 *   to it, `--name`, `--name:text`, `--name?text` the same in long, `-#` any number. Several values: `--arg:text,text`.
 *   With `!` in front a star in a rule does not reach it; with `^` behind it stands for the first operand; with `+` behind
 *   it is one of those beside which operands may stand, with `~` all below the operands is read; a long one that ends in `*` stands for all that begin so.
 * - Operands: roles in their order, the last one perhaps any number of times (`text read*`).
 * - `&posix`: options end at the first operand. `&words`: options of one dash and many letters, as `find` has them.
 *   `&plain`: no options at all. `&open`: all its options are harmless, so it does not matter which names a star or a
 *   variable stands for. `&outline`: of a file no more than its size and kind is told. `&builtin`: the shell's own, which may evaluate what it does not know. `&adds`: words are
 *   added that nobody knows. `&bundle`: options without a dash in the first word. `&sweeps`: files of the folder are
 *   changed that no word names. `&folder`: so they are where no operand names them. `&wide`: a rule for it with a star may be
 *   offered. `&last`: only the last operand is written. `@name`: what `shared` holds under it.
 */
type Reach =
  /** Changes nothing, anywhere. */
  | 'reads'
  /** The same, and only for an option that it must have and without any operand: `--version`. */
  | 'tells'
  /** Git that reads, and runs nothing once what its settings name is overruled, as it is where all of a line only reads. */
  | 'quiet'
  /** Reads where a sandbox lets nothing be changed and nobody be reached. */
  | 'contained'
  /** Does what its name says; a rule allows it. */
  | 'works'
  /** The same, and its rule must name it: a star in front of it does not reach it. */
  | 'named'
  /** Runs the command in its operands and nothing else. */
  | 'wraps'
  /** The same, with other rights or elsewhere: it needs a rule that names what it runs. */
  | 'governs';

const reaches: ReadonlySet<string> = new Set<Reach>([
  'reads',
  'tells',
  'quiet',
  'contained',
  'works',
  'named',
  'wraps',
  'governs',
]);

/** What a value or an operand means. Which texts are known to be harmless in each is told by `roles.ts`. */
export type Role =
  | 'any'
  | 'assign'
  | 'awk'
  | 'code'
  | 'command'
  | 'date'
  | 'format'
  | 'jq'
  | 'member'
  | 'mode'
  | 'module'
  | 'name'
  | 'number'
  | 'option'
  | 'processes'
  | 'program'
  | 'read'
  | 'remote'
  | 'runnable'
  | 'sed'
  | 'seconds'
  | 'setting'
  | 'source'
  | 'sub'
  | 'test'
  | 'text'
  | 'variable'
  | 'word'
  | 'write';

export type Option = {
  roles: readonly Role[];
  /** Whether its value can only be glued to it, and may be missing. */
  isOptional: boolean;
  isGuarded: boolean;
  isFirstOperand: boolean;
  isOpener: boolean;
  isRecursive: boolean;
};

type Trait =
  | 'adds'
  | 'builtin'
  | 'bundle'
  | 'folder'
  | 'last'
  | 'open'
  | 'outline'
  | 'plain'
  | 'posix'
  | 'sweeps'
  | 'wide'
  | 'words';

export type Row = {
  reach: Reach;
  names: readonly string[];
  /** The words that lead to it, each with its other names. */
  subcommand: readonly (readonly string[])[];
  options: ReadonlyMap<string, Option>;
  /** Beginnings of options, longest first. */
  beginnings: readonly string[];
  operands: readonly { role: Role; isRepeated: boolean }[];
  traits: ReadonlySet<Trait>;
};

export type Table = { rows: string; shared?: { readonly [name: string]: string } };

/** @throws where a row is not written as it should be, which a test finds. */
export function readTable({ rows, shared = {} }: Table): Row[] {
  const lines = rows.split('\n').map((line) => line.trim());
  const texts: string[] = [];
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const [first = ''] = line.split(' ', 1);
    if (reaches.has(first)) texts.push(line);
    else texts.push(`${texts.pop() ?? ''} ${line}`);
  }
  return texts.map((text) => readRow(text, shared));
}

function readRow(text: string, shared: NonNullable<Table['shared']>): Row {
  const [head = '', options = '', operands = '', ...more] = text.split(/\s:(?=\s|$)/);
  if (more.length > 0) throw new Error(`A row has too many parts: ${text}`);
  const [reach = '', names = '', ...subcommand] = wordsOf(head);
  const row = {
    reach: reach as Reach,
    names: names.split(','),
    subcommand: subcommand.map((word) => word.split(',')),
    options: new Map<string, Option>(),
    operands: wordsOf(operands).map((word) => ({
      role: word.replace('*', '') as Role,
      isRepeated: word.endsWith('*'),
    })),
    traits: new Set<Trait>(),
  };
  const add = (word: string): void => {
    if (word.startsWith('@')) {
      if (!Object.hasOwn(shared, word.slice(1))) throw new Error(`Nothing is shared as ${word}: ${text}`);
      for (const each of wordsOf(shared[word.slice(1)] ?? '')) add(each);
    } else if (word.startsWith('&')) row.traits.add(word.slice(1) as Trait);
    else addOption(word, row.options, row.traits);
  };
  // What a row says of itself says how its options are read.
  const words = wordsOf(options);
  for (const word of [...words.filter((each) => each.startsWith('&')), ...words.filter((each) => !/^&/.test(each))])
    add(word);
  const beginnings = [...row.options.keys()].filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return { ...row, beginnings: beginnings.sort((one, other) => other.length - one.length) };
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

const optionWord = /^(!?)(-[^:?^+~\s]+)(?:([:?])([a-z,]+))?([\^+~]?)$/;

function addOption(word: string, options: Map<string, Option>, traits: ReadonlySet<Trait>): void {
  const [, guard, name = '', kind, roles = '', mark] = optionWord.exec(word) ?? [];
  if (name === '') throw new Error(`This is no option: ${word}`);
  const option: Option = {
    roles: roles === '' ? [] : (roles.split(',') as Role[]),
    isOptional: kind === '?',
    isGuarded: guard === '!',
    isFirstOperand: mark === '^',
    isOpener: mark === '+',
    isRecursive: mark === '~',
  };
  const isWhole = name.startsWith('--') || traits.has('words') || name === '-#';
  const names = isWhole ? [name] : Array.from(name.slice(1), (letter) => `-${letter}`);
  // Of several letters the last one has the value.
  for (const [index, each] of names.entries()) {
    options.set(
      each,
      index === names.length - 1 ? option : { ...option, roles: [], isOptional: false, isRecursive: false },
    );
  }
}
