import { stripVTControlCharacters } from 'node:util';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, pawl, serverEnv, startInTerminal } from './pawl.ts';

type Input = { [name: string]: unknown };

/** A server whose model makes one call and then says what it was told. */
async function caller(tool: string, input: Input) {
  const server = await wireServer((request) =>
    request.number === 1 ? { calls: [{ tool, input: input as never }] } : { text: 'Understood.' },
  );
  onTestFinished(() => server.close());
  return server;
}
const asker = (questions: Input[], more: Input = {}) => caller('ask', { questions, ...more });
const lastResult = (server: Awaited<ReturnType<typeof caller>>) =>
  JSON.stringify(server.requests.at(-1)?.messages.at(-1));

const database = {
  header: 'Database',
  question: 'Which database shall it use?',
  options: [{ label: 'Postgres', details: 'Needs a server.' }, { label: 'SQLite' }],
};
const interrupt = '\u0003';

describe('P7: a question in a terminal', () => {
  it('shows the question, its options and the time left, and takes a key for an answer', async () => {
    const server = await asker([database]);
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('? Database');
    await terminal.shown('Which database shall it use?');
    await terminal.shown('1 Postgres  Needs a server.');
    await terminal.shown(/Which\?.*4:5\d left/);
    terminal.write('2');
    expect(await terminal.ended).toBe(0);
    expect(lastResult(server)).toContain('Database: SQLite');
    expect(stripVTControlCharacters(terminal.output())).toContain('→ Database: SQLite');
  });

  it('asks several, one after another, and sends nothing before the last; one can go back', async () => {
    const server = await asker([
      database,
      {
        header: 'Parts',
        question: 'Which parts?',
        options: [{ label: 'a' }, { label: 'b' }, { label: 'c' }],
        multiple: true,
      },
      { header: 'Name', question: 'What name?' },
    ]);
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('(1 of 3)');
    await terminal.shown('Which?');
    terminal.write('1');
    await terminal.shown('(2 of 3)');
    await terminal.shown('Which? []');
    terminal.write('b');
    await terminal.shown('(1 of 3)');
    await terminal.shown('Which?');
    terminal.write('2');
    await terminal.shown('Which? []');
    terminal.write('1');
    await terminal.shown('Which? [1]');
    terminal.write('3');
    await terminal.shown('Which? [1 3]');
    terminal.write('1');
    await terminal.shown('Which? [3]');
    terminal.write('\r');
    await terminal.shown('(3 of 3)');
    await terminal.shown('Answer?');
    terminal.write('w');
    await terminal.shown('Your answer:');
    terminal.write('fig\r');
    expect(await terminal.ended).toBe(0);
    expect(lastResult(server)).toContain('Database: SQLite\\nParts: c\\nName: \\"fig\\"');
  });

  it('takes Enter for its default', async () => {
    const server = await asker([{ ...database, default: ['SQLite'] }]);
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Enter SQLite');
    terminal.write('\r');
    expect(await terminal.ended).toBe(0);
    expect(lastResult(server)).toContain('Database: SQLite');
  });

  it('tells the model that the person does not want to answer, and why', async () => {
    const server = await asker([database]);
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('no answer');
    terminal.write('n');
    await terminal.shown('Why not?');
    terminal.write('you decide\r');
    expect(await terminal.ended).toBe(0);
    expect(lastResult(server)).toContain('you decide');
  });

  it('is cancelled with its turn by Ctrl-C, also in the middle of an answer', async () => {
    for (const before of ['', 'w']) {
      const server = await asker([database]);
      const terminal = startInTerminal(makePlace(), ['run', '--session-id', 'mine', 'go'], serverEnv(server.url));
      await terminal.shown('no answer');
      if (before !== '') {
        terminal.write(before);
        await terminal.shown('Your answer:');
      }
      terminal.write(interrupt);
      expect(await terminal.ended).toBe(130);
      expect(terminal.output()).toContain('Go on with: pawl run --resume mine');
    }
  });

  it('is still open after the program was killed, and answered in the next one', async () => {
    const place = makePlace();
    const server = await asker([database]);
    const env = serverEnv(server.url);
    const first = startInTerminal(place, ['run', '--session-id', 'mine', 'go'], env);
    await first.shown('Which?');
    first.kill();
    await first.ended;
    const second = startInTerminal(place, ['run', '-r', 'mine'], env);
    await second.shown('? Database');
    await second.shown('Which?');
    second.write('1');
    expect(await second.ended).toBe(0);
    expect(lastResult(server)).toContain('Database: Postgres');
  });

  it('lets nothing of it act on the terminal', async () => {
    const server = await asker([
      {
        header: 'A\u001b[2J',
        question: 'x\u001b]52;c;aGk=\u0007\u202e',
        options: [{ label: 'y\u001b[1A', details: '\u0007' }],
      },
    ]);
    const terminal = startInTerminal(makePlace(), ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Which?');
    for (const sequence of ['\u001b[2J', '\u001b]52', '\u202e', '\u001b[1A', '\u0007']) {
      expect(terminal.output()).not.toContain(sequence);
    }
    terminal.write('1');
    expect(await terminal.ended).toBe(0);
  });
});

describe('P7: a question where nobody is there', () => {
  it('is answered by its default, and the run completes', async () => {
    const server = await asker([{ ...database, default: ['SQLite'] }]);
    const result = await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) });
    expect(result).toMatchObject({ code: 0, stdout: 'Understood.\n' });
    expect(lastResult(server)).toContain('Nobody is there to answer, so your defaults hold');
  });

  it('without a default is told to the model as such, and the run exits with 3', async () => {
    const server = await asker([database]);
    const result = await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) });
    expect(result).toMatchObject({ code: 3, stdout: 'Understood.\n' });
    expect(lastResult(server)).toContain('Nobody is there to answer');
  });
});

describe('T6: what an agent shows of its work', () => {
  it('shows the list as it changes, and keeps it', async () => {
    const place = makePlace();
    const list = (...statuses: string[]) => ({
      calls: [
        { tool: 'todo', input: { todos: statuses.map((status, index) => ({ text: `task ${index + 1}`, status })) } },
      ],
    });
    const server = await wireServer((request) =>
      request.number === 1
        ? list('in_progress', 'pending')
        : request.number === 2
          ? list('completed', 'in_progress')
          : { text: 'Done.' },
    );
    onTestFinished(() => server.close());
    const { stderr, code } = await pawl(place, ['run', 'go'], { env: serverEnv(server.url) });
    expect(code).toBe(0);
    expect(stderr).toMatch(/\[~\] task 1\n {2}\[ \] task 2\n[\s\S]*\[x\] task 1\n {2}\[~\] task 2\n/);
    await pawl(place, ['run', '-c', 'and now?'], { env: serverEnv(server.url) });
    expect(JSON.stringify(server.requests.at(-1))).toContain('[x] task 1\\n[~] task 2');
  });

  it('prints what ends the turn as the answer, unless the agent has answered in words', async () => {
    const done = await caller('done', { message: 'Three files.', result: { files: 3 } });
    const env = serverEnv(done.url);
    expect(await pawl(makePlace(), ['run', 'go'], { env })).toMatchObject({ code: 0, stdout: 'Three files.\n' });
    const again = await caller('done', { message: 'Three files.', result: { files: 3 } });
    const { stdout } = await pawl(makePlace(), ['run', '--output-format', 'json', 'go'], { env: serverEnv(again.url) });
    expect(JSON.parse(stdout)).toMatchObject({ text: 'Three files.', result: { files: 3 }, outcome: 'completed' });
  });

  it('exits as blocked with what is needed, when the agent cannot go on without a person', async () => {
    const server = await caller('escalate', { need: 'I need the key of the shed.' });
    const result = await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) });
    expect(result).toMatchObject({ code: 6, stdout: 'I need the key of the shed.\n' });
  });

  it('shows a notice whole, made safe', async () => {
    const message = `${'a long line '.repeat(20)}end\u001b[2J`;
    const server = await caller('notify', { message });
    const { stderr } = await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) });
    expect(stderr).toContain(`● ${'a long line '.repeat(20)}end\\x1b[2J`);
  });
});
