import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type WireAnswer, type WireRequest, wireServer } from '@pawl/models/testing';
import type { DurableEvent } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, node, type Place, pawl, program, serverEnv, start } from './pawl.ts';

type Answerer = (request: WireRequest) => WireAnswer | Promise<WireAnswer>;

async function modelOf(answer: Answerer): Promise<Record<string, string>> {
  const server = await wireServer(answer);
  onTestFinished(() => server.close());
  return serverEnv(server.url);
}

async function logOf(place: Place, session = 's'): Promise<DurableEvent[]> {
  const log = sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
  const events = await log.read(session);
  await log.close();
  return events;
}

const said = (request: WireRequest) => JSON.stringify(request.messages);
const answers = (request: WireRequest) => request.messages.filter(({ role }) => role === 'assistant').length;
const runFolder = (place: Place) => join(place.home, 'pawl', 'run');

/** Something that a test opens when it is time. */
function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Asks to write a file, then says what came of it. */
const writesOnce: Answerer = (request) =>
  answers(request) === 0
    ? { text: 'I write.', calls: [{ tool: 'write', input: { path: 'new.txt', content: 'new\n' } }] }
    : { text: said(request).includes('not today') ? 'It was denied.' : 'It is written.' };

const ownRun = ['run', '--session-id', 's', '--attended'];

describe('S8: a session that another process runs', () => {
  it('is approved from another terminal, over a socket that is for this user alone and goes with its process', async () => {
    const place = makePlace();
    const env = await modelOf(writesOnce);
    const running = start(place, [...ownRun, 'Write.'], { env });
    await running.shown('waits for an answer: pawl approve s t1_s1_c1');
    expect(statSync(runFolder(place)).mode & 0o777).toBe(0o700);
    const approved = await pawl(place, ['approve', 's', '--reason', 'fine'], { env });
    expect(approved).toMatchObject({ code: 0 });
    expect(await running.result).toMatchObject({ code: 0, stdout: 'It is written.\n' });
    expect(readFileSync(join(place.folder, 'new.txt'), 'utf8')).toBe('new\n');
    expect(readdirSync(runFolder(place))).toEqual([]);
    const resolved = (await logOf(place)).find(({ type }) => type === 'approval.resolved');
    expect(resolved).toMatchObject({ data: { decision: 'allow' }, by: { kind: 'human', id: 'local' } });
  });

  it('is denied from another terminal, with a reason for the model', async () => {
    const place = makePlace();
    const env = await modelOf(writesOnce);
    const running = start(place, [...ownRun, 'Write.'], { env });
    await running.shown('waits for an answer');
    expect(await pawl(place, ['deny', 's', '--reason', 'not today'], { env })).toMatchObject({ code: 0 });
    expect((await running.result).stdout).toBe('It was denied.\n');
    expect(existsSync(join(place.folder, 'new.txt'))).toBe(false);
  });

  it('64, 12: one of two answers in the same instant wins, and the other learns of it', async () => {
    const place = makePlace();
    const env = await modelOf(writesOnce);
    const running = start(place, [...ownRun, 'Write.'], { env });
    await running.shown('waits for an answer');
    const [approved, denied] = await Promise.all([
      pawl(place, ['approve', 's', 't1_s1_c1'], { env }),
      pawl(place, ['deny', 's', 't1_s1_c1'], { env }),
    ]);
    await running.result;
    const resolved = (await logOf(place)).filter(({ type }) => type === 'approval.resolved');
    expect(resolved).toHaveLength(1);
    const isAllowed = resolved[0]?.type === 'approval.resolved' && resolved[0].data.decision === 'allow';
    const [winner, loser] = isAllowed ? [approved, denied] : [denied, approved];
    expect(winner.code).toBe(0);
    expect(loser.code).toBe(1);
    expect(loser.stderr).toMatch(/was answered already|is not waiting|waits for an approval/);
    expect(existsSync(join(place.folder, 'new.txt'))).toBe(isAllowed);
  });

  it('takes inputs: queued behind its turn, steered into it, and in its place', async () => {
    const place = makePlace();
    const slow = gate();
    const env = await modelOf(async (request) => {
      if (said(request).includes('Third')) return { text: 'Third done.' };
      if (said(request).includes('Second')) return { text: 'Second done.' };
      await slow.opened;
      return { text: 'First done.' };
    });
    const running = start(place, ['run', '--session-id', 's', '--output-format', 'stream-json', 'First'], { env });
    await running.shown('"step.started"');
    const busy = await pawl(place, ['send', 's', '--reject', 'No'], { env });
    expect(busy).toMatchObject({ code: 1 });
    expect(busy.stderr).toContain('Turn 1, started by local, is running.');
    const queued = start(place, ['send', 's', 'Second'], { env });
    await running.shown('Second');
    slow.open();
    expect(await queued.result).toMatchObject({ code: 0, stdout: 'Second done.\n' });
    expect(await running.result).toMatchObject({ code: 0 });
    const left = await pawl(place, ['send', 's', '--no-wait', 'Third'], { env });
    expect(left.stderr).toContain('pawl run --resume s');
    expect(await pawl(place, ['send', 's', 'Third again'], { env })).toMatchObject({ code: 0 });
    const inputs = (await logOf(place)).filter(({ type }) => type === 'input.queued');
    expect(inputs).toHaveLength(4);
  });

  it('is interrupted by an input from another terminal', async () => {
    const place = makePlace();
    const never = gate();
    const env = await modelOf(async (request) => {
      if (said(request).includes('Instead')) return { text: 'This instead.' };
      await never.opened;
      return { text: 'Never said.' };
    });
    onTestFinished(never.open);
    const running = start(place, ['run', '--session-id', 's', '--output-format', 'stream-json', 'First'], { env });
    await running.shown('"step.started"');
    const sent = await pawl(place, ['send', 's', '--interrupt', 'Instead'], { env });
    await running.result;
    expect(sent).toMatchObject({ code: 0, stdout: 'This instead.\n' });
  });

  it('is paused, resumed and cancelled from another terminal', async () => {
    const place = makePlace({ 'a.txt': 'a\n' });
    const first = gate();
    const env = await modelOf(async (request) => {
      if (answers(request) > 0) return { text: 'Done.' };
      await first.opened;
      return { text: 'I look.', calls: [{ tool: 'read', input: { path: 'a.txt' } }] };
    });
    const running = start(place, ['run', '--session-id', 's', '--output-format', 'stream-json', 'Look.'], { env });
    await running.shown('"step.started"');
    expect(await pawl(place, ['pause', 's'], { env })).toMatchObject({ code: 0 });
    first.open();
    await running.shown('"tool.finished"');
    expect((await pawl(place, ['pause', 's'], { env })).stderr).toContain('paused already');
    expect(await pawl(place, ['resume', 's'], { env })).toMatchObject({ code: 0 });
    expect(await running.result).toMatchObject({ code: 0 });
    expect((await logOf(place)).map(({ type }) => type)).toContain('session.resumed');

    const never = gate();
    onTestFinished(never.open);
    const stuck = await modelOf(async () => {
      await never.opened;
      return { text: 'Never.' };
    });
    const second = start(place, ['run', '--session-id', 't', '--output-format', 'stream-json', 'Wait.'], {
      env: stuck,
    });
    await second.shown('"step.started"');
    expect(await pawl(place, ['cancel', 't', '--reason', 'enough'], { env: stuck })).toMatchObject({ code: 0 });
    expect(await second.result).toMatchObject({ code: 130 });
    expect((await logOf(place, 't')).at(-1)).toMatchObject({ data: { outcome: 'cancelled' } });
  });

  it('is watched: what its turn did, the answer so far, and the rest as it comes', async () => {
    const place = makePlace();
    const rest = gate();
    const env = await modelOf(() => ({ text: ['Begun, ', 'and ended.'], pause: { atByte: 900, until: rest.opened } }));
    const running = start(place, ['run', '--session-id', 's', '--output-format', 'stream-json', 'Go.'], { env });
    await running.shown('"stream.started"');
    const watching = start(place, ['watch', 's', '--output-format', 'stream-json'], { env });
    await watching.shown('"stream.snapshot"');
    rest.open();
    const watched = await watching.result;
    expect(await running.result).toMatchObject({ code: 0 });
    expect(watched.code).toBe(0);
    const events = watched.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('turn.started');
    expect(types.indexOf('stream.snapshot')).toBeGreaterThan(types.indexOf('step.started'));
    const durable = events.filter((event) => 'seq' in event);
    expect(durable.at(-1)).toMatchObject({ type: 'turn.ended' });
    const log = await logOf(place);
    expect(durable).toEqual(log.filter(({ seq }) => seq >= durable[0].seq));
  });

  it('3: is watched, and taken over when its process is killed', async () => {
    const place = makePlace();
    let calls = 0;
    const never = gate();
    onTestFinished(never.open);
    const env = await modelOf(async () => {
      calls += 1;
      if (calls === 1) await never.opened;
      return { text: 'Done after all.' };
    });
    const running = start(place, ['run', '--session-id', 's', '--output-format', 'stream-json', 'Go.'], { env });
    await running.shown('"step.started"');
    const plain = start(place, ['watch', 's', '--output-format', 'stream-json'], { env });
    const taker = start(place, ['watch', 's', '--take-over', '--output-format', 'stream-json'], { env });
    await Promise.all([plain.shown('"step.started"'), taker.shown('"step.started"')]);
    running.kill('SIGKILL');
    const [left, taken] = await Promise.all([plain.result, taker.result]);
    expect(taken).toMatchObject({ code: 0 });
    expect(taken.stderr).toContain('Going on with it here.');
    expect(taken.stdout).toContain('Done after all.');
    // The other one says so, unless the session was driven again before it looked.
    if (left.code === 75) expect(left.stderr).toContain('pawl run --resume s');
    expect((await logOf(place)).at(-1)).toMatchObject({ type: 'turn.ended', data: { outcome: 'completed' } });
    // The socket that it left behind is no obstacle, and is gone.
    expect(await pawl(place, ['send', 's', 'More.'], { env })).toMatchObject({ code: 0 });
    expect(readdirSync(runFolder(place))).toEqual([]);
  });

  it('is named with its process to whoever is refused it', async () => {
    const place = makePlace();
    const env = await modelOf(writesOnce);
    const running = start(place, [...ownRun, 'Write.'], { env });
    await running.shown('waits for an answer');
    const refused = await pawl(place, ['run', '--resume', 's', 'Me too.'], { env });
    expect(refused).toMatchObject({ code: 75 });
    expect(refused.stderr).toMatch(/Session s is driven by process \d+, since 20\S+Z\. Watch it with: pawl watch s/);
    await pawl(place, ['cancel', 's'], { env });
    await running.result;
  });

  it('has the approvals of its tasks answered too', async () => {
    const place = makePlace();
    const env = await modelOf((request) => {
      const isTask = said(request).includes('<task') || !said(request).includes('Delegate');
      if (answers(request) > 0) {
        return isTask ? { calls: [{ tool: 'complete', input: { summary: 'written' } }] } : { text: 'All done.' };
      }
      return isTask
        ? { calls: [{ tool: 'write', input: { path: 'task.txt', content: 'x\n' } }] }
        : { calls: [{ tool: 'task', input: { prompt: 'Write task.txt' } }] };
    });
    const running = start(place, [...ownRun, 'Delegate it.'], { env });
    await running.shown('pawl approve s.builder-1');
    expect(await pawl(place, ['approve', 's'], { env })).toMatchObject({ code: 0 });
    expect(await running.result).toMatchObject({ code: 0, stdout: 'All done.\n' });
    expect(existsSync(join(place.folder, 'task.txt'))).toBe(true);
  });
});

describe('S8: a session that nobody runs', () => {
  it('is gone on with by whoever sends to it, or answers what it asks', async () => {
    const place = makePlace();
    const env = await modelOf(writesOnce);
    const killed = start(place, [...ownRun, 'Write.'], { env });
    await killed.shown('waits for an answer');
    killed.kill('SIGKILL');
    await killed.result;
    const watched = await pawl(place, ['watch', 's'], { env });
    expect(watched).toMatchObject({ code: 75 });
    expect(watched.stderr).toContain('is gone, and its turn is not over. Go on with it: pawl run --resume s');
    const approved = await pawl(place, ['approve', 's'], { env });
    expect(approved).toMatchObject({ code: 0, stdout: 'It is written.\n' });
    expect(existsSync(join(place.folder, 'new.txt'))).toBe(true);
    expect((await pawl(place, ['approve', 's'], { env })).stderr).toContain('Nothing of session s waits');
    expect((await pawl(place, ['pause', 's'], { env })).code).toBe(0);
    expect((await pawl(place, ['cancel', 's'], { env })).stderr).toContain('No turn is running.');
  });
});

describe('S8: an agent', () => {
  const asksBash =
    (command: string, input: object = {}): Answerer =>
    (request) =>
      answers(request) === 0
        ? { calls: [{ tool: 'bash', input: { command, ...input } }] }
        : { text: `Said: ${said(request).includes('Only a person') ? 'refused' : 'other'}` };

  /** Approves its own waiting call, as a command of another session that runs free of a sandbox. */
  async function approvesFromWithin(command: (pawlCommand: string) => string) {
    const place = makePlace();
    const env = await modelOf(writesOnce);
    const waiting = start(place, [...ownRun, 'Write.'], { env });
    await waiting.shown('waits for an answer');
    const variables = Object.entries({ ...place.env, ...env }).map(([name, value]) => `${name}='${value}'`);
    const own = `env -i ${variables.join(' ')} ${node} ${program} approve s`;
    const attacker = await modelOf(asksBash(command(own)));
    const path = join(place.home, '.config', 'pawl', 'config.yaml');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'mode: auto\n');
    await pawl(place, ['run', '--session-id', 'attacker', '--sandbox', 'off', 'Go.'], { env: attacker });
    const answered = (await logOf(place)).filter(({ type }) => type === 'approval.resolved');
    waiting.kill('SIGKILL');
    await waiting.result;
    const result = (await logOf(place, 'attacker')).find(({ type }) => type === 'tool.finished');
    return { answered, result: JSON.stringify(result) };
  }

  it('cannot answer by a command that it runs, whatever it does to its variables', async () => {
    const plain = await approvesFromWithin((command) => command);
    expect(plain.answered).toEqual([]);
    expect(plain.result).toContain('Only a person can answer an approval.');
    const replaced = await approvesFromWithin((command) => `exec ${command}`);
    expect(replaced.answered).toEqual([]);
    expect(replaced.result).toContain('Only a person can answer an approval.');
  });
});

describe('S1: a session that was exported', () => {
  it('comes back exactly by an import, with its tasks and large bodies, under another id where its own is taken', async () => {
    const place = makePlace({ 'big.txt': 'long line of text\n'.repeat(20_000) });
    const env = await modelOf((request) => {
      const isTask = !said(request).includes('Delegate');
      if (answers(request) === 0) {
        return isTask
          ? { calls: [{ tool: 'bash', input: { command: 'cat big.txt' } }] }
          : { calls: [{ tool: 'task', input: { prompt: 'Read it' } }] };
      }
      return isTask ? { calls: [{ tool: 'complete', input: { summary: 'read' } }] } : { text: 'All done.' };
    });
    expect((await pawl(place, ['run', '--session-id', 's', 'Delegate it.'], { env })).code).toBe(0);
    const file = join(place.home, 's.json');
    await pawl(place, ['sessions', 'export', 's', '-o', file]);
    const exported = JSON.parse(readFileSync(file, 'utf8'));
    expect(exported.tasks.map(({ session }: { session: string }) => session)).toEqual(['s.builder-1']);
    expect(Object.keys(exported.blobs).length).toBeGreaterThan(0);

    expect((await pawl(place, ['sessions', 'import', file])).stderr).toContain('was here already');
    const other = makePlace();
    expect(await pawl(other, ['sessions', 'import', file])).toMatchObject({ code: 0, stdout: 's\n' });
    const again = await pawl(other, ['sessions', 'export', 's', '--format', 'json']);
    expect(again.stdout).toBe(readFileSync(file, 'utf8'));

    await pawl(place, ['send', 's', 'More.'], { env });
    const second = (await pawl(place, ['sessions', 'import', file])).stdout.trim();
    expect(second).not.toBe('s');
    expect((await logOf(place, second)).length).toBe(exported.events.length);
    expect(await logOf(place, `${second}.builder-1`)).not.toEqual([]);
    writeFileSync(file, '{"format":"pawl.session","session":"x","events":[{"seq":2}]}');
    expect(await pawl(other, ['sessions', 'import', file])).toMatchObject({ code: 2 });
  });
});

describe('X1: a session that is compacted by hand', () => {
  it('is compacted where nobody drives it', async () => {
    const place = makePlace();
    const env = await modelOf((request) => ({
      text: said(request).includes('summar') ? 'In short.' : 'Words. '.repeat(12_000),
    }));
    for (const [index, prompt] of ['One.', 'Two.', 'Three.', 'Four.'].entries()) {
      const flags = index === 0 ? ['--session-id', 's'] : ['--resume', 's'];
      expect((await pawl(place, ['run', ...flags, prompt], { env })).code).toBe(0);
    }
    const compacted = await pawl(place, ['compact', 's', 'the', 'words'], { env });
    const types = (await logOf(place)).map(({ type }) => type);
    expect([compacted.code, types.includes('context.compacted'), compacted.stderr]).toEqual([
      0,
      true,
      expect.any(String),
    ]);
  });

  it('has its budget raised by a flag', async () => {
    const place = makePlace();
    const env = await modelOf(() => ({ text: 'Fine.' }));
    await pawl(place, ['run', '--session-id', 's', '--session-tokens', '1', 'One.'], { env });
    expect((await pawl(place, ['send', 's', 'Two.'], { env })).code).toBe(4);
    expect((await pawl(place, ['send', 's', '--session-tokens', '1000000', 'Three.'], { env })).code).toBe(0);
  });
});
