import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl, serverEnv, startInTerminal } from './pawl.ts';

async function serve(answers: Parameters<typeof wireServer>[0]) {
  const server = await wireServer(answers);
  onTestFinished(() => server.close());
  return server;
}

const notesOf = async (place: Place) => JSON.parse((await pawl(place, ['memory', 'list', '--json'])).stdout);

const note = 'Tests need the database on port 5433.';
const remembering = (scope?: string) =>
  serve((request) =>
    request.number === 1
      ? { calls: [{ tool: 'remember', input: { note, source: 'the person said so', ...(scope && { scope }) } }] }
      : { text: 'Noted.' },
  );

describe('X8: pawl memory', () => {
  it('adds, lists, finds and removes notes, of a project or everywhere', async () => {
    const place = makePlace();
    mkdirSync(join(place.folder, '.git'));
    mkdirSync(join(place.folder, 'sub'));
    const none = await pawl(place, ['memory', 'list']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing is remembered yet.\n' });
    await pawl(place, ['memory', 'add', 'Roses', 'are cut in March.', '-C', 'sub']);
    await pawl(place, ['memory', 'add', '--everywhere', 'Figs want sun.']);
    const notes = await notesOf(place);
    expect(notes.map(({ text, folder }: Record<string, string>) => [text, folder])).toEqual(
      expect.arrayContaining([
        ['Roses are cut in March.', place.folder],
        ['Figs want sun.', null],
      ]),
    );
    const found = await pawl(place, ['memory', 'search', 'when', 'are', 'ROSES', 'cut']);
    expect(found.stdout).toMatch(/^\w{8} {2}Roses are cut in March\.\n {10}in .*, \d{4}-\d\d-\d\d, by local\n$/);
    expect((await pawl(place, ['memory', 'search', 'roses', '-C', place.home])).stdout).toBe('');
    const { id } = notes.find(({ text }: { text: string }) => text === 'Figs want sun.');
    expect((await pawl(place, ['memory', 'remove', id])).code).toBe(0);
    expect(await notesOf(place)).toHaveLength(1);
    const gone = await pawl(place, ['memory', 'remove', id]);
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining(`There is no note ${id}.`) });
  });
});

it('X8: memory that cannot be used costs the run what is remembered, and a person is told', async () => {
  const place = makePlace();
  await pawl(place, ['memory', 'add', note]);
  writeFileSync(join(place.home, 'pawl', 'memory.db'), 'no database at all');
  const server = await serve(() => ({ text: 'Done.' }));
  const { code, stderr } = await pawl(place, ['run', 'x'], { env: serverEnv(server.url) });
  expect(code).toBe(0);
  expect(stderr).toContain('What is remembered is left out: ');
});

describe('X8: the tools', () => {
  it('write nothing that nobody approved', async () => {
    const place = makePlace();
    const server = await remembering();
    const { code } = await pawl(place, ['run', '--permission-mode', 'accept-edits', 'x'], {
      env: serverEnv(server.url),
    });
    expect(code).toBe(3);
    expect(await notesOf(place)).toEqual([]);
  });

  it('show the person the note, and keep it with where it is from; the next session begins with it', async () => {
    const place = makePlace();
    const server = await remembering();
    const terminal = startInTerminal(place, ['run', '--session-id', 'first', 'x'], serverEnv(server.url));
    await terminal.shown('remember asks for approval');
    await terminal.shown(`To be remembered in ${place.folder}`);
    await terminal.shown(note);
    await terminal.shown('Allow?');
    terminal.write('y');
    expect(await terminal.ended).toBe(0);
    expect(await notesOf(place)).toMatchObject([
      {
        text: note,
        folder: place.folder,
        by: { kind: 'agent', id: 'builder' },
        session: 'first',
        call: 't1_s1_c1',
        source: 'the person said so',
      },
    ]);
    const next = await serve(() => ({ text: 'Done.' }));
    await pawl(place, ['run', 'Fix the tests.'], { env: serverEnv(next.url) });
    expect(JSON.stringify(next.requests[0]?.system)).toContain(note);
    await pawl({ ...place, folder: place.home }, ['run', 'Fix the tests.'], { env: serverEnv(next.url) });
    expect(JSON.stringify(next.requests[1]?.system)).not.toContain(note);
  });

  it('keep no secret of the environment', async () => {
    const place = makePlace();
    const secret = 'ghp-0123456789abcdefghij';
    const server = await serve((request) =>
      request.number === 1
        ? { calls: [{ tool: 'remember', input: { note: `The token is ${secret}.` } }] }
        : { text: 'Noted.' },
    );
    const env = { ...serverEnv(server.url), GITHUB_TOKEN: secret };
    expect((await pawl(place, ['run', '--allow', 'remember', 'x'], { env })).code).toBe(0);
    expect(await notesOf(place)).toMatchObject([{ text: expect.not.stringContaining(secret) }]);
  });

  it('need no question where a rule allows them; recall finds, forget removes', async () => {
    const place = makePlace();
    await pawl(place, ['memory', 'add', note]);
    const [{ id }] = await notesOf(place);
    const server = await serve((request) => {
      if (request.number === 1)
        return { calls: [{ tool: 'recall', input: { query: 'which port has the database?' } }] };
      if (request.number === 2) return { calls: [{ tool: 'forget', input: { id } }] };
      return { text: 'Done.' };
    });
    const { code } = await pawl(place, ['run', '--allow', 'forget', 'x'], { env: serverEnv(server.url) });
    expect(code).toBe(0);
    expect(JSON.stringify(server.requests[1]?.messages)).toContain(
      `<untrusted-memory>\\n- ${note} (${id}, this project`,
    );
    expect(await notesOf(place)).toEqual([]);
  });
});
