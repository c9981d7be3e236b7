/** Command lines that are made up from the table of programs, and from all that is known to fool those who read such lines. */
import { rowsOf } from '../../src/programs/catalogue.ts';
import type { Option, Role, Row } from '../../src/programs/format.ts';

/** Programs of which lines are made: those that read, and some that do not. */
const programs =
  `awk gawk mawk nawk original-awk sed sort uniq grep egrep find jq cat head tail wc cut tr nl od ls stat du file diff cmp
  comm join paste fold fmt expand column date printf echo test [ basename dirname realpath readlink md5sum sha256sum cksum base64
  xxd strings rev tac tee tree rg seq expr command which type uname id df xargs env timeout nice git cd read sleep ps`.split(
    /\s+/,
  );

const files = ['a.txt', 'b.ts', 'c.json', 'src/d.ts', './a.txt', 'src', '.', 'sub dir/e', 'none', '-', 'src/../a.txt'];
const wild = [
  '*',
  '*.txt',
  './*',
  'src/*',
  '*.{txt,ts}',
  '[ab].*',
  '{a.txt,b.ts}',
  '{a,/etc/passwd}',
  '$HOME',
  '"$PWD"',
  '~',
  '"$x"',
  '$x',
  '-*',
];
const elsewhere = [
  '.env',
  './.env',
  '.e*',
  'links/s',
  '../outside/secret',
  '/etc/passwd',
  '~/x',
  'links/../.env',
  '@.env',
  'src/../../outside/secret',
];
const options = [
  '-o',
  '-ox',
  '-oX',
  '--output=X',
  '--out=X',
  '-i',
  '-i.bak',
  '-e',
  '-f',
  '-f.env',
  '--file=X',
  '-T.',
  '-w',
  '--compress-program=./evil',
  '--files0-from=l',
  '--pre=./evil',
  '-exec',
  '-delete',
  '-fprint',
  'X',
  '-x',
  '-l',
  '-v',
  '-F',
  '-c',
  '-C',
  '-d',
  '-s',
  '-p',
  '-R',
  '-z',
  '-u',
  '--',
  '-E',
  '-W',
  'exec=./evil',
  '--exec=./evil',
  '-D',
  '--debug=X',
  '-I{}',
  '{}',
  ';',
  '+',
  '-n',
  '-0',
  '-t',
  '--to-command=./evil',
  '-m',
  'M=1',
  '-S',
];

const awk = [
  '{print $1}',
  '{print > "X"}',
  'BEGIN{system("./evil")}',
  'BEGIN{"./evil"|getline}',
  '/a/{n++} END{print n}',
  '{print | "./evil"}',
  'BEGIN{f="system";@f("./evil")}',
  'NR==1',
  '{printf "%s\\n", $1 > "/dev/stderr"}',
  'BEGIN{while((getline l < ".env")>0) print l}',
  '$1 > 2',
  '{print ($1>2)}',
  'BEGIN{ARGV[1]=".env";ARGC=2}{print}',
  '{gsub(/[/]/,"x");print}',
  '-f',
  'length',
  '@include "X"',
  'function f(x){return x} {print f($1)}',
  'BEGIN { printf "x" >> "X" }',
];
/** Pieces of scripts, put together without sense. */
const awkPieces = [
  'if (1) ',
  'length ',
  '++',
  '/"/',
  'system("./evil")',
  '{',
  '}',
  'print',
  ' ',
  'system',
  '(',
  ')',
  '"./evil"',
  '>',
  '"X"',
  '/',
  'a',
  '/a/',
  '|',
  'getline',
  ';',
  '\n',
  '$1',
  'x',
  '=',
  '<',
  '".env"',
  '#',
  '"',
  '\\',
  ',',
  '[',
  ']',
  '!',
  '&&',
  'BEGIN',
  'printf',
  'close',
  '@',
  '?',
  ':',
];
const sed = [
  'p',
  '1,5p',
  's/a/b/',
  's/a/b/w X',
  '1e ./evil',
  's/a/.\\/evil/e',
  'w X',
  'r .env',
  'R .env',
  '$!N',
  's|a|b|g;q',
  '/x/,/y/d',
  'y/a/b/',
  '1{p;w X\n}',
  's/[/]/x/w X',
  'a\\\nx',
  '5q',
  '=',
  'e',
  '1!G;h;$!d',
  's/[ \\t]*$//',
];
const sedPieces = [
  's',
  '/',
  'a',
  '[',
  ']',
  'w',
  ' ',
  'X',
  'e',
  ';',
  'p',
  '\n',
  '{',
  '}',
  '1',
  ',',
  '$',
  '!',
  '\\',
  '^',
  '|',
  'g',
  '.',
  '*',
  'r',
  '.env',
  '#',
  'n',
  '\\t',
  ':',
  'b',
];
const jq = [
  '.',
  '.a',
  '.a|keys',
  'env',
  '$ENV',
  'input_filename',
  'import "x" as x; .',
  '.["a"]',
  'inputs',
  '[.[]|.a?]',
  '@sh',
  '$__loc__',
  'env.PATH',
];

type Random = { next(below: number): number };

/** Numbers that follow from a seed. Source: Mulberry32. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return {
    next(below) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
    },
  };
}

export function generatedLines(count: number, seed: number): string[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => lineOf(random));
}

const pick = <Each>({ next }: Random, list: readonly Each[]): Each => list[next(list.length)] as Each;
const isOneIn = ({ next }: Random, count: number) => next(count) === 0;

function lineOf(random: Random): string {
  const one = () => commandOf(random);
  const forms: (() => string)[] = [
    one,
    one,
    () => `${one()} ${pick(random, ['-- ', ''])}${pick(random, options)} ${pick(random, options)}`,
    one,
    one,
    () => `${one()} | ${one()}`,
    () => `${one()} && ${one()}`,
    () => `${one()}; ${one()}`,
    () => `${one()} 2>/dev/null`,
    () => `${one()} ${pick(random, ['> X', '>> a.txt', '> /dev/null', '< a.txt', '< .env', '2>&1', '&> X', '<<< x'])}`,
    () =>
      `for f in ${[0, 1, 2].map(() => pick(random, [...files, ...wild, ...elsewhere])).join(' ')}; do ${one()} ${pick(random, ['"$f"', '$f', '"src/$f"', '"$\x7bf}"'])}; done`,
    () => `${one()} | xargs ${pick(random, ['', '-0 ', '-n 1 ', '-I{} '])}${one()}`,
    () =>
      `find ${pick(random, ['.', 'src', '/etc', '..'])} -name '*.t*' -exec ${one()} {} ${pick(random, ['+', '\\;'])}`,
    () => `${one()} | while read -r f; do ${one()} ${pick(random, ['"$f"', '$f'])}; done`,
    () =>
      `cd ${pick(random, ['src', '..', '.', 'src/..', 'links', '"sub dir"'])} ${pick(random, ['&&', ';', '||', '|'])} ${one()}`,
    () => `timeout ${pick(random, ['5', '-s KILL 5', '-k 1 5', '-X'])} ${one()}`,
    () => `echo "$(${one()})"`,
    () => `(${one()}; ${one()})`,
    () => `if ${one()}; then ${one()}; fi`,
    () => `[[ ${word(random)} ${pick(random, ['==', '-eq', '-nt', '=~', '-lt'])} ${word(random)} ]] && ${one()}`,
    () => `${pick(random, ['A=1', 'LC_ALL=C', 'PATH=.', 'x=y', 'IFS=x'])} ${one()}`,
    () => `bash -c ${quoted(one())}`,
    () => `x=${word(random)}; ${one()}`,
  ];
  return pick(random, forms)();
}

function commandOf(random: Random): string {
  const name = pick(random, programs);
  const rows = rowsOf(name);
  const row = rows[random.next(rows.length)];
  const words = [name, ...(row?.subcommand.map((names) => pick(random, names)) ?? [])];
  const count = random.next(5);
  for (let index = 0; index < count; index++) words.push(...argumentOf(random, row));
  for (const { role } of row?.operands ?? []) if (!isOneIn(random, 4)) words.push(valueIn(random, role));
  for (let left = random.next(4); left > 2; left--) {
    words.splice(1 + random.next(words.length), 0, pick(random, options));
  }
  if (name === '[') words.push(']');
  return words.join(' ');
}

function argumentOf(random: Random, row: Row | undefined): string[] {
  if (row === undefined || isOneIn(random, 5)) return [pick(random, [...options, ...files, ...wild])];
  const known = Array.from(row.options.keys());
  if (known.length === 0 || isOneIn(random, 4)) return [word(random)];
  const name = pick(random, known);
  return spelt(random, name, row.options.get(name) as Option);
}

/** An option in one of its spellings, right ones and wrong ones. */
function spelt(random: Random, name: string, { roles }: Option): string[] {
  if (name === '-#') return [`-${random.next(20)}`];
  const [role] = roles;
  if (role === undefined) return [isOneIn(random, 12) ? `${name}${pick(random, ['o', 'i', '=x', 'X'])}` : name];
  const value = valueIn(random, role);
  if (name.startsWith('--')) return isOneIn(random, 2) ? [`${name}=${value}`] : [name, value];
  return isOneIn(random, 2) ? [`${name}${value}`] : [name, ...roles.map((each) => valueIn(random, each))];
}

function valueIn(random: Random, role: Role): string {
  // What stands where it does not belong shows who counts wrong.
  if (isOneIn(random, 12))
    return pick(random, [...options, ...wild, ...elsewhere, quoted(pick(random, [...awk, ...sed]))]);
  switch (role) {
    case 'awk':
      return quoted(isOneIn(random, 2) ? pick(random, awk) : pieced(random, awkPieces));
    case 'sed':
      return quoted(isOneIn(random, 2) ? pick(random, sed) : pieced(random, sedPieces));
    case 'jq':
      return quoted(pick(random, jq));
    case 'number':
    case 'seconds':
      return pick(random, ['1', '2', '10', '+3', '0']);
    case 'date':
      return pick(random, ['+%s', '010100002030', '+%Y']);
    case 'format':
      return quoted(pick(random, ['%s\\n', '%n', 'x', '%d %s']));
    case 'test':
      return pick(random, ['-f', 'a.txt', '=', '-v', "'a[$(./evil)]'", '-n', '"$x"', '!']);
    case 'command':
      return commandOf(random);
    case 'variable':
      return pick(random, ['f', 'x', 'PATH', "'a[$(./evil)]'"]);
    case 'setting':
      return pick(random, ['user.name', 'core.pager']);
    default:
      return word(random);
  }
}

const pieced = (random: Random, pieces: readonly string[]) =>
  Array.from({ length: 1 + random.next(9) }, () => pick(random, pieces)).join('');

function word(random: Random): string {
  const text = pick(random, isOneIn(random, 5) ? elsewhere : isOneIn(random, 4) ? wild : files);
  if (/[*{$~"]/.test(text)) return text;
  const spellings = [
    text,
    quoted(text),
    `"${text}"`,
    text.replace(/^(.)/, '\\$1'),
    `${text.slice(0, 1)}''${text.slice(1)}`,
  ];
  return /[ ']/.test(text) ? quoted(text) : pick(random, spellings);
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
