import { join } from 'node:path';
import { type WireAnswer, type WireRequest, type WireServer, wireServer } from '@pawl/models/testing';
import type { DurableEvent, EventType } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl, serverEnv, start } from './pawl.ts';

async function serve(answer: (request: WireRequest) => WireAnswer | Promise<WireAnswer>): Promise<WireServer> {
  const server = await wireServer(answer);
  onTestFinished(() => server.close());
  return server;
}

const textOf = (request: WireRequest) => JSON.stringify(request.messages);
const count = (request: WireRequest) => request.messages.filter(({ role }) => role === 'assistant').length;

async function logged<Type extends EventType>(place: Place, session: string, type: Type) {
  const log = sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
  const events = await log.read(session);
  await log.close();
  return events.filter((event): event is DurableEvent & { type: Type } => event.type === type);
}

const task = (prompt: string, more = {}) => ({ calls: [{ tool: 'task', input: { prompt, ...more } }] });
const complete = (summary: string) => ({ calls: [{ tool: 'complete', input: { summary } }] });
const mail = (to: string, text: string, more = {}) => ({
  calls: [{ tool: 'mail_send', input: { to, kind: 'decision_required', text, ...more } }],
});

describe('A3: mail of a task in a run', () => {
  for (const priority of ['notify', 'urgent', 'interrupt'] as const) {
    it(`reaches its owner as ${priority} and is answered in its thread before the process ends`, async () => {
      const place = makePlace();
      const server = await serve((request) => {
        const text = textOf(request);
        if (!text.includes('Begin'))
          return count(request) === 0 ? mail('owner', 'Which colour?', { priority }) : complete('Asked.');
        if (count(request) === 0) return task('Paint it.', { background: true });
        const asked = /mail=\\"([^"\\]+)\\"/.exec(text)?.[1];
        if (asked === undefined || text.includes('Take red')) return { text: 'I rest.' };
        return mail('main.builder-1', 'Take red.', { replyTo: asked });
      });
      const flags = ['--session-id', 'main', '--output-format', 'stream-json'];
      const result = await pawl(place, ['run', ...flags, 'Begin'], { env: serverEnv(server.url) });
      const [asked] = await logged(place, 'main', 'mail.received');
      const [answered] = await logged(place, 'main.builder-1', 'mail.received');
      expect(answered?.data).toMatchObject({ from: 'main', replyTo: asked?.data.mail, thread: asked?.data.thread });
      expect(await logged(place, 'main', 'mail.delivered')).toHaveLength(1);
      expect(await logged(place, 'main.builder-1', 'mail.delivered')).toHaveLength(1);
      expect(result.stdout).toContain('"type":"mail.received"');
      // Whatever turn came last, it was waited for and shown.
      const shown = (type: EventType) => result.stdout.split(`"type":"${type}"`).length;
      expect(shown('turn.ended')).toBe(shown('turn.started'));
      expect(result.code).toBe(0);
      const turns = await logged(place, 'main.builder-1', 'turn.started');
      expect(turns).toHaveLength(1);
    });
  }
});

describe('A3: mail that cannot be delivered yet', () => {
  it('keeps the run going; killed, it is what the next one owes', async () => {
    const place = makePlace();
    const log = () => sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
    const first = Promise.withResolvers<void>();
    const server = await serve(async (request) => {
      if (!textOf(request).includes('Begin')) return complete('One.');
      if (count(request) === 0) return task('One.');
      await first.promise;
      return count(request) === 1 ? mail('main.builder-1', 'Thanks.') : { text: 'Ended.' };
    });
    const env = serverEnv(server.url);
    const flags = ['--output-format', 'stream-json'];
    const running = start(place, ['run', ...flags, '--session-id', 'main', 'Begin'], { env });
    await running.shown('"type":"task.ended"');
    // The task's session is in the hands of another process.
    const other = log();
    const claim = await other.claim('main.builder-1');
    first.resolve();
    await running.shown('"session":"main","type":"turn.ended"');
    await running.shown('"type":"mail.delayed"');
    running.kill('SIGKILL');
    expect((await running.result).signal).toBe('SIGKILL');
    await claim.release();
    await other.close();
    const resumed = await pawl(place, ['run', ...flags, '--resume', 'main'], { env });
    expect(resumed.stdout).toContain('"type":"mail.delivered"');
    expect(resumed.code).toBe(0);
    expect(await logged(place, 'main.builder-1', 'mail.received')).toHaveLength(1);
    expect((await pawl(place, ['run', '--resume', 'main'], { env })).stderr).toContain('Nothing is owed');
  });
});

describe('E4: a run with tasks that is interrupted', () => {
  it('ends with all of them, and can be gone on with', async () => {
    const place = makePlace();
    let isOver = false;
    const server = await serve((request) => {
      const isMain = textOf(request).includes('Begin');
      if (isMain && count(request) > 0) return { text: 'Ended.' };
      if (isMain) return { calls: ['One', 'Two'].flatMap((name) => task(`Hang ${name}`).calls) };
      return isOver ? complete('Late.') : new Promise<never>(() => undefined);
    });
    const env = serverEnv(server.url);
    const flags = ['--output-format', 'stream-json'];
    const running = start(place, ['run', ...flags, '--session-id', 'main', 'Begin'], { env });
    await running.shown('"session":"main.builder-1","type":"step.started"');
    await running.shown('"session":"main.builder-2","type":"step.started"');
    running.kill('SIGINT');
    expect((await running.result).code).toBe(130);
    const ended = await logged(place, 'main', 'task.ended');
    expect(ended.map(({ data }) => data.outcome)).toEqual(['cancelled', 'cancelled']);
    isOver = true;
    const resumed = await pawl(place, ['run', '--resume', 'main'], { env });
    expect(resumed.stdout).toBe('Ended.\n');
    expect(resumed.code).toBe(0);
  });
});

describe('E4: a run that only waits for tasks that its turn left behind', () => {
  it('is left by Ctrl-C at once; the next one waits for them again', async () => {
    const place = makePlace();
    let isFirst = true;
    const server = await serve((request) => {
      if (textOf(request).includes('Begin')) {
        return count(request) === 0 ? task('Hang.', { background: true, joined: false }) : { text: 'Ended.' };
      }
      return isFirst ? new Promise<never>(() => undefined) : complete('Late.');
    });
    const env = serverEnv(server.url);
    const flags = ['--output-format', 'stream-json'];
    const running = start(place, ['run', ...flags, '--session-id', 'main', 'Begin'], { env });
    await running.shown('"session":"main","type":"turn.ended"');
    await running.shown('"session":"main.builder-1","type":"step.started"');
    running.kill('SIGINT');
    expect((await running.result).code).toBe(130);
    expect(await logged(place, 'main', 'task.ended')).toHaveLength(0);
    isFirst = false;
    const resumed = await pawl(place, ['run', ...flags, '--resume', 'main'], { env });
    expect(resumed.stdout).toContain('"summary":"Late."');
    expect(resumed.code).toBe(0);
    const [ended] = await logged(place, 'main', 'task.ended');
    expect(ended?.data).toMatchObject({ outcome: 'completed' });
  });
});

describe('A2: agents of tasks in a run', () => {
  it('a planner below a run that may do anything changes nothing', async () => {
    const place = makePlace({ 'a.txt': 'alpha\n' });
    const server = await serve((request) => {
      if (textOf(request).includes('Begin'))
        return count(request) === 0 ? task('Plan it.', { agent: 'planner' }) : { text: 'Ended.' };
      const step = count(request);
      if (step === 0) return { calls: [{ tool: 'bash', input: { command: 'echo beta > a.txt' } }] };
      return step === 1 ? { calls: [{ tool: 'write', input: { path: 'b.txt', content: 'b' } }] } : complete('Planned.');
    });
    const flags = ['--permission-mode', 'auto', '--sandbox', 'off', '--session-id', 'main'];
    const result = await pawl(place, ['run', ...flags, 'Begin'], { env: serverEnv(server.url) });
    expect(result.stdout).toBe('Ended.\n');
    const finished = await logged(place, 'main.planner-1', 'tool.finished');
    expect(finished.map(({ data }) => data.status)).toEqual(['denied', 'error', 'ok']);
  });

  it('one that is not there is told at once, with those that are', async () => {
    const place = makePlace();
    const server = await serve((request) =>
      count(request) === 0 ? task('Do it.', { agent: 'wizard' }) : { text: 'Ended.' },
    );
    await pawl(place, ['run', '--session-id', 'main', 'Begin'], { env: serverEnv(server.url) });
    const [ended] = await logged(place, 'main', 'task.ended');
    expect(ended?.data).toMatchObject({ outcome: 'failed' });
    expect(ended?.data.message).toMatch(/^There is no agent "wizard"\. There are: builder/);
  });
});
