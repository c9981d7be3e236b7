import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { createHost } from '../../src/index.ts';
import { collect, echo, eventOf, fakeHost, fakeModel, fakeTool, gate, giving, ofType, typesOf } from './support.ts';

describe('the host', () => {
  it('drives many sessions at once (H1)', async () => {
    const host = fakeHost(fakeModel());
    const sessions = await Promise.all(Array.from({ length: 50 }, () => host.create({ cwd: '/tmp' })));
    const results = await Promise.all(sessions.map((session) => session.run('Go.')));
    expect(new Set(results.map((result) => result.outcome))).toEqual(new Set(['completed']));
    expect(await host.list({ limit: 100 })).toHaveLength(50);
  });

  it('gives every client of a session the same events in the same order (H1)', async () => {
    const host = fakeHost(fakeModel('One.', 'Two.'));
    const one = await host.create({ cwd: '/tmp' });
    const two = await host.client({ kind: 'agent', id: 'two' }).open(one.id);
    const until = async (session: typeof one) => {
      const types: string[] = [];
      for await (const event of session.events({ seq: 0 })) {
        if ('seq' in event) types.push(`${event.seq} ${event.type} ${event.by.id}`);
        if (event.type === 'turn.ended' && event.data.turn === 2) return types;
      }
      return types;
    };
    const seen = Promise.all([until(one), until(two)]);
    await Promise.all([one.run('from one'), two.run('from two')]);
    const [first, second] = await seen;
    expect(first).toEqual(second);
    expect(first).toContainEqual(expect.stringContaining('input.queued two'));
  });

  it('refuses a session that a living driver has elsewhere, and takes it over when that one is gone (S2)', async () => {
    const log = memoryLog();
    const host = createHost({ log, model: fakeModel(), tools: [] });
    const other = createHost({ log, model: fakeModel(), tools: [] });
    const session = await host.create({ cwd: '/tmp' });
    await expect(other.open(session.id)).rejects.toMatchObject({ code: 'session_locked' });
    await host.close();
    await expect(session.run('Go.')).rejects.toMatchObject({ code: 'session_closed' });
    expect(await (await other.open(session.id)).run('Go.')).toMatchObject({ outcome: 'completed' });
  });

  it('says what to do about a session that does not exist, a bad id, and a model it does not have', async () => {
    const host = fakeHost(fakeModel());
    await expect(host.open('nope')).rejects.toMatchObject({ code: 'no_session' });
    await expect(host.view('nope')).rejects.toMatchObject({ code: 'no_session' });
    await expect(host.create({ cwd: '/tmp', id: '../x' })).rejects.toMatchObject({ code: 'bad_session_id' });
    await expect(host.create({ cwd: '/tmp', model: 'other/model' })).rejects.toMatchObject({ code: 'unknown_model' });
  });

  it('refuses a limit in dollars where the price is not known (E2)', async () => {
    const model = fakeModel();
    const unpriced = { ...model, info: { ...model.info, isPriceKnown: false } };
    await expect(fakeHost(unpriced).create({ cwd: '/tmp', limits: { usd: 1 } })).rejects.toMatchObject({
      code: 'price_unknown',
    });
  });

  it('brings everything back on restore: queue, rules, mode, limits, approvals (S3)', async () => {
    const log = memoryLog();
    const asks = fakeTool('deed', async () => ({ content: 'ok' }), { effect: 'write' });
    const host = createHost({ log, model: fakeModel([{ tool: 'deed' }]), tools: [asks] });
    const session = await host.create({ cwd: '/tmp', isAttended: true, mode: 'accept-edits', limits: { steps: 7 } });
    await session.command('rule.add', { list: 'deny', rule: 'other' });
    session.send('Go.');
    await eventOf(session, 'approval.requested');
    session.send('Later.');
    await eventOf(session, 'approval.requested');
    const before = await session.view();
    await host.close();

    const second = createHost({ log, model: fakeModel(), tools: [asks] });
    const resumed = await second.open(session.id);
    const after = await resumed.view();
    expect({ ...after, seq: 0, updatedAt: 0 }).toEqual({ ...before, seq: 0, updatedAt: 0 });
    expect(after).toMatchObject({ status: 'awaiting_approval', mode: 'accept-edits', limits: { steps: 7 } });
    expect(after.queue).toMatchObject([{ text: 'Later.' }]);
    await resumed.approve(after.approvals[0]?.call ?? '');
    for await (const event of resumed.events({ seq: 0 }))
      if (event.type === 'turn.ended' && event.data.turn === 2) break;
    expect(ofType(await log.read(session.id), 'tool.finished')).toMatchObject([{ data: { status: 'ok' } }]);
  });

  it('switches the model for the next step, and logs it (E15)', async () => {
    const other = { ...fakeModel('From the other.'), id: 'other/model' };
    const host = fakeHost(fakeModel('From the first.'), { models: () => other });
    const session = await host.create({ cwd: '/tmp' });
    expect(await session.run('1')).toMatchObject({ text: 'From the first.' });
    await session.configure({ model: 'other/model' });
    expect(await session.run('2')).toMatchObject({ text: 'From the other.' });
    expect(typesOf(await host.read(session.id))).toContain('session.configured');
  });

  it('wraps model calls and tool runs in middleware, the first outermost (M12, T8)', async () => {
    const order: string[] = [];
    const model = fakeModel([{ tool: 'echo', input: { n: 1 } }]);
    const host = fakeHost(model, {
      requestMiddleware: [
        (request, signal, next) => giving(order.push('outer'), next({ ...request, tail: 'remember' }, signal)),
        (request, signal, next) => giving(order.push(`inner ${request.tail}`), next(request, signal)),
      ],
      toolMiddleware: [async (tool, input, context, next) => next(tool, { ...input, added: true }, context)],
    });
    const session = await host.create({ cwd: '/tmp' });
    await session.run('Go.');
    expect(order).toEqual(['outer', 'inner remember', 'outer', 'inner remember']);
    const results = model.requests[1]?.messages.at(-1);
    expect(results).toMatchObject({ results: [{ content: '{"n":1,"added":true}' }] });
  });
});

describe('forking (S1)', () => {
  it('copies the log up to a message, gives its text back, and leaves both standing alone', async () => {
    const host = fakeHost(fakeModel('One.', 'Two.', 'Three.'));
    const session = await host.create({ cwd: '/tmp' });
    await session.run('first');
    await session.run('second');
    const events = await host.read(session.id);
    const second = ofType(events, 'message.added').filter((event) => event.data.message.role === 'user')[1];
    const { session: fork, draft } = await host.fork(session.id, { beforeMessage: `m${second?.seq}` });
    expect(draft).toEqual([{ type: 'text', text: 'second' }]);
    expect(await host.view(fork)).toMatchObject({ status: 'idle', costUsd: 0, context: { messages: 2 } });
    const forked = await host.open(fork);
    expect(await forked.run('another second')).toMatchObject({ text: 'Three.', outcome: 'completed' });
    expect(await host.read(session.id)).toEqual(events);
    await host.delete(session.id);
    expect((await host.read(fork)).length).toBeGreaterThan(5);
  });

  it('closes open calls and leaves the queue behind', async () => {
    const open = gate();
    const wait = fakeTool('wait', async () => giving(await open.promise, { content: 'late' }));
    const model = fakeModel([{ tool: 'wait' }, { tool: 'echo' }]);
    const host = fakeHost(model, { tools: [wait, echo] });
    const session = await host.create({ cwd: '/tmp' });
    const events = collect(session.send('Go.'));
    await eventOf(session, 'tool.started');
    session.send('Queued.');
    const { session: fork } = await host.fork(session.id);
    const forked = await host.open(fork);
    await eventOf(forked, 'turn.ended');
    const view = await forked.view();
    expect(view).toMatchObject({ status: 'idle', queue: [], lastTurn: { outcome: 'cancelled' } });
    await forked.run('On.');
    const history = model.requests.at(-1)?.messages ?? [];
    expect(history.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user']);
    open.resolve();
    await events;
  });
});
