import { describe, expect, it } from 'vitest';
import { complete, costUsd, hangingOnce, logged, plant, task, tokens, told } from './support.ts';

describe('A2: a task is a session of its own', () => {
  it('gives its summary as the result of the call that asked for it', async () => {
    const { host, session, model } = await plant({
      main: [[task('Count the roses.', { agent: 'gardener' })], 'Forty.'],
      'main.gardener-1': [complete('There are forty roses.', { verification: ['counted twice'] })],
    });
    const result = await session.run('How many roses?');
    expect(result.outcome).toBe('completed');
    expect(result.text).toBe('Forty.');
    const last = told(model.requests.at(-1)).at(-1);
    expect(last).toContain('Task gardener-1 completed.\nThere are forty roses.');
    expect(last).toContain('counted twice');
    const [child] = await logged(host, 'main.gardener-1', 'session.created');
    expect(child?.data).toMatchObject({
      agent: 'gardener',
      assignment: { parent: 'main', task: 'gardener-1', depth: 1 },
    });
    await host.close();
  });

  it('adds what it cost to the cost of its owner, turn and session', async () => {
    const { host, session } = await plant({
      main: [[task('One.'), task('Two.')], 'Both.'],
      '*': [[task('Below.')], complete('Done.')],
      'main.builder-1.builder-1': [complete('Deep.')],
      'main.builder-2.builder-1': [complete('Deep.')],
    });
    const result = await session.run('Go.');
    const sessions = [
      'main',
      'main.builder-1',
      'main.builder-2',
      'main.builder-1.builder-1',
      'main.builder-2.builder-1',
    ];
    const answers = (await Promise.all(sessions.map((id) => logged(host, id, 'message.added')))).flat();
    const own = answers.flatMap(({ data: { message } }) => (message.role === 'assistant' ? [message] : []));
    expect(own).toHaveLength(2 + 2 * 2 + 2);
    expect(result.costUsd).toBeCloseTo(own.length * costUsd, 9);
    expect(result.usage.inputTokens + result.usage.outputTokens).toBe(own.length * tokens);
    await host.close();
  });

  it('goes two deep and no deeper: there the tool is not offered', async () => {
    const { host, session, model } = await plant({
      main: [[task('One.')], 'Done.'],
      'main.builder-1': [[task('Two.')], complete('One.')],
      'main.builder-1.builder-1': [[task('Three.')], complete('Two.')],
    });
    await session.run('Go.');
    const offered = (id: string) =>
      model.requests.find((request) => request.session === id)?.tools.map(({ name }) => name) ?? [];
    expect(offered('main')).toContain('task');
    expect(offered('main')).not.toContain('complete');
    expect(offered('main.builder-1')).toEqual(expect.arrayContaining(['task', 'complete', 'ask_owner']));
    expect(offered('main.builder-1.builder-1')).toEqual(['ask_owner', 'complete']);
    expect(await host.read('main.builder-1.builder-1.builder-1')).toEqual([]);
    await host.close();
  });

  it('works in the background while its owner goes on, whose turn waits for it and hears of it', async () => {
    const { host, session, model } = await plant({
      main: [[task('Slow.', { background: true })], 'I am done with mine.', 'Now all is done.'],
      'main.builder-1': [complete('Slow is done.')],
    });
    const result = await session.run('Go.');
    expect(result.text).toBe('Now all is done.');
    expect(told(model.requests.at(-1))).toContain('Task builder-1 completed.\nSlow is done.');
    await host.close();
  });

  it('is stopped with the turn that asked for it, down the tree, and the log says why', async () => {
    const hangs = Promise.withResolvers<void>();
    const { host, session } = await plant({
      main: [[task('Hang.')]],
      'main.builder-1': [[task('Hang deeper.')]],
      'main.builder-1.builder-1': [hangingOnce(hangs.resolve)],
    });
    const running = session.run('Go.');
    await hangs.promise;
    await session.cancel('Enough.');
    expect((await running).outcome).toBe('cancelled');
    const [below] = await logged(host, 'main.builder-1.builder-1', 'task.finished');
    expect(below?.data.outcome).toBe('cancelled');
    expect(below?.data.message).toContain('Enough.');
    const [own] = await logged(host, 'main', 'task.ended');
    expect(own?.data.outcome).toBe('cancelled');
    expect((await session.run('Again.')).outcome).toBe('completed');
    await host.close();
  });
});

describe('A2: what goes down with a task', () => {
  it('is the mode, the metadata and the tools that it may use, and nobody widens them below', async () => {
    const { host, session, model } = await plant(
      {
        main: [[task('One.', { tools: ['task', 'tasks'] })], 'Done.'],
        'main.builder-1': [[task('Two.', { tools: ['tasks', 'task_cancel'] })], complete('One.')],
        'main.builder-1.builder-1': [complete('Two.')],
      },
      { create: { mode: 'plan', metadata: { ticket: '7' } } },
    );
    await session.run('Go.');
    for (const id of ['main.builder-1', 'main.builder-1.builder-1']) {
      const [created] = await logged(host, id, 'session.created');
      expect(created?.data).toMatchObject({ mode: 'plan', isAttended: false, metadata: { ticket: '7' } });
    }
    const offered = (id: string) =>
      model.requests.find((request) => request.session === id)?.tools.map(({ name }) => name);
    expect(offered('main.builder-1')).toEqual(['ask_owner', 'complete', 'task', 'tasks']);
    // Those for owners end where nobody can be one.
    expect(offered('main.builder-1.builder-1')).toEqual(['ask_owner', 'complete']);
    await host.close();
  });

  it('leaves the others alone when one is cancelled by its owner', async () => {
    const hangs = Promise.withResolvers<void>();
    const { host, session, model } = await plant({
      main: [
        [task('Hang.', { background: true }), task('Work.', { background: true })],
        async () => {
          await hangs.promise;
          return [{ tool: 'task_cancel', input: { task: 'builder-1', reason: 'no use' } }];
        },
        'Waiting.',
      ],
      'main.builder-1': [hangingOnce(hangs.resolve)],
      'main.builder-2': [complete('Worked.')],
    });
    await session.run('Go.');
    const heard = told(model.requests.at(-1)).join('\n');
    expect(heard).toContain('Task builder-1 was cancelled.\nCancelled by model: no use.');
    expect(heard).toContain('Task builder-2 completed.\nWorked.');
    await host.close();
  });

  it('can be talked to, watched and cancelled like any session', async () => {
    const hangs = Promise.withResolvers<void>();
    const { host, session } = await plant({
      main: [[task('Hang.')], 'So it was.'],
      'main.builder-1': [hangingOnce(hangs.resolve), complete('As you said.')],
    });
    const running = session.run('Go.');
    await hangs.promise;
    const child = await host.open('main.builder-1');
    await child.run('Stop that and say that you are done.', { delivery: 'interrupt' });
    expect((await running).text).toBe('So it was.');
    expect((await session.view()).tasks).toMatchObject([{ task: 'builder-1', status: 'completed' }]);
    await host.close();
  });
});

describe('A5: what a task gives', () => {
  it('has a result where its owner gave a schema, and is not taken with another', async () => {
    const schema = { type: 'object', properties: { roses: { type: 'integer' } }, required: ['roses'] };
    const { host, session, model } = await plant({
      main: [[task('Count.', { schema })], 'Counted.'],
      'main.builder-1': [
        complete('Forty.', { result: { roses: 'forty' } }),
        complete('Forty.', { result: { roses: 40 } }),
      ],
    });
    await session.run('Go.');
    const finished = await logged(host, 'main.builder-1', 'tool.finished');
    expect(finished.map(({ data }) => data.status)).toEqual(['error', 'ok']);
    expect(finished[0]?.data.content).toContain('"roses": Instance type "string" is invalid');
    const [ended] = await logged(host, 'main', 'task.ended');
    expect(ended?.data.envelope).toMatchObject({ summary: 'Forty.', result: { roses: 40 } });
    expect(told(model.requests.at(-1)).at(-1)).toContain('Result: {"roses":40}');
    const first = model.requests.find((request) => request.session === 'main.builder-1');
    expect(told(first)[0]).toContain('JSON Schema: {"type":"object"');
    await host.close();
  });

  it('cannot be given while tasks of its own are at work', async () => {
    const { host, session } = await plant({
      main: [[task('One.')], 'Done.'],
      'main.builder-1': [
        [task('Two.', { background: true, joined: false })],
        complete('Too early.'),
        [{ tool: 'task_cancel', input: { task: 'builder-1' } }],
        'Waiting.',
        complete('Now.'),
      ],
      'main.builder-1.builder-1': [hangingOnce()],
    });
    await session.run('Go.');
    const finished = await logged(host, 'main.builder-1', 'tool.finished');
    const early = finished.find(({ data }) => data.call === 't1_s2_c1');
    expect(early?.data).toMatchObject({ status: 'error' });
    expect(early?.data.content).toContain('You have tasks that are not done: builder-1');
    const [ended] = await logged(host, 'main', 'task.ended');
    expect(ended?.data).toMatchObject({ outcome: 'completed', envelope: { summary: 'Now.' } });
    await host.close();
  });
});
