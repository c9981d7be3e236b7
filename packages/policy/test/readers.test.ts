import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareCommand, readingCommands, readsOnly } from '../src/index.ts';
import { programNames, rowsOf } from '../src/programs/catalogue.ts';
import { isAccepted } from '../src/programs/roles.ts';
import { constructs } from './constructs.ts';

await prepareCommand('more than; plain words');

/** Uses of rows that read; of the others the name and a file is one. */
const examples: { readonly [name: string]: readonly string[] } = {
  ':': [':'],
  '[': ['[ -f a ]', '[ a = b ]', "[ -n 'x' ]"],
  '[[': ['[[ -f a ]]', '[[ $x == y ]]', '[[ -n $x && ! -d b ]]'],
  bash: ['bash --version'],
  cd: ['cd src'],
  command: ['command -v node'],
  date: ['date', 'date +%s', 'date -u +%F'],
  diff: ['diff -u a b'],
  fd: ['fd x src'],
  file: ['file -b a'],
  find: ["find src -name '*.ts' -type f", 'find . -maxdepth 2 -mtime -3 ! -empty -print0'],
  git: ['git --version', 'git rev-parse --show-toplevel', 'git branch --show-current'],
  grep: ['grep -rn TODO src', "grep -E 'a|b' x | head -3"],
  base64: ['base64 a', 'base64 -d a'],
  jq: [
    "jq -r '.name' package.json",
    "jq -r '.scripts | keys[]' package.json | head",
    'jq --arg f x .a ./*.json',
    'jq .env a/.env.json env.json environments.json',
  ],
  node: ['node --version', 'node -v'],
  printf: ["printf '%s\\n' a", "printf -- '%-5.2f %q %(%F)T 5%%\\n' 1 a 0"],
  python: ['python --version'],
  python3: ['python3 -V'],
  rg: ["rg -n 'a b' src"],
  sed: [
    "sed -n '1,20p' a",
    'sed -n 5p a',
    "sed -n '$p' a",
    "sed -n '/^function/,/^}/p' a",
    "sed '1,5d;/x/!{s/a/b/gI;q}' a",
    'sed -E "s|/(a+)|[\\1]|" a',
    "sed 's/[[:space:]]*$//' a",
  ],
  ...Object.fromEntries(
    ['awk', 'gawk', 'mawk', 'nawk'].map((name) => [
      name,
      [
        `${name} '{print $1}' a`,
        `${name} -F: -v n=3 '$3 > n || /a|b/ { s += $2 } END { printf "%d\\n", s }' a ./*.log`,
        `${name} -F ' ' 'NR>=10 && NR<=20' a`,
      ],
    ]),
  ),
  ...Object.fromEntries(['cmake', 'gcc', 'g++', 'cc', 'clang', 'make'].map((name) => [name, [`${name} --version`]])),
  ...Object.fromEntries(['pip', 'pip3'].map((name) => [name, [`${name} --version`]])),
  ...Object.fromEntries(['pnpm', 'yarn', 'bun'].map((name) => [name, []])),
  go: [],
  ps: ['ps aux', 'ps -ef', 'ps -p 1'],
  free: ['free -h'],
  read: ['read -r line', 'read a b'],
  tee: ['ls | tee /dev/null'],

  ...Object.fromEntries(['npm', 'perl', 'php', 'ruby'].map((name) => [name, [`${name} --version`, `${name} -v`]])),
  java: ['java -version'],
  sleep: ['sleep 5', 'sleep 0.5'],
  sort: ['sort -u a', 'sort -k1,1 -t: a | uniq -c'],
  tail: ['tail -n 5 a', 'tail -5 a'],
  test: ['test -f a'],
  tree: ['tree -L 2 src'],
  uniq: ['uniq -c', 'uniq a'],
  du: ['du -sh *', 'du -sc a'],
  sha256sum: ['sha256sum *.tgz', 'sha256sum -b a'],
  wc: ['wc -l *.ts', 'wc -lc a'],
  wait: ['wait', 'wait -n'],
};

/** What the entry must not let through. */
const changing: { readonly [name: string]: readonly string[] } = {
  '[': ['[ -f a', "[ -v 'a[$(x)]' ]", '[ "$x" -a y ]', '[ -R a ]'],
  '[[': ["[[ 'a[$(x)]' -eq 1 ]]", '[[ x -eq 0 ]]', '[[ -v a ]]', '[[ -o errexit ]]', '[[ a -lt b ]]'],
  bash: ['bash', 'bash -v', 'bash x.sh', 'bash --version x'],
  command: ['command -p'],
  date: ['date -s now', 'date --set=now', 'date 010100002030', 'date -f x'],
  diff: ['diff -l a b', 'diff --paginate a b', 'diff --pag a b', 'diff -ul a b'],
  fd: ['fd -x rm', 'fd . -X rm', 'fd --exec rm', 'fd --exec-batch=rm'],
  file: ['file -C -m x', 'file --compile', 'file -z a', 'file -bz a', 'file -p a', 'file --preserve-date a'],
  find: [
    'find . -exec touch x +',
    'find . -execdir touch x +',
    'find . -ok touch x +',
    'find . -delete',
    'find -- . -delete',
    'find . -- -delete',
    'find . -fprint x',
    'find . -fprintf x a',
    'find . -fls x',
    'find . -fprint0 x',
    'find . $X',
    'find . -unknown',
  ],
  git: ['git', 'git status', 'git log -p', 'git diff', 'git branch -D x', 'git branch x', 'git -c a=b --version'],
  node: ['node', 'node x.js', 'node -e x', 'node -v x'],
  printf: [
    "printf -v 'a[$(x)]' y",
    "printf '-v' a b",
    'printf -va b',
    // Sets a variable to the number of characters so far: `PATH` to a folder of the project.
    "printf 'x%n' PATH",
    'printf x%-5.3n PATH',
    'printf %s%hhn a PATH',
    'printf %%%n PATH',
    "printf -- '-%n' PATH",
    'printf "x$f" PATH',
  ],
  python3: ['python3', 'python3 -v', 'python3 -c x'],
  rg: ['rg --pre cat x', 'rg --pre=cat x', 'rg -z x', 'rg --hostname-bin=x y', 'rg --search-zip y'],
  sed: [
    'sed -i s/a/b/ x',
    "sed -n 'w x' y",
    "sed -n '1e touch x'",
    'sed s/a/b/e x',
    "sed 's/a/b/w y' x",
    "sed '/[/s/]/w x/;p' y",
    "sed '/[]/s/]/w x/;p' y",
    "sed '/[^]/s/]/w x/;p' y",
    "sed '/[[.].]/s/]/w x/;p' y",
    "sed '/[[=]=]/s/]/w x/;p' y",
    "sed '/[[:]/s/:]]/w x/;p' y",
    "sed '1r /etc/x' y",
    "sed 's/[/]/;/w p/p' y",
    "sed 's/[]/]/;/w p/p' y",
    "sed 's/[^]/]/;/w p/p' y",
    "sed 's/a/b\nw x/' y",
    "sed 'p\nw x' y",
    'sed "p$X" y',
    'sed p *.ts -i',
    'sed -n -f x',
    "sed -n '1,2w x' y",
    'sed -n a 1p',
  ],
  ...Object.fromEntries(
    ['awk', 'gawk', 'mawk', 'nawk'].map((name) => [
      name,
      [
        `${name} '{print > "x"}' a`,
        `${name} '{printf $1 | "sh"}' a`,
        `${name} 'BEGIN{system("x")}'`,
        `${name} '"x" | getline'`,
        `${name} 'BEGIN{ARGV[1]="/etc/x"} 1' a`,
        `${name} '@include "x"' a`,
        `${name} 'BEGIN{SYMTAB["ARG" "C"]=2; SYMTAB["AR" "GV"][1]="/etc/x"} 1' a`,
        `${name} 'BEGIN{sys\\\ntem("x")}'`,
        `${name} -f x`,
        `${name} -i x 1`,
        `${name} -F : a*`,
        `${name} -F a* '{print}'`,
        `${name} "{print}$X" a`,
        `${name} -- -f x`,
        `${name} --file=x`,
      ],
    ]),
  ),
  ...Object.fromEntries(
    ['cmake', 'gcc', 'make'].map((name) => [
      name,
      [name, `${name} --version x`, `${name} --`, `${name} -- --version`, `${name} --version -- x`],
    ]),
  ),
  ...Object.fromEntries(['npm', 'perl', 'php', 'ruby'].map((name) => [name, [name, `${name} -v x`, `${name} -e x`]])),
  java: ['java', 'java -version x', 'java x'],
  base64: ['base64 -i a -o b', 'base64 -Do b a', 'base64 --output=b a'],
  jq: [
    'jq -f x a',
    'jq -rf x a',
    'jq --from-file x a',
    'jq -L x . a',
    `jq -n 'import "credentials" as $d {search: "/home/ann/.aws"}; $d'`,
    `jq -n ' include "x"; y'`,
    `jq -n '#\\nimport "x" as $d; $d'`,
    'jq "$X" a',
    'jq -n env',
    'jq .[env] a',
    "jq -n '$ ENV'",
    "jq -n '$\nENV'",
    'jq -n "[$ENV]"',
    "jq -n '$ENV.TOKEN'",
    `jq -n '"\\(env)"'`,
    `jq -n '{a: 1} + env'`,
    `jq -n '"/x" | modulemeta'`,
  ],
  sleep: ['sleep infinity', 'sleep 1h', 'sleep 5 5', 'sleep $X', 'sleep 5000'],
  sort: ['sort -o x y', 'sort -uo x y', 'sort --output=x y', 'sort --out x', 'sort --compress-program=x', 'sort -T x'],
  tail: ['tail -f x', 'tail -nf x', 'tail --follow x', 'tail -F x', 'tail --retry x'],
  test: ["test -v 'a[$(x)]'"],
  tree: ['tree -o x', 'tree --output x'],
  // What they look at then stands in a file, and may lie anywhere.
  ...Object.fromEntries(['du', 'wc'].map((name) => [name, [`${name} --files0-from=x`, `${name} --files0 x`]])),
  ...Object.fromEntries(
    'b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum'
      .split(' ')
      .map((name) => [name, [`${name} -c x`, `${name} --check x`]]),
  ),
  strings: ['strings @x', 'strings -t @x a'],
  xxd: ['xxd a b', 'xxd a -c10', 'xxd -r a b'],
  uniq: ['uniq a -c', 'uniq a b', 'uniq $X', 'uniq a -- -b', 'uniq -- -a -b'],
  wait: ["wait -p 'a[$(x)]'"],
};

const knownTraits: ReadonlySet<string> = new Set(
  'adds builtin bundle folder last open outline plain posix sweeps wide words'.split(' '),
);

describe('P2: the table of commands that only read', () => {
  it.each(readingCommands())('%s reads in its examples, and not in those that change something', (name) => {
    for (const command of examples[name] ?? [`${name} x`, `${name} 'a b' | wc -l`]) {
      expect({ command, reads: readsOnly(command) }).toEqual({ command, reads: true });
    }
    for (const command of changing[name] ?? []) {
      expect({ command, reads: readsOnly(command) }).toEqual({ command, reads: false });
    }
  });

  it('an option that a row does not have is doubt, in any spelling and place', () => {
    const rows = programNames().flatMap((name) => rowsOf(name).map((row) => ({ name, row })));
    const reading = rows.filter(({ row }) => row.reach === 'reads' && !row.traits.has('plain'));
    const operand = fc.stringMatching(/^[a-z0-9./]{1,6}$/);
    const strange = fc.oneof(fc.stringMatching(/^-[a-zA-Z]{1,3}$/), fc.stringMatching(/^--[a-z]{2,9}(=[a-z]{1,3})?$/));
    let tried = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...reading),
        fc.array(operand, { maxLength: 3 }),
        strange,
        fc.nat(3),
        ({ name }, operands, option, at) => {
          const has = (each: string) => rowsOf(name).some(({ options }) => options.has(each));
          const letters = Array.from(option.slice(1), (letter) => `-${letter}`);
          fc.pre(!has(option.split('=')[0] as string) && (option.startsWith('--') || !letters.some(has)));
          fc.pre(!rowsOf(name).some(({ traits }) => traits.has('posix')) || at === 0);
          const words = [...operands];
          words.splice(at % (words.length + 1), 0, option);
          tried += 1;
          expect([name, words, readsOnly([name, ...words].join(' '))]).toEqual([name, words, false]);
        },
      ),
      { numRuns: 3000 },
    );
    expect(tried).toBeGreaterThan(1000);
  });

  it('no row has an option, a role or a trait that nobody knows', () => {
    for (const name of programNames()) {
      for (const { options, operands, traits } of rowsOf(name)) {
        const used = [
          ...operands,
          ...Array.from(options.values()).flatMap((option) => option.roles.map((role) => ({ role }))),
        ];
        expect(used.map(({ role }) => isAccepted(role, 'x')).filter((known) => typeof known !== 'boolean')).toEqual([]);
        expect([...traits].filter((trait) => !knownTraits.has(trait))).toEqual([]);
      }
    }
  });

  it('whatever script of sed it lets through, sed writes nothing and runs nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-sed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'in'), 'a/b\n[x]\nwp\n');
    const piece = fc.constantFrom(
      ...'s s / / / [ ] ^ w e p ; | # , $ ! 1 g I a x * .'.split(' '),
      '\\',
      ' ',
      'w p',
      '[/]',
      '[^/]',
      '[]',
      's/',
      '/p',
    );
    let tried = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 14 }), (pieces) => {
        const script = pieces.join('');
        fc.pre(readsOnly(`sed '${script}' in`));
        tried += 1;
        spawnSync('sed', [script, 'in'], { cwd: folder });
        expect(readdirSync(folder)).toEqual(['in']);
      }),
      { numRuns: 300, maxSkipsPerRun: 1000 },
    );
    expect(tried).toBeGreaterThan(100);
  }, 120_000);

  it('no program that runs others is in it, but to ask for its version', () => {
    const alone = (name: string) =>
      rowsOf(name).flatMap(({ subcommand, reach }) => (subcommand.length === 0 ? [reach] : []));
    const both = programNames().filter(
      (name) => alone(name).includes('reads') && alone(name).some((reach) => reach === 'wraps' || reach === 'governs'),
    );
    expect(both).toEqual(['command']);
  });

  it('a construct around it reads only if all of it does', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...constructs),
        fc.constantFrom('touch x', 'git status', 'X=1 ls', 'ls > x'),
        (wrap, inner) => {
          expect(readsOnly(wrap(inner).replaceAll('git log', 'ls'))).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
    for (const command of [
      'ls && cat a',
      'ls | wc -l',
      '(ls)',
      'for i in a b; do echo "$i"; done',
      'cat a 2>/dev/null',
      'x=$(ls)',
      'cat < a',
    ]) {
      expect({ command, reads: readsOnly(command) }).toEqual({ command, reads: true });
    }
  });
});
