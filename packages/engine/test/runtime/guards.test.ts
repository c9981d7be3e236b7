import type { JsonObject } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { createHost } from '../../src/index.ts';
import { Bus } from '../../src/runtime/bus.ts';
import {
  collect,
  echo,
  eventOf,
  fakeHost,
  fakeModel,
  fakeTool,
  finished,
  gate,
  hastyClock,
  ofType,
  usage,
} from './support.ts';

const deed = (run: () => void = () => undefined, more = {}) =>
  fakeTool(
    'deed',
    async () => {
      run();
      return { content: 'done' };
    },
    { effect: 'write', ...more },
  );

describe('an agent', () => {
  it('cannot widen what it may do: mode, limits, rules, or a session that allows (P6)', async () => {
    const host = fakeHost(fakeModel(), { tools: [deed()] });
    const session = await host.create({ cwd: '/w', isAttended: true });
    const agent = host.client({ kind: 'agent', id: 'bot' });
    const handle = await agent.open(session.id);
    const refused = { code: 'human_only' };
    await expect(handle.configure({ mode: 'auto' })).rejects.toMatchObject(refused);
    await expect(handle.configure({ isAttended: false })).rejects.toMatchObject(refused);
    await expect(handle.configure({ limits: { steps: 1000 } })).rejects.toMatchObject(refused);
    await expect(agent.create({ cwd: '/w', mode: 'auto' })).rejects.toMatchObject(refused);
    await expect(agent.create({ cwd: '/w', rules: { allow: ['*'] } })).rejects.toMatchObject(refused);
    await session.command('session.pause', {});
    await session.command('input.send', { content: [{ type: 'text', text: 'Mine.' }] }, 'mine');
    const content = [{ type: 'text' as const, text: 'Not yours.' }];
    await expect(handle.command('input.edit', { input: 'mine', content })).rejects.toMatchObject(refused);
    await expect(handle.command('input.remove', { input: 'mine' })).rejects.toMatchObject(refused);
  });
});

describe('rules and modes that change while a call waits', () => {
  const asked = async () => {
    let deeds = 0;
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [deed(() => deeds++)] });
    const session = await host.create({ cwd: '/w', isAttended: true });
    const result = session.run('Go.');
    const { data } = await eventOf(session, 'approval.requested');
    return { session, result, call: data.call, deeds: () => deeds };
  };

  it('hold: a deny that came after the question refuses what is then approved', async () => {
    const { session, result, call, deeds } = await asked();
    await session.command('rule.add', { list: 'deny', rule: 'deed' });
    await session.approve(call);
    await result;
    expect(deeds()).toBe(0);
  });

  it('hold: plan mode refuses what is then approved', async () => {
    const { session, result, call, deeds } = await asked();
    await session.configure({ mode: 'plan' });
    await session.approve(call);
    await result;
    expect(deeds()).toBe(0);
  });

  it('do not ask again for what was seen and approved', async () => {
    const { session, result, call, deeds } = await asked();
    await session.command('rule.add', { list: 'ask', rule: 'other' });
    await session.approve(call);
    await result;
    expect(deeds()).toBe(1);
  });

  it('are refused when they cannot be read', async () => {
    const host = fakeHost(fakeModel());
    const session = await host.create({ cwd: '/w' });
    await expect(session.command('rule.add', { list: 'deny', rule: 'bash(' })).rejects.toMatchObject({
      code: 'bad_rule',
    });
    await expect(host.create({ cwd: '/w', rules: { deny: ['bash('] } })).rejects.toMatchObject({ code: 'bad_rule' });
  });
});

describe('closing', () => {
  it('waits for what runs, so that nobody takes the session up while a deed is still being done', async () => {
    const order: string[] = [];
    const slow = deed(undefined, {
      approval: () => false,
      run: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('deed');
        return { content: 'late' };
      },
    });
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [slow] });
    const session = await host.create({ cwd: '/w' });
    session.send('Go.');
    await eventOf(session, 'tool.started');
    await host.close();
    order.push('closed');
    expect(order).toEqual(['deed', 'closed']);
  });

  it('says of a tool that does not stop that nobody knows what it still does', async () => {
    const deaf = deed(undefined, { approval: () => false, run: () => new Promise(() => undefined) });
    const host = fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [deaf], clock: hastyClock });
    const session = await host.create({ cwd: '/w' });
    const events = collect(session.send('Go.'));
    await eventOf(session, 'tool.started');
    await session.cancel();
    const [result] = ofType(await events, 'tool.finished');
    expect(result?.data.status).toBe('unknown');
    expect(result?.data.content).toContain('left behind');
  });
});

describe('bad input in process', () => {
  it('is refused alone: who sent it is told, and the session goes on', async () => {
    const session = await fakeHost(fakeModel()).create({ cwd: '/w' });
    const other = session.run('Fine.');
    const bad = { content: 5 } as unknown as { content: [] };
    await expect(session.command('input.send', bad)).rejects.toMatchObject({ code: 'bad_command' });
    expect(() => session.send(undefined as unknown as string)).toThrow('An input is a text');
    expect((await other).outcome).toBe('completed');
  });

  it('names limits that are none, before anything is begun', async () => {
    const host = fakeHost(fakeModel());
    for (const limits of [
      { steps: Number.POSITIVE_INFINITY },
      { steps: 0 },
      { steps: 1001 },
      { tokens: 0.5 },
      { usd: -1 },
    ]) {
      await expect(host.create({ cwd: '/w', limits })).rejects.toMatchObject({ code: 'bad_limit' });
    }
  });

  it('refuses an opening whole: nothing is written and nothing is begun', async () => {
    const log = memoryLog();
    const model = { ...fakeModel(), info: { contextTokens: 1000, outputTokens: 10, isPriceKnown: false } };
    const first = createHost({ log, model, tools: [] });
    const { id } = await first.create({ cwd: '/w' });
    await first.close();
    const events = await log.read(id);
    const opening = createHost({ log, model, tools: [] }).open(id, {
      configure: { limits: { usd: 1 } },
      rules: [{ list: 'deny', rule: 'deed' }],
    });
    await expect(opening).rejects.toMatchObject({ code: 'price_unknown' });
    expect(await log.read(id)).toEqual(events);
  });
});

describe('what a tool gives back', () => {
  it('is kept even if its details are nothing that JSON can hold', async () => {
    const odd = fakeTool('odd', async () => ({ content: 'fine', details: { size: 10n } as unknown as JsonObject }));
    const session = await fakeHost(fakeModel([{ tool: 'odd' }]), { tools: [odd] }).create({ cwd: '/w' });
    const events = await collect(session.send('Go.'));
    expect(ofType(events, 'tool.finished')).toMatchObject([{ data: { status: 'ok', content: 'fine' } }]);
  });

  it('is at most 64 KiB, also when it is an error', async () => {
    const loud = fakeTool('loud', async () => {
      throw new Error('x'.repeat(3_000_000));
    });
    const session = await fakeHost(fakeModel([{ tool: 'loud' }]), { tools: [loud] }).create({ cwd: '/w' });
    const [result] = ofType(await collect(session.send('Go.')), 'tool.finished');
    expect(result?.data.content.length).toBeLessThanOrEqual(65_536);
  });

  it('cannot change the history by changing its arguments', async () => {
    const model = fakeModel([{ tool: 'greedy', input: { path: 'a' } }]);
    const greedy = fakeTool('greedy', async (input) => {
      input.path = '/changed';
      return { content: 'ok' };
    });
    await (await fakeHost(model, { tools: [greedy] }).create({ cwd: '/w' })).run('Go.');
    expect(model.requests[1]?.messages[1]).toMatchObject({ content: [{ input: { path: 'a' } }] });
  });
});

describe('a session', () => {
  it('can still be used under a limit in dollars after an answer was cut off (E4)', async () => {
    const model = fakeModel(async function* (_, signal) {
      yield { type: 'text', text: 'So far' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    const session = await fakeHost(model).create({ cwd: '/w', limits: { sessionUsd: 100 } });
    const cut = session.run('Go.');
    await eventOf(session, 'stream.text');
    await session.cancel();
    await cut;
    expect(await session.run('Again.')).toMatchObject({ outcome: 'completed', costUsd: 0.01 });
  });

  it('counts what an empty answer has cost (E13)', async () => {
    const empty = async function* () {
      yield finished([]);
    };
    const session = await fakeHost(fakeModel(empty, 'Here.')).create({ cwd: '/w' });
    expect(await session.run('Go.')).toMatchObject({ outcome: 'completed', costUsd: 0.02 });
    const unpriced = async function* () {
      yield { type: 'finished' as const, message: { content: [], stopReason: 'end' as const, usage, costUsd: null } };
    };
    const unknown = await fakeHost(fakeModel(unpriced, 'Here.')).create({ cwd: '/w' });
    expect(await unknown.run('Go.')).toMatchObject({ outcome: 'completed', costUsd: null });
    const poor = await fakeHost(fakeModel(empty, 'Here.')).create({ cwd: '/w', limits: { usd: 0.005 } });
    expect(await poor.run('Go.')).toMatchObject({ outcome: 'budget' });
  });

  it('answers run() with the turn that took the input, and with no other', async () => {
    const open = gate();
    const slow = async function* () {
      await open.promise;
      yield finished([{ type: 'text', text: 'A.' }]);
    };
    const session = await fakeHost(fakeModel(slow, 'B.')).create({ cwd: '/w' });
    const first = session.run('a');
    await eventOf(session, 'step.started');
    const removed = session.run('gone', { id: 'gone' });
    const second = session.run('b');
    await session.command('input.remove', { input: 'gone' });
    open.resolve();
    await expect(removed).rejects.toMatchObject({ code: 'no_turn' });
    expect([(await first).text, (await second).text]).toEqual(['A.', 'B.']);
  });

  it('can be watched by a host that does not drive it (S2)', async () => {
    const log = memoryLog();
    const model = fakeModel();
    const driving = createHost({ log, model, tools: [echo] });
    const watching = createHost({ log, model, tools: [echo] });
    const session = await driving.create({ cwd: '/w' });
    const stop = new AbortController();
    const seen: number[] = [];
    const watch = (async () => {
      for await (const event of watching.watch(session.id, 0, stop.signal)) {
        seen.push(event.seq);
        if (event.type === 'turn.ended') stop.abort();
      }
    })();
    await session.run('Go.');
    await watch;
    expect(seen).toEqual((await log.read(session.id)).map((event) => event.seq));
  });

  it('is at rest in a fork from the first moment, and a call that ran is unknown there (S1)', async () => {
    const open = gate();
    const wait = fakeTool('wait', async () => {
      await open.promise;
      return { content: 'late' };
    });
    const host = fakeHost(fakeModel([{ tool: 'wait' }]), { tools: [wait] });
    const session = await host.create({ cwd: '/w' });
    const result = session.run('Go.');
    await eventOf(session, 'tool.started');
    const { session: fork } = await host.fork(session.id);
    expect(await host.view(fork)).toMatchObject({ status: 'idle', approvals: [], turn: null });
    expect(ofType(await host.read(fork), 'tool.finished')).toMatchObject([{ data: { status: 'unknown' } }]);
    open.resolve();
    await result;
  });

  it('counts open calls as begun where damage has lost what became of them (scenario 4)', async () => {
    let deeds = 0;
    const log = memoryLog();
    const tools = [deed(() => deeds++, { approval: () => false })];
    const first = createHost({ log, model: fakeModel([{ tool: 'deed' }]), tools });
    const session = await first.create({ cwd: '/w' });
    const whole = session.run('Go.');
    await whole;
    await first.close();
    // The record with the intent and all after it are gone.
    const events = await log.read(session.id);
    const cut = events.findIndex((event) => event.type === 'tool.judged');
    const damaged = {
      ...memoryLog(),
      damage: () => [{ session: session.id, fromSeq: cut + 1, reason: 'a torn page' }],
    };
    await damaged.append(session.id, 0, events.slice(0, cut));
    const again = await createHost({ log: damaged, model: fakeModel(), tools }).open(session.id);
    await eventOf(again, 'turn.ended');
    expect(deeds).toBe(1);
    expect(ofType(await damaged.read(session.id), 'tool.finished')).toMatchObject([{ data: { status: 'unknown' } }]);
  });
});

describe('a subscriber of a slow log', () => {
  it('is not forgotten when events are published while it reads', async () => {
    const reading = gate<[]>();
    let reads = 0;
    const event = {
      seq: 2,
      at: 0,
      session: 's',
      type: 'stage.declared' as const,
      data: { stage: 'a' },
      by: { kind: 'engine' as const, id: 'pawl' },
    };
    const bus = new Bus('s', 1, () => (reads++ === 0 ? reading.promise : Promise.resolve([event])));
    // It has seen transient events that are no more, so it reads first.
    bus.broadcast({ type: 'stream.text', data: { text: 'x' } });
    const next = bus.subscribe({ seq: 1 }).next();
    bus.publish([event]);
    reading.resolve([]);
    expect((await next).value).toMatchObject({ seq: 2 });
  });
});
