import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Surroundings, SurroundingsQuery } from '../../src/index.ts';
import { agentsOf, builtinAgents, createHost } from '../../src/index.ts';
import { collect, echo, fakeHost, fakeModel, fakeTool, gate, hastyClock, ofType, typesOf } from './support.ts';

const saying = (text: string): Surroundings => ({ gather: async () => [{ region: 'system', name: 'role', text }] });

/** Gives these answers in turn, and keeps what it was asked. */
function scripted(...answers: (string | null)[]) {
  const queries: SurroundingsQuery[] = [];
  const port: Surroundings = {
    async gather(query) {
      const text = answers[queries.push(query) - 1] ?? null;
      return text === null ? null : [{ region: 'system', name: 'role', text }];
    },
  };
  return { queries, port };
}

describe('X6: gathering', () => {
  it('makes the system prompt, which stands in the log before the request', async () => {
    const model = fakeModel();
    const session = await fakeHost(model, { surroundings: saying('You garden.') }).create({ cwd: '/tmp' });
    const events = await collect(session.send('Go.'));
    expect(model.requests[0]?.system).toBe('You garden.');
    const types = typesOf(events);
    expect(types.indexOf('context.gathered')).toBeLessThan(types.indexOf('step.started'));
  });

  it('is for the first time full, and asked with what the turn is about', async () => {
    const { queries, port } = scripted('One.', null, 'Two.');
    const model = fakeModel();
    const session = await fakeHost(model, { surroundings: port }).create({ cwd: '/tmp', metadata: { plot: '7' } });
    await session.run('Water the roses.');
    await session.run('And the figs.');
    await session.run('And the beans.');
    expect(queries.map(({ isFull, task }) => [isFull, task])).toEqual([
      [true, 'Water the roses.'],
      [false, 'And the figs.'],
      [false, 'And the beans.'],
    ]);
    expect(queries[0]).toMatchObject({ agent: 'builder', metadata: { plot: '7' }, fragments: [] });
    expect(queries[1]?.fragments).toHaveLength(1);
    expect(model.requests.map(({ system }) => system)).toEqual(['One.', 'One.', 'Two.']);
  });

  it('that fails costs a notice and not the turn', async () => {
    const model = fakeModel();
    const broken: Surroundings = { gather: () => Promise.reject(new Error('The disk is gone.')) };
    const session = await fakeHost(model, { surroundings: broken }).create({ cwd: '/tmp' });
    const events = await collect(session.send('Go.'));
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.data] : []));
    expect(notices).toMatchObject([
      { code: 'context_incomplete', message: expect.stringContaining('The disk is gone.') },
    ]);
    expect(ofType(events, 'turn.ended')[0]?.data.outcome).toBe('completed');
    expect(model.requests[0]?.system).toContain('You are a capable software agent.');
  });

  it('that never ends costs its time and not the turn', async () => {
    const model = fakeModel();
    const hanging: Surroundings = { gather: () => new Promise(() => undefined) };
    const host = fakeHost(model, { surroundings: hanging, clock: hastyClock });
    const session = await host.create({ cwd: '/tmp' });
    expect((await session.run('Go.')).outcome).toBe('completed');
    expect(model.requests[0]?.system).toContain('You are a capable software agent.');
  });

  it('stops with a cancel, whatever it does', async () => {
    const begun = gate();
    const hanging: Surroundings = {
      gather: () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
    };
    const model = fakeModel();
    const session = await fakeHost(model, { surroundings: hanging }).create({ cwd: '/tmp' });
    const result = session.run('Go.');
    await begun.promise;
    await session.cancel();
    expect((await result).outcome).toBe('cancelled');
    expect(model.requests).toEqual([]);
  });

  it('costs nothing where the host has nothing to gather, or says the prompt whole', async () => {
    const model = fakeModel();
    const plain = await fakeHost(model).create({ cwd: '/tmp' });
    expect(typesOf(await collect(plain.send('Go.')))).not.toContain('context.gathered');
    const whole = await fakeHost(model, { surroundings: saying('No.'), system: 'Yes.' }).create({ cwd: '/tmp' });
    await whole.run('Go.');
    expect(model.requests.map(({ system }) => system)).toEqual([expect.stringContaining('working directory'), 'Yes.']);
  });

  it('goes on with the prompt of the log in another process, which need not gather at all', async () => {
    const log = memoryLog();
    const [first, second] = [fakeModel(), fakeModel()];
    const host = createHost({ log, model: first, surroundings: saying('You garden.') });
    const { id } = await host.create({ cwd: '/tmp' });
    await (await host.open(id)).run('Go.');
    await host.close();
    const bare = createHost({ log, model: second, surroundings: { gather: async () => null } });
    await (await bare.open(id)).run('On.');
    await bare.close();
    expect(second.requests[0]?.system).toBe('You garden.');
  });
});

describe('X6: pieces of the prompt at runtime', () => {
  it('hold from the next turn on, for one agent or all, until they are taken back', async () => {
    const model = fakeModel();
    const host = fakeHost(model, { agents: builtinAgents });
    const session = await host.create({ cwd: '/tmp' });
    await session.run('One.');
    host.prompts.set('*', 'style', 'Be brief.');
    host.prompts.set('planner', 'style', 'Be long.');
    host.prompts.set('*', 'identity', '');
    await session.run('Two.');
    await session.configure({ agent: 'planner' });
    await session.run('Three.');
    host.prompts.set('planner', 'style', null);
    host.prompts.set('*', 'identity', null);
    await session.run('Four.');
    const systems = model.requests.map(({ system }) => system);
    expect(systems[0]).toContain('You are a capable');
    expect(systems[0]).not.toContain('Be brief.');
    expect(systems[1]).toContain('Be brief.');
    expect(systems[1]).not.toContain('You are a capable');
    expect(systems[2]).toContain('Be long.');
    expect(systems[2]).toContain('You plan, and do not carry out.');
    expect(systems[3]).toContain('Be brief.');
    expect(systems[3]).toContain('You are a capable');
  });
});

describe('A1: an agent', () => {
  const deed = fakeTool('deed', async () => ({ content: 'done' }), { effect: 'write', approval: () => false });
  const base = { ...(builtinAgents[0] ?? never()), name: 'careful' };

  it('is told of its tools alone, and refused the others like one that there is not', async () => {
    const model = fakeModel([{ tool: 'deed' }]);
    const agents = [{ ...base, tools: ['echo'] }];
    const session = await fakeHost(model, { agents, tools: [echo, deed] }).create({ cwd: '/tmp', agent: 'careful' });
    const events = await collect(session.send('Go.'));
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo']);
    expect(model.requests[1]?.tools).toBe(model.requests[0]?.tools);
    expect(ofType(events, 'tool.finished')[0]?.data).toMatchObject({
      status: 'error',
      content: 'The agent careful does not have the tool "deed". It has: echo.',
    });
  });

  it('has rules that are a layer like any other: its deny wins, its allow needs no question', async () => {
    const asking = fakeTool('asking', async () => ({ content: 'done' }), { effect: 'write' });
    const rules = { deny: ['deed'], ask: [], allow: ['asking'] };
    const model = fakeModel([{ tool: 'deed' }, { tool: 'asking' }]);
    const host = fakeHost(model, { agents: [{ ...base, tools: null, rules }], tools: [deed, asking] });
    const session = await host.create({ cwd: '/tmp', agent: 'careful', rules: { allow: ['deed'] } });
    const events = await collect(session.send('Go.'));
    const [denied, allowed] = ofType(events, 'tool.judged').map(({ data }) => data);
    expect(denied).toMatchObject({ verdict: 'deny', reason: 'deed is denied by the agent careful rules.' });
    expect(allowed).toMatchObject({ verdict: 'allow', rule: 'allow asking' });
  });

  it('brings its model where nobody names one, its steps and its mode', async () => {
    const other = { ...fakeModel(), id: 'fake/other' };
    const agents = [{ ...base, model: 'fake/other', steps: 7, permissionMode: 'plan' as const }];
    const host = fakeHost(fakeModel(), { agents, models: () => other });
    const own = await (await host.create({ cwd: '/tmp', agent: 'careful' })).view();
    expect(own).toMatchObject({ model: 'fake/other', mode: 'plan', limits: { steps: 7 } });
    const named = await host.create({
      cwd: '/tmp',
      agent: 'careful',
      model: 'fake/model',
      mode: 'auto',
      limits: { steps: 3 },
    });
    expect(await named.view()).toMatchObject({ model: 'fake/model', mode: 'plan', limits: { steps: 3 } });
  });

  it('takes over at the next step, with its prompt, its tools and its model', async () => {
    const [first, second] = [fakeModel([{ tool: 'read' }]), { ...fakeModel('Planned.'), id: 'fake/other' }];
    const switching = fakeTool('read', async () => {
      await session.configure({ agent: 'thinker' });
      return { content: 'switched' };
    });
    const agents = [
      ...builtinAgents,
      { ...base, name: 'thinker', tools: ['read'], prompt: 'You think.', model: 'fake/other' },
    ];
    const host = fakeHost(first, { agents, models: () => second, tools: [switching, echo] });
    const session = await host.create({ cwd: '/tmp' });
    const events = await collect(session.send('Go.'));
    expect(first.requests).toHaveLength(1);
    expect(first.requests[0]?.tools.map(({ name }) => name)).toEqual(['echo', 'read']);
    expect(second.requests[0]?.tools.map(({ name }) => name)).toEqual(['read']);
    expect(second.requests[0]?.system).toContain('You think.');
    const types = typesOf(events).filter((type) => /configured|gathered|step/.test(type));
    expect(types).toEqual([
      'context.gathered',
      'step.started',
      'session.configured',
      'context.gathered',
      'step.started',
    ]);
  });

  it('must be one that there is, at first and at a switch', async () => {
    const host = fakeHost(fakeModel(), { agents: agentsOf(builtinAgents) });
    const refused = { code: 'unknown_agent', message: 'There is no agent "smith". There are: builder, planner.' };
    await expect(host.create({ cwd: '/tmp', agent: 'smith' })).rejects.toMatchObject(refused);
    const session = await host.create({ cwd: '/tmp' });
    await expect(session.configure({ agent: 'smith' })).rejects.toMatchObject(refused);
    const { id } = session;
    await expect(host.open(id, { configure: { agent: 'smith' } })).rejects.toMatchObject(refused);
  });

  it('with a rule that cannot be read does not begin', async () => {
    const agents = [{ ...base, rules: { deny: ['write('], ask: [], allow: [] } }];
    const host = fakeHost(fakeModel(), { agents });
    await expect(host.create({ cwd: '/tmp', agent: 'careful' })).rejects.toMatchObject({ code: 'bad_rule' });
  });

  it('cannot be begun or switched to by an agent, where it may do more', async () => {
    const agents = [...builtinAgents, { ...base, rules: { deny: [], ask: [], allow: ['deed'] } }];
    const host = fakeHost(fakeModel(), { agents });
    const robot = host.client({ kind: 'agent', id: 'robot' });
    await expect(robot.create({ cwd: '/tmp', agent: 'careful' })).rejects.toMatchObject({ code: 'human_only' });
    const later = robot.create({ cwd: '/tmp', agent: 'planner', mode: 'auto' });
    await expect(later).rejects.toMatchObject({ code: 'human_only' });
    const session = await robot.create({ cwd: '/tmp', agent: 'planner' });
    await expect(session.configure({ agent: 'builder' })).rejects.toMatchObject({ code: 'human_only' });
    const { id } = session;
    await expect((await host.open(id)).configure({ agent: 'builder' })).resolves.toMatchObject({ isDuplicate: false });
  });
});

function never(): never {
  throw new Error('There are built-in agents.');
}

describe('X5: what others changed on disk', () => {
  const digestOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('hex')}`;

  it('is told once, as the next turn begins, and not what the session changed itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-changed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [seen, own, gone] = ['seen.txt', 'own.txt', 'gone.txt'].map((name) => join(folder, name));
    const paths = [seen, own, gone].map((path) => path ?? '');
    for (const path of paths) writeFileSync(path, 'one');
    const look = fakeTool('look', async () => ({
      content: 'Seen.',
      details: { files: Object.fromEntries(paths.map((path) => [path, digestOf(path === own ? 'two' : 'one')])) },
    }));
    const model = fakeModel([{ tool: 'look' }], 'Seen.', 'I see.', 'Still.');
    const host = fakeHost(model, { surroundings: saying('You look.'), tools: [look] });
    const session = await host.create({ cwd: folder });
    await session.run('Look.');
    writeFileSync(paths[0] ?? '', 'two');
    writeFileSync(paths[1] ?? '', 'two');
    rmSync(paths[2] ?? '');
    await session.run('And now?');
    const told = model.requests.map(({ tail }) => tail ?? '').filter((tail) => tail.includes('Changed on disk'));
    expect(told).toEqual([expect.stringMatching(/- ".*seen\.txt"\n- ".*gone\.txt"\nRead again/)]);
    expect(told[0]).not.toContain('own.txt');
    await session.run('Anything else?');
    expect(model.requests.at(-1)?.tail ?? '').not.toContain('Changed on disk');
  });
});
