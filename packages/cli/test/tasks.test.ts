import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type WireAnswer, type WireRequest, type WireServer, wireServer } from '@pawl/models/testing';
import type { DurableEvent } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl, serverEnv, start, startInTerminal } from './pawl.ts';

async function serve(answer: (request: WireRequest) => WireAnswer | Promise<WireAnswer>): Promise<WireServer> {
  const server = await wireServer(answer);
  onTestFinished(() => server.close());
  return server;
}

const textOf = (request: WireRequest) => JSON.stringify(request.messages);
const count = (request: WireRequest) => request.messages.filter(({ role }) => role === 'assistant').length;

async function logOf(place: Place, session: string): Promise<DurableEvent[]> {
  const log = sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
  const events = await log.read(session);
  await log.close();
  return events;
}

describe('A6: tasks in a run', () => {
  it('show as indented lines, count in the cost, and are listed, shown and found afterwards', async () => {
    const place = makePlace({ 'a.txt': 'alpha\n' });
    const server = await serve((request) => {
      const isTask = textOf(request).includes('Look into a.txt');
      if (!isTask) return { calls: [{ tool: 'task', input: { prompt: 'Look into a.txt' } }] };
      if (textOf(request).includes('Look first')) {
        return count(request) === 0
          ? { calls: [{ tool: 'task', input: { prompt: 'Look into a.txt' } }] }
          : { text: 'It says alpha.' };
      }
      return count(request) === 0
        ? { calls: [{ tool: 'read', input: { path: 'a.txt' } }] }
        : { calls: [{ tool: 'complete', input: { summary: 'alpha, that is all' } }] };
    });
    const env = serverEnv(server.url);
    const result = await pawl(place, ['run', '--session-id', 'main', 'Look first'], { env });
    expect(result.stderr).toContain('▸ builder-1 Look into a.txt');
    expect(result.stderr).toMatch(/^ {2}builder-1 ✓ read a\.txt/m);
    expect(result.stderr).toMatch(/^◂ builder-1 completed {2}2 steps/m);
    expect(result.stdout).toBe('It says alpha.\n');
    expect(result.code).toBe(0);

    const listed = await pawl(place, ['tasks', 'list', 'main']);
    expect(listed.stdout).toMatch(/^builder-1 {2}completed .*builder: Look into a\.txt$/m);
    const shown = await pawl(place, ['tasks', 'show', 'main', 'builder-1']);
    expect(shown.stdout).toContain('summary: alpha, that is all');
    expect((await pawl(place, ['sessions', 'list'])).stdout).not.toContain('builder-1');
    const trees = await pawl(place, ['sessions', 'list', '--tasks']);
    expect(trees.stdout).toMatch(/^main .*\n {2}main\.builder-1 /);
    expect((await pawl(place, ['sessions', 'show', 'latest'])).stdout).toContain('It says alpha.');
    const json = await pawl(place, ['tasks', 'show', 'main', 'builder-9']);
    expect(json.stderr).toContain('There is no task "builder-9". There are: builder-1.');
  });

  it('E2: that a limit of time stopped are called cancelled nowhere: on the screen, in the log, to the model', async () => {
    const place = makePlace();
    const server = await serve((request) => {
      const asked = request.messages.find(({ role }) => role === 'user')?.text ?? '';
      if (asked.includes('Dig')) return { calls: [{ tool: 'bash', input: { command: 'sleep 60' } }] };
      if (textOf(request).includes('And now?')) return { text: 'Nothing.' };
      const work = ['Dig here', 'Dig there'].map((prompt) => ({ tool: 'task', input: { prompt } }));
      return { calls: [...work, { tool: 'bash', input: { command: 'sleep 60' } }] };
    });
    const env = serverEnv(server.url);
    const flags = ['--permission-mode', 'auto', '-v'];
    const run = await pawl(place, ['run', ...flags, '--session-id', 'main', '--max-duration', '5s', 'Look'], { env });
    expect({ ...run, stdout: '', stderr: '' }).toMatchObject({ code: 4 });
    expect(run.stderr).toMatch(/builder-1 out of time: Turn 1, which it worked for, ran out of time/);
    const next = await pawl(place, ['run', '-c', ...flags, '--max-duration', '5m', 'And now?'], { env });
    expect(next.stdout).toBe('Nothing.\n');
    const shown = await Promise.all([
      pawl(place, ['sessions', 'show', 'main', '--full']),
      pawl(place, ['sessions', 'export', 'main']),
      pawl(place, ['sessions', 'show', 'main.builder-1']),
      pawl(place, ['sessions', 'export', 'main.builder-1', '--format', 'html']),
      pawl(place, ['tasks', 'list', 'main']),
      pawl(place, ['tasks', 'show', 'main', 'builder-1']),
    ]);
    const told = [run.stderr, next.stderr, ...shown.map(({ stdout }) => stdout)].join('\n');
    const asked = server.requests.map(({ messages }) => JSON.stringify(messages)).join('\n');
    for (const text of [told, asked]) expect(text.match(/.*cancel.*/gi) ?? []).toEqual([]);
    expect(asked).toContain('Stopped. The turn ran out of time.');
  });

  it('have their refused calls among the denials of the run, and named in its last lines', async () => {
    const place = makePlace();
    const server = await serve((request) => {
      const said = textOf(request);
      const calls = said.includes('Delegate it')
        ? [{ tool: 'task', input: { prompt: 'Write it down' } }]
        : [{ tool: 'write', input: { path: 'note.txt', content: 'x' } }];
      return count(request) === 0 ? { calls } : { text: 'Over.' };
    });
    const env = serverEnv(server.url);
    const { code, stdout } = await pawl(place, ['run', '--output-format', 'json', 'Delegate it'], { env });
    const result = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(result.unattendedDenials).toBe(1);
    expect(result.denials).toEqual([
      {
        task: 'builder-1',
        call: 't1_s1_c1',
        tool: 'write',
        input: { path: 'note.txt', content: 'x' },
        rule: expect.any(String),
        reason: expect.any(String),
        isUnattended: true,
      },
    ]);
    const { stderr } = await pawl(place, ['run', 'Delegate it'], { env });
    expect(stderr).toContain('One call was refused because nobody was there to be asked (write)');
  });

  it('stream their events with their own session, before the event of their end', async () => {
    const place = makePlace();
    const server = await serve((request) => {
      if (textOf(request).includes('Begin')) {
        return count(request) === 0
          ? { calls: [{ tool: 'task', input: { prompt: 'Small', background: true, joined: false } }] }
          : { text: 'Ended.' };
      }
      return { calls: [{ tool: 'complete', input: { summary: 'small thing' } }] };
    });
    const flags = ['--session-id', 'main', '--output-format', 'stream-json'];
    const result = await pawl(place, ['run', ...flags, 'Begin'], { env: serverEnv(server.url) });
    const events: DurableEvent[] = result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = events.filter(({ seq }) => seq !== undefined).map(({ session, type }) => `${session} ${type}`);
    expect(types.indexOf('main.builder-1 task.finished')).toBeGreaterThan(types.indexOf('main task.started'));
    // The turn did not wait for it, the process did.
    expect(types.indexOf('main task.ended')).toBeGreaterThan(types.indexOf('main.builder-1 task.finished'));
    expect(types).toContain('main turn.ended');
  });

  it('ask the person at the terminal, by name', async () => {
    const place = makePlace();
    const server = await serve((request) => {
      if (textOf(request).includes('Begin')) {
        return count(request) === 0 ? { calls: [{ tool: 'task', input: { prompt: 'Write it' } }] } : { text: 'Ended.' };
      }
      return count(request) === 0
        ? { calls: [{ tool: 'write', input: { path: 'new.txt', content: 'new\n' } }] }
        : { calls: [{ tool: 'complete', input: { summary: 'written' } }] };
    });
    const terminal = startInTerminal(place, ['run', 'Begin'], serverEnv(server.url));
    await terminal.shown('Task builder-1:');
    await terminal.shown('Allow?');
    terminal.write('y');
    await terminal.shown('builder-1 completed');
    expect(await terminal.ended).toBe(0);
  });

  it('can be cancelled while nobody runs the session, and are not gone on with', async () => {
    const place = makePlace();
    const server = await serve(async (request) => {
      if (!textOf(request).includes('Begin')) return new Promise<never>(() => undefined);
      return count(request) === 0 ? { calls: [{ tool: 'task', input: { prompt: 'Hang' } }] } : { text: 'Ended.' };
    });
    const env = serverEnv(server.url);
    const running = start(place, ['run', '--session-id', 'main', '--output-format', 'stream-json', 'Begin'], { env });
    await running.shown('"session":"main.builder-1","type":"step.started"');
    running.kill('SIGKILL');
    await running.result;
    expect((await pawl(place, ['tasks', 'cancel', 'main', 'builder-1', '--reason', 'No use.'])).code).toBe(0);
    const resumed = await pawl(place, ['run', '--resume', 'main'], { env });
    expect(resumed.stdout).toBe('Ended.\n');
    const ended = (await logOf(place, 'main')).find(({ type }) => type === 'task.ended');
    expect(ended?.data).toMatchObject({ outcome: 'cancelled', message: 'Cancelled by local: No use.' });
  });
});

describe('A2: a tree of thirty tasks, some that hang, killed with its process', () => {
  it('is taken up again and ends: the result is right, and the cost is the sum of its parts', async () => {
    const place = makePlace();
    mkdirSync(join(place.folder, 'out'));
    let isFirst = true;
    const server = await serve(async (request) => {
      const text = textOf(request);
      const step = count(request);
      const task = (prompt: string, more = {}) => ({ tool: 'task', input: { prompt, ...more } });
      if (text.includes('Plant the tree')) {
        if (step > 0) return { text: 'Planted.' };
        const branches = Array.from({ length: 5 }, (_, index) => task(`Branch ${index}.`));
        return { calls: [...branches, task('Hang here.', { minutes: 0.05 })] };
      }
      if (text.includes('Hang here')) return new Promise<never>(() => undefined);
      const leaf = /Leaf (\d+)-(\d+)/.exec(text);
      const branch = /Branch (\d+)\./.exec(text);
      if (branch !== null && step === 0) {
        const leaves = Array.from({ length: 5 }, (_, index) => task(`Leaf ${branch[1]}-${index}`));
        return { calls: leaves };
      }
      if (branch !== null) return { calls: [{ tool: 'complete', input: { summary: `branch ${branch[1]}` } }] };
      if (leaf !== null && step === 0) {
        // Some hang for as long as the first process lives.
        if (isFirst && Number(leaf[2]) > 2) return new Promise<never>(() => undefined);
        return { calls: [{ tool: 'bash', input: { command: `echo ${leaf[1]} >> out/${leaf[1]}-${leaf[2]}.txt` } }] };
      }
      return { calls: [{ tool: 'complete', input: { summary: 'leaf' } }] };
    });
    const env = serverEnv(server.url);
    const flags = ['--permission-mode', 'auto', '--sandbox', 'off', '--output-format', 'stream-json'];
    const running = start(place, ['run', ...flags, '--session-id', 'tree', 'Plant the tree'], { env });
    await running.shown(/"session":"tree\.builder-\d\.builder-\d","type":"task\.finished"/);
    await running.shown(/"session":"tree\.builder-5\.builder-5","type":"step\.started"/);
    running.kill('SIGKILL');
    await running.result;
    isFirst = false;
    const resumed = await pawl(place, ['run', ...flags, '--resume', 'tree'], { env });
    expect(resumed.code).toBe(0);

    const log = sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
    const sessions = (await log.list({ limit: 100 })).map(({ session }) => session);
    const logs = await Promise.all(sessions.map((session) => log.read(session)));
    await log.close();
    expect(sessions).toHaveLength(1 + 6 + 25);
    const own = logs[sessions.indexOf('tree')] ?? [];
    const ends = own.flatMap((event) => (event.type === 'task.ended' ? [event.data] : []));
    expect(ends.map(({ outcome }) => outcome).sort()).toEqual([...Array(5).fill('completed'), 'failed']);
    for (const [index, events] of logs.entries()) {
      const requested = events.flatMap((event) => (event.type === 'task.requested' ? [event.data.task] : []));
      const ended = events.flatMap((event) => (event.type === 'task.ended' ? [event.data.task] : []));
      expect(ended.sort(), sessions[index]).toEqual(requested.sort());
    }
    const parts = logs.flat().flatMap((event) => {
      if (event.type !== 'message.added' || event.data.message.role !== 'assistant') return [];
      return [event.data.message.costUsd ?? Number.NaN];
    });
    const turn = own.findLast((event) => event.type === 'turn.ended');
    expect(turn?.data).toMatchObject({ outcome: 'completed' });
    const cost = turn?.type === 'turn.ended' ? turn.data.costUsd : null;
    expect(cost).toBeCloseTo(
      parts.reduce((sum, part) => sum + part, 0),
      9,
    );
  }, 60_000);
});
