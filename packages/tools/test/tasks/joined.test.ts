/** How tasks, agents, mail and targets hold together, as their users meet it: through a host. */

import type { Agent, ModelRequest, Tool } from '@pawl/engine';
import { builtinAgents, createHost } from '@pawl/engine';
import type { DurableEvent, JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { mailTools, taskTools } from '../../src/index.ts';
import { complete, handClock, hangingOnce, logged, plant, type Script, task, told, treeModel } from './support.ts';

const agent = (name: string, more: Partial<Agent> = {}): Agent => ({
  name,
  description: name,
  mode: 'all',
  prompt: `You are the ${name}.`,
  source: null,
  model: null,
  tools: null,
  rules: { deny: [], ask: [], allow: [] },
  permissionMode: null,
  delegates: null,
  colour: null,
  steps: null,
  ...more,
});

const tool = (name: string, effect: Tool['effect'] = 'read'): Tool => ({
  name,
  description: name,
  input: { type: 'object' },
  effect,
  run: async () => ({ content: `${name}: done` }),
});

const mail = (to: string, text: string, more = {}) => ({
  tool: 'mail_send',
  input: { to, kind: 'decision_required', text, ...more },
});

const offered = (requests: readonly ModelRequest[], session: string) =>
  requests.find((request) => request.session === session)?.tools.map(({ name }) => name) ?? [];

async function seen(
  host: { watch(id: string): AsyncIterable<DurableEvent> },
  session: string,
  is: (event: DurableEvent) => boolean,
) {
  for await (const event of host.watch(session)) if (is(event)) return event;
  throw new Error('It ended before.');
}

const says = (text: string) => (event: DurableEvent) =>
  event.type === 'message.added' && JSON.stringify(event.data).includes(text);

describe('A2: a task of an agent', () => {
  const tools = [tool('look'), tool('touch', 'write'), tool('burn', 'write')];

  it('has its tools and rules beside those of its owner, and the tools that end a task', async () => {
    const agents = [
      agent('lead', { rules: { deny: ['burn'], ask: [], allow: [] } }),
      agent('scout', { tools: ['look', 'burn'], rules: { deny: ['look(secret)'], ask: [], allow: [] } }),
    ];
    const { host, session, model } = await plant(
      {
        main: [[task('Scout.', { agent: 'scout' })], 'Seen.'],
        'main.scout-1': [[{ tool: 'burn' }], complete('Seen.')],
      },
      { tools, agents, create: { agent: 'lead', mode: 'auto' } },
    );
    await session.run('Go.');
    expect(offered(model.requests, 'main.scout-1').sort()).toEqual(['ask_owner', 'burn', 'complete', 'look']);
    const [created] = await logged(host, 'main.scout-1', 'session.created');
    expect(created?.data).toMatchObject({
      mode: 'auto',
      rules: { deny: ['burn'] },
      profile: { rules: { deny: ['look(secret)'] } },
    });
    const [burnt] = await logged(host, 'main.scout-1', 'tool.finished');
    expect(burnt?.data.status).toBe('denied');
    await host.close();
  });

  it('is no freer than its owner, whatever its own mode says', async () => {
    const { host, session } = await plant(
      { main: [[task('Go.', { agent: 'rash' })], 'Done.'], 'main.rash-1': [[{ tool: 'touch' }], complete('Done.')] },
      { tools, agents: [agent('builder'), agent('rash', { permissionMode: 'auto' })], create: { mode: 'manual' } },
    );
    await session.run('Go.');
    const [touched] = await logged(host, 'main.rash-1', 'tool.finished');
    expect(touched?.data.status).toBe('denied');
    await host.close();
  });

  it('of the planner cannot write, also after its owner was given a freer mode', async () => {
    const begun = Promise.withResolvers<void>();
    const freed = Promise.withResolvers<void>();
    const { host, session } = await plant(
      {
        main: [[task('Plan.', { agent: 'planner' })], 'Planned.'],
        'main.planner-1': [
          async () => {
            begun.resolve();
            await freed.promise;
            return [{ tool: 'bash' }];
          },
          complete('Planned.'),
        ],
      },
      { tools: [tool('bash', 'write')], agents: builtinAgents, create: { mode: 'manual' } },
    );
    const running = session.run('Go.');
    await begun.promise;
    await session.command('session.configure', { mode: 'auto' });
    await seen(host, 'main', ({ type }) => type === 'task.delivered');
    freed.resolve();
    await running;
    const [wrote] = await logged(host, 'main.planner-1', 'tool.finished');
    expect(wrote?.data.status).toBe('denied');
    await host.close();
  });

  it('fails at once with a sentence where there is no such agent, or one that only leads', async () => {
    const { host, session, model } = await plant(
      { main: [[task('One.', { agent: 'nobody' }), task('Two.', { agent: 'chief' })], 'So it is.'] },
      { agents: [agent('builder'), agent('chief', { mode: 'main' })] },
    );
    await session.run('Go.');
    const heard = told(model.requests.at(-1)).join('\n');
    expect(heard).toContain('Task nobody-1 failed.\nThere is no agent "nobody". There are: builder, chief.');
    expect(heard).toContain('Task chief-1 failed.\nThe agent chief leads sessions and takes no tasks.');
    await host.close();
  });

  it('fails at once where its own model has no known price and it may only spend dollars', async () => {
    const plain = { id: 'fake/free', info: { contextTokens: 9000, outputTokens: 900, isPriceKnown: false } };
    const { host, session, model } = await plant(
      { main: [[task('One.', { agent: 'cheap' })], 'So it is.'] },
      {
        agents: [agent('builder'), agent('cheap', { model: 'fake/free' })],
        models: () => ({ ...plain, stream: () => Promise.reject(new Error('never asked')) as never }),
        create: { limits: { sessionUsd: 5 } },
      },
    );
    await session.run('Go.');
    expect(told(model.requests.at(-1)).at(-1)).toContain(
      'Task cheap-1 failed.\nIts model fake/free has no known price',
    );
    await host.close();
  });

  it('takes no more steps than its agent may', async () => {
    const { host, session, model } = await plant(
      {
        main: [[task('Look.', { agent: 'brief' })], 'So it is.'],
        'main.brief-1': (_, call) => [{ tool: 'look', input: { at: call } }],
      },
      { tools, agents: [agent('builder'), agent('brief', { steps: 3 })] },
    );
    await session.run('Go.');
    expect(model.requests.filter((request) => request.session === 'main.brief-1')).toHaveLength(3);
    expect(told(model.requests.at(-1)).at(-1)).toContain('Task brief-1 failed.\nThe turn reached its limit of 3 steps');
    await host.close();
  });

  it('is given only to those that the agent may delegate to', async () => {
    const { host, session } = await plant(
      {
        main: [[task('One.', { agent: 'other' })], [task('Two.', { agent: 'scout' })], 'Done.'],
        'main.scout-1': [complete('Two.')],
      },
      { agents: [agent('lead', { delegates: ['scout'] }), agent('scout'), agent('other')], create: { agent: 'lead' } },
    );
    await session.run('Go.');
    const results = await logged(host, 'main', 'tool.finished');
    expect(results.map(({ data }) => data.status)).toEqual(['error', 'ok']);
    expect(results[0]?.data.content).toContain('may give tasks to scout, and not to other');
    await host.close();
  });

  it('learns of the denies of an agent that its owner is switched to', async () => {
    const begun = Promise.withResolvers<void>();
    const switched = Promise.withResolvers<void>();
    const { host, session } = await plant(
      {
        main: [[task('Look.')], 'Done.'],
        'main.builder-1': [
          async () => {
            begun.resolve();
            await switched.promise;
            return [{ tool: 'look' }];
          },
          complete('Looked.'),
        ],
      },
      { tools, agents: [agent('builder'), agent('blind', { rules: { deny: ['look'], ask: [], allow: [] } })] },
    );
    const running = session.run('Go.');
    await begun.promise;
    for (const name of ['blind', 'builder', 'blind']) await session.configure({ agent: name });
    let delivered = 0;
    await seen(host, 'main', ({ type }) => type === 'task.delivered' && ++delivered === 2);
    switched.resolve();
    await running;
    const [looked] = await logged(host, 'main.builder-1', 'tool.finished');
    expect(looked?.data.status).toBe('denied');
    expect((await host.view('main.builder-1')).rules.deny).toEqual(['look']);
    await host.close();
  });
});

describe('A5: a task that owes a result', () => {
  it('has failed where it ends in plain text, even after it was asked', async () => {
    const schema = { type: 'object', properties: { roses: { type: 'integer' } }, required: ['roses'] };
    const { host, session, model } = await plant({
      main: [[task('Count.', { schema })], 'So it is.'],
      'main.builder-1': ['Forty.', 'Forty, I said.'],
    });
    await session.run('Go.');
    expect(told(model.requests.at(-1)).at(-1)).toContain(
      'Task builder-1 failed.\nIt ended in plain text, without the result',
    );
    await host.close();
  });
});

describe('E16: a task whose result is not what was asked for', () => {
  const schema = { type: 'object', properties: { roses: { type: 'integer' } }, required: ['roses'] };
  const completed = (result: JsonObject) => [{ tool: 'complete', input: { summary: 'Counted.', result } }];

  it('is told so once, and then has failed, long before its limit of steps', async () => {
    const { host, session, model } = await plant({
      main: [[task('Count.', { schema })], 'So it is.'],
      'main.builder-1': [completed({ roses: 'many' }), completed({}), completed({ roses: 40 })],
    });
    await session.run('Go.');
    expect(told(model.requests.at(-1)).at(-1)).toContain('did not give the result that was asked for');
    expect(model.requests).toHaveLength(4);
    await host.close();
  });

  it('has done its work when it puts that right', async () => {
    const { host, session, model } = await plant({
      main: [[task('Count.', { schema })], 'So it is.'],
      'main.builder-1': [completed({ roses: 'many' }), completed({ roses: 40 })],
    });
    await session.run('Go.');
    expect(told(model.requests.at(-1)).at(-1)).toContain('40');
    await host.close();
  });
});

describe('A4: what is sent to a task', () => {
  const sending = (delivery: string): Script[string] => [
    [task('One.', { background: true })],
    [{ tool: 'task_send', input: { task: 'builder-1', message: 'And two.', delivery } }],
    'Waiting.',
    'Done.',
  ];

  for (const delivery of ['queue', 'steer']) {
    it(`before it says that it is done is done too, and its end is that of all (${delivery})`, async () => {
      const sent = Promise.withResolvers<void>();
      const { host, session, model } = await plant({
        main: sending(delivery),
        'main.builder-1': [
          async () => {
            await sent.promise;
            return complete('One.');
          },
          complete('One and two.'),
        ],
      });
      const running = session.run('Go.');
      await seen(host, 'main', ({ type }) => type === 'task.delivered');
      sent.resolve();
      await running;
      expect(told(model.requests.at(-1)).at(-1)).toContain('Task builder-1 completed.\nOne and two.');
      expect((await session.view()).tasks).toMatchObject([{ status: 'completed', instance: 1 }]);
      await host.close();
    });
  }

  it('does not keep it from ending where a person cancels it and lets what is queued wait', async () => {
    const hangs = Promise.withResolvers<void>();
    const { host, session, model } = await plant({
      main: [[task('Hang.')], 'So be it.'],
      'main.builder-1': [hangingOnce(hangs.resolve)],
    });
    const running = session.run('Go.');
    await hangs.promise;
    const child = await host.open('main.builder-1');
    await child.command('input.send', { content: [{ type: 'text', text: 'Later.' }], delivery: 'queue' });
    await child.command('turn.cancel', { reason: 'Enough.', queue: 'wait' });
    expect((await running).text).toBe('So be it.');
    expect(told(model.requests.at(-1)).at(-1)).toContain('Task builder-1 was cancelled.\nCancelled by local: Enough.');
    await host.close();
  });

  it('begins nothing any more when its time is up', async () => {
    const clock = handClock();
    const hangs = Promise.withResolvers<void>();
    const { host, session } = await plant(
      { main: sending('queue'), 'main.builder-1': [hangingOnce(hangs.resolve), complete('Late.')] },
      { clock },
    );
    const running = session.run('Go.');
    await hangs.promise;
    await seen(host, 'main', ({ type }) => type === 'task.delivered');
    clock.move(900_000);
    await running;
    expect(await logged(host, 'main.builder-1', 'turn.started')).toHaveLength(1);
    const [ended] = await logged(host, 'main', 'task.ended');
    expect(ended?.data).toMatchObject({ outcome: 'failed' });
    await host.close();
  });
});

describe('A3: mail of a task', () => {
  const answered: Script = {
    main: [
      [task('Ask.', { background: true })],
      'I wait.',
      (request) => {
        const id = /mail="?([^" >]+)/.exec(told(request).join('\n'))?.[1] ?? '';
        return [mail('main.builder-1', 'Red.', { replyTo: id })];
      },
      'Told.',
    ],
  };

  it('that is urgent is read at once by an owner that only waits for it, and answered in its thread', async () => {
    const waits = Promise.withResolvers<void>();
    const replied = Promise.withResolvers<void>();
    const { host, session, model } = await plant(
      {
        ...answered,
        'main.builder-1': [
          async () => {
            await waits.promise;
            return [mail('owner', 'Which colour?', { priority: 'urgent' })];
          },
          async () => {
            await replied.promise;
            return [{ tool: 'mail_list' }];
          },
          complete('Red it is.'),
        ],
      },
      { tools: mailTools() },
    );
    const running = session.run('Go.');
    await seen(host, 'main', says('I wait.'));
    waits.resolve();
    await seen(host, 'main.builder-1', ({ type }) => type === 'mail.received');
    replied.resolve();
    expect((await running).outcome).toBe('completed');
    const [asked] = await logged(host, 'main', 'mail.received');
    const [reply] = await logged(host, 'main.builder-1', 'mail.received');
    expect(reply?.data).toMatchObject({ from: 'main', thread: asked?.data.thread, replyTo: asked?.data.mail });
    expect(model.requests.filter((request) => request.session === 'main').length).toBeGreaterThan(3);
    await host.close();
  });

  it('is delivered although the task ends in the same step', async () => {
    const { host, session, model } = await plant(
      {
        main: [[task('Ask.')], 'Heard.'],
        'main.builder-1': [[mail('owner', 'The cellar is wet.'), ...complete('Done.')]],
      },
      { tools: mailTools() },
    );
    await session.run('Go.');
    expect(await logged(host, 'main.builder-1', 'mail.delivered')).toHaveLength(1);
    expect(told(model.requests.at(-1)).join('\n')).toContain('The cellar is wet.');
    await host.close();
  });

  it('that interrupts begins a turn in which it is read', async () => {
    const { host, session, model } = await plant(
      {
        main: [[task('Ask.', { background: true })], 'I wait.', 'I see.'],
        'main.builder-1': [[mail('owner', 'Fire!', { priority: 'interrupt' })], hangingOnce()],
      },
      { tools: mailTools() },
    );
    expect((await session.run('Go.')).outcome).toBe('cancelled');
    await seen(host, 'main', (event) => event.type === 'turn.ended' && event.data.turn === 2);
    expect(told(model.requests.at(-1)).join('\n')).toContain('Fire!');
    await host.close();
  });

  it('does not keep the sessions of the tree open when they are done', async () => {
    const { host, session, log } = await plant(
      {
        main: [[task('One.')], [mail('main.builder-1', 'Thanks.')], 'Done.'],
        'main.builder-1': [[task('Two.')], complete('One.')],
        'main.builder-1.builder-1': [[mail('owner', 'Half.')], complete('Two.')],
      },
      { tools: mailTools() },
    );
    await session.run('Go.');
    await seen(host, 'main', ({ type }) => type === 'mail.delivered');
    const other = createHost({ log, model: treeModel({}), tools: taskTools() });
    for (const id of ['main.builder-1', 'main.builder-1.builder-1']) {
      expect((await (await other.open(id)).view()).status, id).toBe('idle');
    }
    expect(await logged(host, 'main.builder-1', 'mail.received')).toHaveLength(2);
    await other.close();
    await host.close();
  });

  it('to a task that has ended begins nothing there, and is read when it is opened again', async () => {
    const { host, session, model } = await plant(
      {
        main: [
          [task('One.')],
          [mail('main.builder-1', 'One more thing.', { priority: 'urgent' })],
          [{ tool: 'task_send', input: { task: 'builder-1', message: 'Go on.' } }],
          'Waiting.',
          'Done.',
        ],
        'main.builder-1': [complete('One.'), complete('Two.')],
      },
      { tools: mailTools() },
    );
    await session.run('Go.');
    expect(await logged(host, 'main.builder-1', 'mail.received')).toHaveLength(1);
    const turns = await logged(host, 'main.builder-1', 'turn.started');
    expect(turns).toHaveLength(2);
    const second = model.requests.filter((request) => request.session === 'main.builder-1').at(-1);
    expect(told(second).join('\n')).toContain('One more thing.');
    await host.close();
  });
});

describe('E5: a turn that only waits for its tasks', () => {
  it('hears what is steered to it', async () => {
    const hangs = Promise.withResolvers<void>();
    const { host, session, model } = await plant({
      main: [
        [task('Hang.', { background: true })],
        'I wait.',
        [{ tool: 'task_cancel', input: { task: 'builder-1' } }],
        'Then not.',
        'Stopped.',
      ],
      'main.builder-1': [hangingOnce(hangs.resolve)],
    });
    const running = session.run('Go.');
    await hangs.promise;
    await seen(host, 'main', says('I wait.'));
    await session.command('input.send', { content: [{ type: 'text', text: 'Let it be.' }], delivery: 'steer' });
    expect((await running).outcome).toBe('completed');
    expect(told(model.requests.at(-1))).toContain('Let it be.');
    expect(await logged(host, 'main', 'turn.started')).toHaveLength(1);
    await host.close();
  });
});

describe('E14: a turn with a target', () => {
  it('waits for its tasks, without an iteration for each time that it has nothing else to do', async () => {
    const slow = Promise.withResolvers<void>();
    const { host, session } = await plant(
      {
        main: [[task('Slow.', { background: true })], 'I wait.', [{ tool: 'done' }], [{ tool: 'done' }]],
        'main.builder-1': [
          async () => {
            await slow.promise;
            return complete('Slow is done.');
          },
        ],
      },
      { tools: [{ ...tool('done'), run: async () => ({ content: 'Done.', endsTurn: 'All of it.' }) }] },
    );
    const running = session.run('Go.', { target: { maxIterations: 3 } });
    await seen(host, 'main', says('I wait.'));
    slow.resolve();
    const result = await running;
    expect(result.outcome).toBe('completed');
    const changes = await logged(host, 'main', 'loop.changed');
    expect(changes.map(({ data }) => `${data.iteration} ${data.status}`)).toEqual(['2 assessing', '2 completed']);
    await host.close();
  });
});
