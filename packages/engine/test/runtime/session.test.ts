import type { DurableEvent } from '@pawl/protocol';
import { isPawlError, PawlError } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { createHost } from '../../src/index.ts';
import {
  collect,
  echo,
  eventOf,
  fakeHost,
  fakeModel,
  fakeTool,
  finished,
  gate,
  giving,
  hastyClock,
  isDurable,
  ofType,
  typesOf,
} from './support.ts';

const write = (run: () => void) =>
  fakeTool('deed', async () => ({ content: giving(run(), 'done') }), { effect: 'write', approval: () => false });

describe('a turn', () => {
  it('runs model, tools and model until the model ends it (E1)', async () => {
    const model = fakeModel([{ tool: 'echo', input: { text: 'a' } }], 'All done.');
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    const events = await collect(session.send('Go.'));
    expect(typesOf(events)).toEqual([
      'input.queued',
      'turn.started',
      'message.added',
      'step.started',
      'message.added',
      'tool.judged',
      'tool.started',
      'tool.finished',
      'step.started',
      'message.added',
      'turn.ended',
    ]);
    expect(events.at(-1)).toMatchObject({ data: { outcome: 'completed', steps: 2, costUsd: 0.02 } });
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('numbers durable events 1, 2, 3 without gaps, and transient ones after them', async () => {
    const host = fakeHost(fakeModel([{ tool: 'echo' }, { tool: 'echo', input: { n: 1 } }]));
    const session = await host.create({ cwd: '/tmp' });
    const events = await collect(session.send('Go.'));
    const durable = await host.read(session.id);
    expect(durable.map((event) => event.seq)).toEqual(durable.map((_, index) => index + 1));
    let seq = 1;
    let n = 0;
    for (const event of events) {
      if (isDurable(event)) {
        seq = event.seq;
        n = 0;
      } else expect([event.after, event.n]).toEqual([seq, ++n]);
    }
  });

  it('gives the model the results in the order of the calls, whichever ends first (E8)', async () => {
    const first = gate();
    const slow = fakeTool('slow', async () => giving(await first.promise, { content: 'slow' }));
    const quick = fakeTool('quick', async () => giving(first.resolve(), { content: 'quick' }));
    const model = fakeModel([{ tool: 'slow' }, { tool: 'quick' }]);
    const session = await fakeHost(model, { tools: [slow, quick] }).create({ cwd: '/tmp' });
    await session.run('Go.');
    const results = model.requests[1]?.messages.at(-1);
    expect(results).toMatchObject({ role: 'tool', results: [{ content: 'slow' }, { content: 'quick' }] });
  });

  it('retries an empty answer once and then fails (E13)', async () => {
    const empty = async function* () {
      yield finished([]);
    };
    const once = await fakeHost(fakeModel(empty, 'Here.')).create({ cwd: '/tmp' });
    expect(await once.run('Go.')).toMatchObject({ outcome: 'completed', text: 'Here.' });
    const twice = await fakeHost(fakeModel(empty, empty)).create({ cwd: '/tmp' });
    expect(await twice.run('Go.')).toMatchObject({
      outcome: 'failed',
      message: 'The model answered with nothing, twice.',
    });
  });

  it('fails with the sentence of the error when the model throws', async () => {
    const model = fakeModel(async function* () {
      yield { type: 'text', text: 'I wi' };
      throw new PawlError('connection_lost', 'The connection was lost.');
    });
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    expect(await session.run('Go.')).toMatchObject({
      outcome: 'failed',
      message: 'The connection was lost.',
      text: 'I wi',
    });
    expect(await session.command('turn.retry', {})).toMatchObject({ isDuplicate: false });
    await eventOf(session, 'turn.ended');
    expect(model.requests[1]?.messages).toHaveLength(1);
  });

  it('fails clearly when a stream ends without its end', async () => {
    const model = fakeModel(async function* () {
      yield { type: 'text', text: 'half' };
    });
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    expect((await session.run('Go.')).message).toContain('without a whole answer');
  });
});

describe('cancelling', () => {
  it('keeps the text so far as a partial message without its calls (rule 4), and the next input works', async () => {
    const model = fakeModel(async function* (_, signal) {
      yield { type: 'text', text: 'So far' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    const events = session.send('Go.');
    for await (const event of events) {
      if (event.type === 'stream.text') await session.cancel('enough');
      if (event.type === 'turn.ended')
        expect(event.data).toMatchObject({ outcome: 'cancelled', message: 'Cancelled by local: enough.' });
      if (event.type === 'message.added' && event.data.message.role === 'assistant') {
        expect(event.data.message).toMatchObject({ isPartial: true, content: [{ type: 'text', text: 'So far' }] });
      }
    }
    expect(await session.run('Again.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('ends at once even when the model ignores it', async () => {
    const model = fakeModel(async function* () {
      yield { type: 'text', text: 'x' };
      await new Promise(() => undefined);
    });
    const session = await fakeHost(model).create({ cwd: '/tmp' });
    const ended = session.run('Go.');
    await eventOf(session, 'stream.text');
    await session.cancel();
    expect((await ended).outcome).toBe('cancelled');
  });

  it('stops running tools, keeps results already in and closes the rest (E4)', async () => {
    const hang = fakeTool(
      'hang',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const model = fakeModel([{ tool: 'echo' }, { tool: 'hang' }, { tool: 'deed' }]);
    let deeds = 0;
    const session = await fakeHost(model, { tools: [echo, hang, write(() => deeds++)] }).create({ cwd: '/tmp' });
    const ended = session.run('Go.');
    for await (const event of session.events({ seq: 0 })) if (event.type === 'tool.finished') break;
    await session.cancel();
    await ended;
    expect(await session.run('And now?')).toMatchObject({ outcome: 'completed' });
    const results = model.requests.at(-1)?.messages.find((message) => message.role === 'tool');
    expect(results).toMatchObject({ results: [{ status: 'ok' }, { status: 'cancelled' }, { status: 'cancelled' }] });
    expect(deeds).toBe(0);
  });

  it('leaves a tool behind that does not stop', async () => {
    const deaf = fakeTool('deaf', () => new Promise(() => undefined));
    const session = await fakeHost(fakeModel([{ tool: 'deaf' }]), { tools: [deaf], clock: hastyClock }).create({
      cwd: '/tmp',
    });
    const events = session.send('Go.');
    const results: DurableEvent[] = [];
    for await (const event of events) {
      if (event.type === 'tool.started') await session.cancel();
      if (event.type === 'tool.finished') results.push(event);
    }
    expect(results).toMatchObject([{ data: { status: 'cancelled' } }]);
  });

  it('stops a hanging tool when the time of the turn is up (E2)', async () => {
    const hang = fakeTool(
      'hang',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const session = await fakeHost(fakeModel([{ tool: 'hang' }]), { tools: [hang] }).create({
      cwd: '/tmp',
      limits: { durationMs: 30 },
    });
    expect(await session.run('Go.')).toMatchObject({ outcome: 'max_duration' });
  });
});

describe('intent before act', () => {
  it('does not run the body when the intent cannot be written, and says why (scenario 2)', async () => {
    const log = memoryLog();
    let deeds = 0;
    const append = log.append.bind(log);
    log.append = async (session, expected, events) => {
      if (events.some((event) => event.type === 'tool.started'))
        throw new PawlError('log_unavailable', 'The disk is full.');
      return append(session, expected, events);
    };
    const model = fakeModel([{ tool: 'deed' }]);
    const host = createHost({ log, model, tools: [write(() => deeds++)], clock: hastyClock });
    const session = await host.create({ cwd: '/tmp' });
    await expect(collect(session.send('Go.'))).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(deeds).toBe(0);

    log.append = append;
    const again = await host.open(session.id);
    await eventOf(again, 'turn.ended');
    expect(deeds).toBe(1);
  });

  it('takes an append whose answer was lost for what it was', async () => {
    const log = memoryLog();
    const append = log.append.bind(log);
    let lost = 0;
    log.append = async (session, expected, events) => {
      await append(session, expected, events);
      if (events.some((event) => event.type === 'tool.started') && lost++ === 0) throw new Error('no answer');
    };
    let deeds = 0;
    const host = createHost({ log, model: fakeModel([{ tool: 'deed' }]), tools: [write(() => deeds++)] });
    const session = await host.create({ cwd: '/tmp' });
    expect(await session.run('Go.')).toMatchObject({ outcome: 'completed' });
    expect([deeds, lost]).toEqual([1, 1]);
  });

  it('stops a driver that lost its session at its next append, and nothing it did counts (rule 5)', async () => {
    const log = memoryLog();
    const open = gate();
    const wait = fakeTool('wait', async () => giving(await open.promise, { content: 'late' }));
    const host = createHost({ log, model: fakeModel([{ tool: 'wait' }]), tools: [wait] });
    const session = await host.create({ cwd: '/tmp' });
    const events = collect(session.send('Go.'));
    await eventOf(session, 'tool.started');
    const seq = (await log.read(session.id)).length;
    await log.append(session.id, seq, [
      {
        seq: seq + 1,
        at: 1,
        session: session.id,
        type: 'session.opened',
        data: { driver: 'other' },
        by: { kind: 'engine', id: 'other' },
      },
    ]);
    open.resolve();
    await expect(events).rejects.toMatchObject({ code: 'session_lost' });
    expect(ofType(await log.read(session.id), 'tool.finished')).toEqual([]);
  });
});

describe('recovery', () => {
  const interrupted = async (
    effect: 'read' | 'idempotent' | 'write' | 'external',
    reconcile?: 'not_done' | 'done' | null,
  ) => {
    const log = memoryLog();
    let runs = 0;
    const tool = fakeTool(
      'deed',
      async (_, { signal }) => {
        runs += 1;
        if (runs > 1) return { content: 'again' };
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      {
        effect,
        approval: () => false,
        plan: async () => ({ evidence: { before: 1 } }),
        ...(reconcile !== undefined && {
          reconcile: async () => (reconcile === 'done' ? { content: 'It had happened.' } : reconcile),
        }),
      },
    );
    const first = createHost({ log, model: fakeModel([{ tool: 'deed' }]), tools: [tool] });
    const session = await first.create({ cwd: '/tmp' });
    session.send('Go.');
    await eventOf(session, 'tool.started');
    await first.close();
    const second = createHost({ log, model: fakeModel('After.'), tools: [tool] });
    const resumed = await second.open(session.id);
    await eventOf(resumed, 'turn.ended');
    const [result] = ofType(await log.read(session.id), 'tool.finished');
    return { runs, status: result?.data.status, content: result?.data.content };
  };

  it('runs a read or idempotent call again (rule 3)', async () => {
    expect(await interrupted('read')).toMatchObject({ runs: 2, status: 'ok' });
    expect(await interrupted('idempotent')).toMatchObject({ runs: 2, status: 'ok' });
  });
  it('closes a write or external call as unknown when nobody knows', async () => {
    expect(await interrupted('write')).toMatchObject({ runs: 1, status: 'unknown' });
    expect(await interrupted('external', null)).toMatchObject({ runs: 1, status: 'unknown' });
  });
  it('asks the tool what became of it', async () => {
    expect(await interrupted('write', 'done')).toMatchObject({ runs: 1, status: 'ok', content: 'It had happened.' });
    expect(await interrupted('write', 'not_done')).toMatchObject({ runs: 2, status: 'ok', content: 'again' });
  });
});

describe('commands', () => {
  it('accepts the same command once and answers it alike; another under its id is refused (scenario 8)', async () => {
    const session = await fakeHost(fakeModel()).create({ cwd: '/tmp' });
    const content = [{ type: 'text' as const, text: 'Hi.' }];
    const first = await session.command('input.send', { content }, 'same');
    const second = await session.command('input.send', { content }, 'same');
    expect(second).toMatchObject({ isDuplicate: true });
    expect(second.seq).toBeLessThanOrEqual(first.seq);
    const other = session.command('input.send', { content: [{ type: 'text', text: 'Other.' }] }, 'same');
    await expect(other).rejects.toMatchObject({ code: 'command_id_reused' });
  });

  it('lets whoever has seen the end of a turn send at once, also when told to reject', async () => {
    const session = await fakeHost(fakeModel('One.', 'Two.')).create({ cwd: '/tmp' });
    for await (const event of session.send('1')) {
      if (event.type !== 'turn.ended') continue;
      expect(await session.run('2', { delivery: 'reject' })).toMatchObject({ text: 'Two.' });
    }
  });

  it('never lets an agent answer an approval (P6)', async () => {
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), {
      tools: [{ ...write(() => undefined), approval: () => true }],
    });
    const session = await host.create({ cwd: '/tmp', isAttended: true });
    const ended = session.run('Go.');
    const { data } = await eventOf(session, 'approval.requested');
    const agent = await host.client({ kind: 'agent', id: 'helper' }).open(session.id);
    await expect(agent.approve(data.call)).rejects.toMatchObject({ code: 'human_only' });
    await session.deny(data.call, 'not today');
    await expect(session.approve(data.call)).rejects.toSatisfy((error) => isPawlError(error));
    expect((await ended).outcome).toBe('completed');
  });

  it('never lets an agent make itself a person by changing what its client says of it (P6)', async () => {
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), {
      tools: [{ ...write(() => undefined), approval: () => true }],
    });
    const session = await host.create({ cwd: '/tmp', isAttended: true });
    const ended = session.run('Go.');
    const { data } = await eventOf(session, 'approval.requested');
    const given = { kind: 'agent' as 'agent' | 'human', id: 'helper' };
    const client = host.client(given);
    const before = await client.open(session.id);
    given.kind = 'human';
    expect(() => Object.assign(client.identity, { kind: 'human' })).toThrow(TypeError);
    Object.assign(client, { identity: { kind: 'human', id: 'ann' } });
    for (const handle of [before, await client.open(session.id)])
      await expect(handle.approve(data.call)).rejects.toMatchObject({ code: 'human_only' });
    await session.deny(data.call);
    expect((await ended).outcome).toBe('completed');
  });
});
