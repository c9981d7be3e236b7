import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl, serverEnv, todoFiles } from './pawl.ts';

const demo = (place: Place, args: readonly string[], prompt: string) =>
  pawl(place, ['run', '-m', 'demo', ...args, '--permission-mode', 'auto', prompt]);

const report = 'Find every TODO in this folder and write a report to docs/TODO.md';
const replace = 'Replace "rename" with "renamed" in src/a.ts';

/** A session of two turns: the first writes a report, the second edits a file. */
async function twoTurns(): Promise<Place> {
  const place = makePlace(todoFiles);
  expect(await demo(place, ['--session-id', 'mine'], report)).toMatchObject({ code: 0 });
  expect(await demo(place, ['-r', 'mine'], replace)).toMatchObject({ code: 0 });
  expect(readFileSync(join(place.folder, 'src/a.ts'), 'utf8')).toContain('renamed');
  return place;
}

/** Ids of the messages of the user, in order. */
async function inputsOf(place: Place): Promise<string[]> {
  const { stdout } = await pawl(place, ['sessions', 'show', 'mine', '--json']);
  const entries: { kind: string; id: string }[] = JSON.parse(stdout).entries;
  return entries.flatMap(({ kind, id }) => (kind === 'user' ? [id] : []));
}

describe('S1: pawl undo and redo', () => {
  it('take back turn after turn, and do them again, in their order', async () => {
    const place = await twoTurns();
    const text = () => readFileSync(join(place.folder, 'src/a.ts'), 'utf8');
    const dry = await pawl(place, ['undo', '--dry-run']);
    expect(dry.stdout).toContain('-export const a = 1; // TODO: renamed\n+export const a = 1; // TODO: rename\n');
    expect(dry.stderr).toContain('src/a.ts would be changed back');
    expect(text()).toContain('renamed');

    const first = await pawl(place, ['undo']);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain('Undid turn 2 of session mine:\n  src/a.ts changed back\n');
    expect(first.stderr).toContain('pawl redo mine --turn 2');
    expect(text()).toBe(todoFiles['src/a.ts']);
    const second = await pawl(place, ['undo', 'mine', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({
      turns: [1],
      changed: [{ shown: 'docs/TODO.md', deed: 'removed' }],
    });
    expect(existsSync(join(place.folder, 'docs'))).toBe(false);
    const none = await pawl(place, ['undo']);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('no file change that is not undone');

    expect((await pawl(place, ['redo'])).stderr).toContain('Did again turn 1');
    expect(existsSync(join(place.folder, 'docs/TODO.md'))).toBe(true);
    expect((await pawl(place, ['redo'])).stderr).toContain('Did again turn 2');
    expect(text()).toContain('renamed');
    expect((await pawl(place, ['redo'])).code).toBe(1);
    const { stdout } = await pawl(place, ['sessions', 'show', 'mine']);
    expect(stdout).toContain('The user took back the file changes of turn 2: src/a.ts.');
  });

  it('go turn by turn through changes of one file, and say where there is nothing left (D10)', async () => {
    const place = makePlace({ 'a.txt': 'one\n' });
    const text = () => readFileSync(join(place.folder, 'a.txt'), 'utf8');
    await demo(place, ['--session-id', 'mine'], 'Replace "one" with "two" in a.txt');
    await demo(place, ['-r', 'mine'], 'Replace "two" with "three" in a.txt');
    const texts: string[] = [];
    const codes: (number | null)[] = [];
    for (const direction of ['undo', 'undo', 'redo', 'redo', 'undo', 'undo']) {
      codes.push((await pawl(place, [direction])).code);
      texts.push(text().trim());
    }
    expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
    expect(texts).toEqual(['two', 'one', 'two', 'three', 'two', 'one']);
    const third = await pawl(place, ['undo']);
    expect(third.code).toBe(1);
    expect(third.stderr).toContain('has no file change that is not undone');
    expect((await pawl(place, ['redo'])).code).toBe(0);
    await demo(place, ['-r', 'mine'], 'Replace "two" with "four" in a.txt');
    const none = await pawl(place, ['redo']);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('has no undone file change');
    expect(text()).toBe('four\n');
  });

  it('are facts of the log, so that a file can be edited as it is then, and a later rewind sees through them', async () => {
    const place = await twoTurns();
    const file = join(place.folder, 'src/a.ts');
    await pawl(place, ['undo']);
    const { stdout } = await pawl(place, ['sessions', 'export', 'mine', '--format', 'json']);
    const events: { type: string; by: object; data: object }[] = JSON.parse(stdout).events;
    const digest = `sha256-${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
    expect(events.filter(({ type }) => type === 'files.reverted')).toMatchObject([
      { by: { kind: 'human' }, data: { direction: 'undo', files: { [file]: digest } } },
    ]);
    expect(await demo(place, ['-r', 'mine'], replace)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('renamed');
    const [first = ''] = await inputsOf(place);
    expect((await pawl(place, ['sessions', 'rewind', 'mine', '--before', first, '--files'])).stderr).toContain(
      'src/a.ts changed back',
    );
    expect(readFileSync(file, 'utf8')).toBe(todoFiles['src/a.ts']);
  });

  it('leave alone what was changed since, and say which', async () => {
    const place = await twoTurns();
    const file = join(place.folder, 'src/a.ts');
    writeFileSync(file, 'mine now\n');
    const refused = await pawl(place, ['undo']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('src/a.ts was changed since');
    expect(readFileSync(file, 'utf8')).toBe('mine now\n');
    const [first = ''] = await inputsOf(place);
    const rest = await pawl(place, ['sessions', 'rewind', 'mine', '--before', first, '--files', '--skip-changed']);
    expect(rest).toMatchObject({ code: 0 });
    expect(rest.stderr).toContain('docs/TODO.md removed');
    expect(rest.stderr).toContain('src/a.ts was left: it was changed since');
    expect(readFileSync(file, 'utf8')).toBe('mine now\n');
  });

  it('name the commands that they know nothing of', async () => {
    const place = makePlace(todoFiles);
    await demo(place, ['--session-id', 'mine'], 'Run `touch made-by-shell`');
    await demo(place, ['-r', 'mine'], replace);
    expect(existsSync(join(place.folder, 'made-by-shell'))).toBe(true);
    expect((await pawl(place, ['undo'])).code).toBe(0);
    const none = await pawl(place, ['undo', '--turn', '1']);
    expect(none.stderr).toMatch(/changed no files\. What its 1 commands and other calls did is not known\./);
    const [first = ''] = await inputsOf(place);
    const { stderr } = await pawl(place, ['sessions', 'rewind', 'mine', '--before', first, '--files']);
    expect(stderr).toContain('of which nothing is known');
    expect(stderr).toContain('bash touch made-by-shell');
  });
});

/** A session whose first turn edits `a.txt` itself and by a task, which adds a file; its second turn edits `b.txt`. */
async function withTask(): Promise<Place> {
  const place = makePlace({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const edit = (path: string, old: string, fresh: string) => ({ tool: 'edit', input: { path, old, new: fresh } });
  const read = (path: string) => ({ tool: 'read', input: { path } });
  const scripts = {
    'Work on b': [[read('b.txt')], [edit('b.txt', 'one', 'two')]],
    'The task': [
      [read('a.txt')],
      [edit('a.txt', 'two', 'three'), { tool: 'write', input: { path: 'new/c.txt', content: 'x' } }],
      [{ tool: 'complete', input: { summary: 'made' } }],
    ],
    'Work on a': [
      [read('a.txt')],
      [edit('a.txt', 'one', 'two')],
      [{ tool: 'task', input: { prompt: 'The task' } }],
      [read('a.txt')],
      [edit('a.txt', 'three', 'four')],
    ],
  };
  const server = await wireServer((request) => {
    const texts = request.messages.map((message) => JSON.stringify(message));
    const last = texts.findLastIndex((text) => /"role":"user".*(?:Work on|The task)/.test(text));
    const prompt = texts[last] ?? '';
    const script = Object.entries(scripts).find(([name]) => prompt.includes(name))?.[1] ?? [];
    const done = request.messages.slice(last).filter(({ role }) => role === 'assistant').length;
    const calls = script[done];
    return calls === undefined ? { text: 'Done.' } : { calls };
  });
  onTestFinished(() => server.close());
  const run = (...args: string[]) =>
    pawl(place, ['run', '--permission-mode', 'auto', ...args], { env: serverEnv(server.url) });
  expect(await run('--session-id', 'mine', 'Work on a')).toMatchObject({ code: 0 });
  expect(await run('-r', 'mine', 'Work on b')).toMatchObject({ code: 0 });
  expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('four\n');
  expect(readFileSync(join(place.folder, 'b.txt'), 'utf8')).toBe('two\n');
  return place;
}

describe('S1: the tasks of a session', () => {
  it('are undone, done again and rewound with the turn that asked for them', async () => {
    const place = await withTask();
    const read = (name: string) => readFileSync(join(place.folder, name), 'utf8');
    expect((await pawl(place, ['undo'])).stderr).toContain('Undid turn 2 of session mine:\n  b.txt changed back\n');
    expect(read('a.txt')).toBe('four\n');
    const first = await pawl(place, ['undo']);
    expect(first.stderr).toContain('Undid turn 1 of session mine:');
    expect(read('a.txt')).toBe('one\n');
    expect(existsSync(join(place.folder, 'new'))).toBe(false);
    expect((await pawl(place, ['redo'])).stderr).toContain('Did again turn 1');
    expect([read('a.txt'), read('new/c.txt')]).toEqual(['four\n', 'x']);
    expect((await pawl(place, ['redo'])).code).toBe(0);
    const [, second = ''] = await inputsOf(place);
    expect((await pawl(place, ['sessions', 'rewind', 'mine', '--before', second, '--files'])).code).toBe(0);
    expect([read('a.txt'), read('b.txt')]).toEqual(['four\n', 'one\n']);
    const [begin = ''] = await inputsOf(place);
    expect((await pawl(place, ['sessions', 'rewind', 'mine', '--before', begin, '--files'])).code).toBe(0);
    expect([read('a.txt'), read('b.txt'), existsSync(join(place.folder, 'new'))]).toEqual(['one\n', 'one\n', false]);
  });
});

describe('S1: pawl sessions rewind', () => {
  it('puts back files, goes on in a copy of the conversation, or both', async () => {
    const place = await twoTurns();
    const [first = '', second = ''] = await inputsOf(place);
    const rewind = (...args: string[]) => pawl(place, ['sessions', 'rewind', 'mine', ...args]);

    const talk = await rewind('--before', second, '--conversation');
    expect(talk.code).toBe(0);
    expect(talk.stderr).toContain(replace);
    expect(readFileSync(join(place.folder, 'src/a.ts'), 'utf8')).toContain('renamed');
    const copied = await pawl(place, ['sessions', 'show', talk.stdout.trim()]);
    expect(copied.stdout).not.toContain('Replace "rename"');

    const both = await rewind('--before', first, '--both', '--json');
    expect(JSON.parse(both.stdout)).toMatchObject({ draft: report, changed: [{}, {}] });
    // The session that stays behind knows what became of its files.
    expect((await pawl(place, ['sessions', 'show', 'mine'])).stdout).toContain(
      `The work went on from there in session ${JSON.parse(both.stdout).session}.`,
    );
    expect(readFileSync(join(place.folder, 'src/a.ts'), 'utf8')).toBe(todoFiles['src/a.ts']);
    expect(existsSync(join(place.folder, 'docs'))).toBe(false);

    expect((await rewind('--before', first)).code).toBe(2);
    expect((await rewind('--before', 'm999', '--files')).code).toBe(2);
    expect((await rewind('--files')).code).toBe(2);
  });
});
