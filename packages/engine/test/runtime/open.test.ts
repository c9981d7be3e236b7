import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { evolve } from '../../src/core/index.ts';
import type { SessionLog } from '../../src/index.ts';
import { createHost } from '../../src/index.ts';
import { fakeModel, fakeTool, ofType, typesOf } from './support.ts';

/** A log with a session whose driver was closed while its model was asked for the first answer. */
async function interrupted(log: SessionLog): Promise<string> {
  const silent = fakeModel(async function* (_request, signal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  });
  const host = createHost({ log, model: silent, tools: [] });
  const session = await host.create({ cwd: '/tmp' });
  const events = session.events();
  await session.command('input.send', { content: [{ type: 'text', text: 'Go.' }] });
  for await (const event of events) if (event.type === 'stream.started') break;
  await host.close();
  return session.id;
}

const writer = fakeTool('write', async () => ({ content: 'written' }), { effect: 'write' });

describe('opening a session with changes', () => {
  it('makes them hold before anything owed is taken up', async () => {
    const log = memoryLog();
    const id = await interrupted(log);
    const asked = { ...fakeModel([{ tool: 'write' }], 'Done.'), id: 'other/model' };
    const host = createHost({ log, model: asked, tools: [writer] });
    const session = await host.open(id, {
      configure: { model: 'other/model' },
      rules: [{ list: 'allow', rule: 'write' }],
    });
    const events = [];
    for await (const event of session.events({ seq: 0 })) {
      events.push(event);
      if (event.type === 'turn.ended') break;
    }
    expect(asked.requests).toHaveLength(2);
    expect(ofType(events, 'tool.finished').map((event) => event.data.status)).toEqual(['ok']);
    const types = typesOf(events);
    const opened = types.indexOf('session.opened');
    expect(types.slice(opened, opened + 3)).toEqual(['session.opened', 'session.configured', 'rule.added']);
  });

  it('leaves the session closed when a change is refused', async () => {
    const log = memoryLog();
    const model = fakeModel();
    const first = createHost({ log, model, tools: [] });
    const { id } = await first.create({ cwd: '/tmp' });
    await first.close();
    const unpriced = { ...model, info: { ...model.info, isPriceKnown: false }, id: 'free/model' };
    const host = createHost({ log, model: unpriced, tools: [] });
    const changes = { configure: { model: 'free/model', limits: { usd: 1 } } };
    await expect(host.open(id, changes)).rejects.toMatchObject({ code: 'price_unknown' });
    await expect(host.open(id)).resolves.toMatchObject({ id });
  });
});

describe('a tool whose schema changes its arguments', () => {
  it('runs with them as they were judged: with defaults filled in', async () => {
    const seen: unknown[] = [];
    const input = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) => ({ value: { count: 1, ...(value as object) } }),
      },
    };
    const tool = fakeTool('order', async (given) => ({ content: String(seen.push(given)) }), {
      input,
      inputSchema: { type: 'object' },
    });
    const host = createHost({ log: memoryLog(), model: fakeModel([{ tool: 'order' }]), tools: [tool] });
    const session = await host.create({ cwd: '/tmp' });
    await session.run('Go.');
    expect(seen).toEqual([{ count: 1 }]);
  });
});

describe('taking a session up again', () => {
  /** A log that notes the numbers of the events that are read from it, and a host that notes those that it folds. */
  async function counted() {
    const log = memoryLog();
    const id = await interrupted(log);
    const { length } = await log.read(id);
    const read: number[] = [];
    const folded: number[] = [];
    const counting: SessionLog = {
      ...log,
      async read(session, afterSeq) {
        const events = await log.read(session, afterSeq);
        read.push(...events.map(({ seq }) => seq));
        return events;
      },
    };
    const host = createHost({
      log: counting,
      blobs: log,
      model: fakeModel('Done.'),
      tools: [],
      internals: {
        core: {
          evolve(state, event) {
            folded.push(event.seq);
            return evolve(state, event);
          },
        },
      },
    });
    return { host, id, log, read, folded, all: Array.from({ length }, (_, index) => index + 1) };
  }

  it('reads each event of its log once and folds it once, also after a look at it and with changes', async () => {
    const { host, id, read, folded, all } = await counted();
    expect((await host.view(id)).seq).toBe(all.length);
    await host.open(id, { configure: { limits: { steps: 7 } }, rules: [{ list: 'allow', rule: 'write' }] });
    expect(read).toEqual(all);
    expect(folded.filter((seq) => seq <= all.length)).toEqual(all);
    await host.close();
  });

  it('takes up what was written since it was looked at', async () => {
    const { host, id, log, all } = await counted();
    await host.view(id);
    const another = createHost({ log, model: fakeModel('Done.'), tools: [] });
    await (await another.open(id)).configure({ limits: { steps: 9 } });
    await another.close();
    const { seq, limits } = await (await host.open(id)).view();
    expect(seq).toBeGreaterThan(all.length + 1);
    expect(limits.steps).toBe(9);
    await host.close();
  });

  it('is shown as gone, and not opened, when another process deleted it since it was looked at', async () => {
    const { host, id, log } = await counted();
    await host.view(id);
    await log.delete(id);
    await expect(host.view(id)).rejects.toMatchObject({ code: 'no_session' });
    await expect(host.open(id)).rejects.toMatchObject({ code: 'no_session' });
    await host.close();
  });

  it('takes nothing over from a session of the same name that was deleted', async () => {
    const { host, id, log, all } = await counted();
    const source = await host.fork(id);
    const events = await log.read(source.session);
    expect((await host.view(id)).seq).toBe(all.length);
    await log.delete(id);
    await log.append(
      id,
      0,
      events.slice(0, 1).map((event) => ({ ...event, session: id })),
    );
    expect((await host.view(id)).seq).toBe(1);
    await host.close();
  });

  it('writes nothing when one of several changes is refused', async () => {
    const { host, id, log, all } = await counted();
    const changes = { configure: { limits: { steps: 7 } }, rules: [{ list: 'allow' as const, rule: 'write(' }] };
    await expect(host.open(id, changes)).rejects.toMatchObject({ code: 'bad_rule' });
    expect(await log.read(id)).toHaveLength(all.length);
    await expect(host.open(id)).resolves.toMatchObject({ id });
    await host.close();
  });
});
