import { execFileSync, spawnSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { certainPaths } from '../src/shell/certain-paths.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

const files = ['a', 'b', 'c', 'd/e', 'd/f', 'g h'];

/** A folder whose files each hold a word that no other has. */
function makeFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'd'));
  for (const file of files) writeFileSync(join(folder, file), `token<${file}>\n`);
  symlinkSync('b', join(folder, 'link'));
  symlinkSync('d', join(folder, 'to'));
  linkSync(join(folder, 'c'), join(folder, 'again'));
  return folder;
}

function entriesOf(folder: string, path = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
    const name = join(path, entry.name);
    if (entry.isDirectory()) {
      found.set(name, 'folder');
      for (const [each, content] of entriesOf(folder, name)) found.set(each, content);
    } else if (entry.isFile()) {
      const { mtimeNs, ino } = statSync(join(folder, name), { bigint: true });
      found.set(name, `${ino} ${mtimeNs} ${readFileSync(join(folder, name), 'utf8')}`);
    } else found.set(name, 'link');
  }
  return found;
}

const name = fc.constantFrom(
  ...files.slice(0, 5),
  ...['new', 'd/new', 'x/y', './a', 'd//e', 'link', 'to/e', 'again', '.', '~', '-', '--', '""'],
  ...[
    "'g h'",
    '"g h"',
    'g\\ h',
    "a'b'",
    '*',
    '[ab]',
    '{a,b}',
    '$HOME/a',
    '"$PWD/a"',
    '../a',
    'd/../a',
    '/dev/null',
    '#',
  ],
);
const option = fc.constantFrom('', '-p', '-a', '-f', '-r', '-n', '-v', '--', '--help', '-m 600', '-c');
const program = fc.constantFrom(
  ...['cat', 'cat', 'echo', 'echo', 'mkdir', 'printf', 'rm', 'sleep 0', 'tee', 'touch', 'touch', 'true'],
  ...['cp', 'mv', 'ln -s', 'sed -i s/t/u/', 'cd', 'A=1', 'exec', '!', 'time', 'eval', 'env', 'command'],
);
const redirect = fc.tuple(
  fc.constantFrom('', '', '>', '>>', '<', '2>', '2>&1', '&>', '>|', '>&', '<>', '3>', '<<<'),
  fc.constantFrom('', ' '),
  name,
);
const anything = fc
  .tuple(program, option, fc.array(name, { maxLength: 3 }), redirect)
  .map(([first, flag, names, [sign, blank, target]]) =>
    [first, flag, ...names, sign === '' ? '' : sign === '2>&1' ? sign : `${sign}${blank}${target}`]
      .filter((word) => word !== '')
      .join(' '),
  );
const plainName = fc.constantFrom('a', 'd/e', 'new', 'd/new', 'x/y', 'link', 'to/f', 'g h', './b');
const plain = fc
  .tuple(
    fc.constantFrom('cat', 'touch', 'rm -f', 'mkdir -p', 'tee -a', 'echo'),
    plainName,
    fc.constantFrom('>', '>>'),
    plainName,
  )
  .map(([first, one, sign, other]) => `${first} "${one}" ${sign} '${other}'`);
const simple = fc.oneof(anything, plain);
const command = fc
  .array(fc.tuple(simple, fc.constantFrom('; ', ' && ', ' | ', ' || ', ';', ' & ', '\n')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.map(([part, between], index) => (index < parts.length - 1 ? part + between : part)).join(''));

describe('E8: a command of which it is certain what it touches', () => {
  const { call: _, ...workspace } = createWorkspace();
  const bash = workspace.tool('bash');
  let certain = 0;

  afterAll(() => expect(certain).toBeGreaterThan(20));

  it('touches nothing else, whatever it is made of', async () => {
    await fc.assert(
      fc.asyncProperty(command, async (text) => {
        const folder = makeFolder();
        const paths = (await bash.paths?.({ command: text }, workspace.context({ cwd: folder }))) ?? [];
        if (paths.length === 0) return;
        certain += 1;
        const before = entriesOf(folder);
        const { stdout } = spawnSync('/bin/bash', ['-c', text], {
          cwd: folder,
          input: '',
          encoding: 'utf8',
          timeout: 10_000,
        });
        const after = entriesOf(folder);
        const real = realpathSync(folder);
        const isClaimed = (path: string) =>
          paths.some((claim) => join(real, path) === claim || join(real, path).startsWith(`${claim}/`));
        const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
          (path) => before.get(path) !== after.get(path),
        );
        expect(changed.filter((path) => !isClaimed(path))).toEqual([]);
        const shown = [stdout, ...changed.map((path) => after.get(path) ?? '')].join('');
        const read = [...shown.matchAll(/token<([^>]*)>/g)].map(([, path = '']) => path);
        // What is shown of a changed file may be what it held before.
        expect(read.filter((path) => !isClaimed(path))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  }, 120_000);

  it.each([
    ['echo 1 > new; cat a b >> "d/f"', ['a', 'b', 'd/f', 'new']],
    ["printf '%s\\n' x | tee -a a 2>&1 > /dev/null", ['a']],
    ["printf '%s' x | tee -a a > /dev/null 2>&1", ['a']],
    ['sleep 0.3; touch d/new && mkdir -p x/y/z', ['d/new', 'x']],
    ['echo 1 > link', ['b', 'link']],
    ['rm -f to/e', ['d/e']],
    ['echo 1 > again', []],
    ['echo 1 > ../a', null],
    ['echo 1 > /tmp/elsewhere', []],
    ['echo $HOME > a', null],
    ['echo `id` > a', null],
    ['npm test > a', null],
    ['cp a b', null],
    ['echo a > b &', null],
    ['mkdir /a/b', null],
  ])('%s: %j', async (text, expected) => {
    const folder = makeFolder();
    const found = (await bash.paths?.({ command: text }, workspace.context({ cwd: folder }))) ?? [];
    if (expected === null) expect(certainPaths(text)).toBeNull();
    expect(found).toEqual((expected ?? []).map((path) => join(folder, path)));
  });

  it('is judged again where something led elsewhere meanwhile', async () => {
    const { folder, plan, call } = createWorkspace();
    const { paths } = await plan('bash', { command: 'echo 1 > a' });
    execFileSync('ln', ['-s', 'b', join(folder, 'a')]);
    const acting = call('bash', { command: 'echo 1 > a' }, { paths });
    await expect(acting).rejects.toMatchObject({ code: 'outdated' });
    expect(readdirSync(folder)).toEqual(['a']);
  });
});
