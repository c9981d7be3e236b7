import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { prepareCommand } from '../src/index.ts';
import { analyse } from '../src/shell/analyse.ts';
import { constructs } from './constructs.ts';

await prepareCommand('more than; plain words');

const folder = mkdtempSync(join(tmpdir(), 'pawl-bash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Pieces that are put together without sense, so that quotes, operators and ends of lines stand where none expects them. */
const pieces = [
  ...[
    'foo',
    'bar',
    'evil x',
    '-n',
    'x',
    ' ',
    ' ',
    ' ',
    '\t',
    '\n',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '(',
    ')',
    '{ ',
    '; }',
    '}',
  ],
  ...[
    '$(',
    ')',
    '`',
    "'",
    '"',
    '\\',
    '\\\n',
    '$',
    '$x',
    `$\{x}`,
    '${x:-',
    '#',
    ' #',
    '<',
    '>',
    '>>',
    '<<',
    '<<E\n',
    '\nE\n',
  ],
  ...["<<'E'\n", '<<<', '&>', '2>', '2>&1', '=', 'a=', 'A=1 ', '[ ', '[[ ', ' ]]', ' ]', '!', 'if ', '; then ', '; fi'],
  ...['while ', '; do ', '; done', 'for i in ', 'case ', ' in ', ';;', 'f() ', '*', '~', '{a,b}', '$((', '))', 'time '],
  ...[
    'eval ',
    'command ',
    'env ',
    'timeout 5 ',
    'bash -c ',
    'echo ',
    '<(',
    "$'",
    '\\x41',
    '"$(',
    ')"',
    'E',
    'true',
    '"$@"',
  ],
];
const simple = ['foo x', 'evil', 'bar -n y', 'echo a', 'A=1 foo', 'foo "a b"', "foo 'a'", 'x=1', 'foo > out', '(foo)'];

const line = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...simple),
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom(...constructs), tie('line')).map(([wrap, inner]) => wrap(inner)),
    fc
      .tuple(tie('line'), fc.constantFrom(...pieces), fc.nat())
      .map(([text, piece, at]) => text.slice(0, at % (text.length + 1)) + piece + text.slice(at % (text.length + 1))),
  ),
})).line;

/** Runs each line in bash, where no program is found, and tells which words each would have been started with. */
function startedBy(lines: readonly string[]): string[][][] {
  const out = join(folder, 'started');
  writeFileSync(out, '');
  writeFileSync(join(folder, 'lines'), lines.map((text) => `${text}\0`).join(''));
  const script = `
    cd '${folder}' && /bin/mkdir -p empty && cd empty
    command_not_found_handle() {
      local words; printf -v words '%s\\1' "$@"
      printf '%s' "$LINE"$'\\1'"$words"$'\\2' >> '${out}'
      [[ $1 != bar ]]
    }
    export -f command_not_found_handle
    export LINE=0
    ulimit -t 1 -f 200000
    while IFS= read -r -d '' text <&8; do
      /usr/bin/timeout -k 1 3 /bin/bash -c "$text" < /dev/null > /dev/null 2>&1
      LINE=$((LINE + 1))
    done 8< '${folder}/lines'`;
  spawnSync('/bin/bash', ['--norc', '-c', script], {
    env: { PATH: '/nonexistent', HOME: '/home/ann' },
    stdio: 'ignore',
  });
  const started = lines.map((): string[][] => []);
  for (const record of readFileSync(out, 'utf8').split('\x02').slice(0, -1)) {
    const [index, ...words] = record.split('\x01').slice(0, -1);
    started[Number(index)]?.push(words);
  }
  return started;
}

/** Whether a command that was seen is the one that was started; words that only the shell knows stand for any. */
function isSeen(seen: readonly (string | null)[], started: readonly string[]): boolean {
  const [first, ...rest] = seen;
  if (first === undefined) return started.length === 0;
  if (first !== null) return started[0] === first && isSeen(rest, started.slice(1));
  return started.some((_, index) => isSeen(rest, started.slice(index))) || isSeen(rest, []);
}

describe('P2: what bash runs has been seen', () => {
  it('every program that bash starts is one that the analysis named, or it was in doubt', { timeout: 120_000 }, () => {
    const lines = fc
      .sample(line, {
        numRuns: Number(process.env.POLICY_TRIES ?? 2500),
        seed: Number(process.env.POLICY_SEED ?? 20261122),
      })
      .filter((text) => text.length < 400 && !text.includes('\0'));
    const certain = lines.filter((text) => analyse(text).every(({ kind }) => kind !== 'doubt'));
    const started = startedBy(certain);
    const unseen = certain.flatMap((text, index) => {
      const seen = analyse(text).flatMap((part) =>
        part.kind === 'command' ? [part.words.map((word) => word.text)] : [],
      );
      return (
        (started[index] ?? [])
          // Of `find` what it runs is taken out, and judged by itself.
          .filter((words) => words[0] !== 'find' && !seen.some((each) => isSeen(each, words)))
          .map((words) => ({ text, words }))
      );
    });
    expect(unseen).toEqual([]);
    // Else nothing was looked at.
    expect(certain.length).toBeGreaterThan(lines.length / 8);
    expect(started.flat().length).toBeGreaterThan(certain.length / 4);
  });

  it.each([
    // What the shell runs here is `!`; the grammar takes it for a negation.
    '> true > foo < in !>EOF & foo',
    // Bash 5.2 runs one command with all of these words.
    'foo $(foo <<E\nE\nevil a; echo b)',
    '> a evil x',
    'cat <<E evil\nE',
    "$'a\\\\' ; evil 'b'",
    'r\\\nm x',
    'echo a\\ b; evil',
    'echo "x"#$(evil)',
    'x=1 > a evil',
  ])('also of %j, where the grammar and the shell differ', (text) => {
    const parts = analyse(text);
    const seen = parts.flatMap((part) => (part.kind === 'command' ? [part.words.map((word) => word.text)] : []));
    const isInDoubt = parts.some(({ kind }) => kind === 'doubt');
    const [started = []] = startedBy([text]);
    expect(isInDoubt || started.every((words) => seen.some((each) => isSeen(each, words)))).toBe(true);
  });

  it('a program that the shell could not have been seen to start would be found out', () => {
    const [words] = startedBy(['eval "ev""il" x']);
    expect(words).toEqual([['evil', 'x']]);
    expect(isSeen(['evil'], words?.[0] ?? [])).toBe(false);
    expect(isSeen(['evil', null], words?.[0] ?? [])).toBe(true);
  });
});
