import { createHost } from '@pawl/engine';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { taskTools } from '../../src/index.ts';
import { complete, costUsd, handClock, hangingOnce, logged, plant, task, tokens, told, treeModel } from './support.ts';

describe('A4: whatever becomes of a task, its owner is told and is not stuck', () => {
  it('one that fails gives its error', async () => {
    const { host, session, model } = await plant({
      main: [[task('Try.')], 'It failed.'],
      'main.builder-1': [new Error('The model is on fire.')],
    });
    expect((await session.run('Go.')).outcome).toBe('completed');
    expect(told(model.requests.at(-1)).at(-1)).toBe('Task builder-1 failed.\nThe model is on fire.');
    await host.close();
  });

  it('one that reaches its limit of steps gives that', async () => {
    const { host, session, model } = await plant({
      main: [[task('Look.', { steps: 2 })], 'I see.'],
      'main.builder-1': (_, call) => [{ tool: 'tasks', input: { task: `t${call}` } }],
    });
    await session.run('Go.');
    expect(told(model.requests.at(-1)).at(-1)).toContain(
      'Task builder-1 failed.\nThe task reached its limit of 2 steps',
    );
    await host.close();
  });

  it('one that ends in plain text is asked once for an end, and then its words are the summary', async () => {
    const { host, session, model } = await plant({
      main: [[task('Talk.')], 'Heard.'],
      'main.builder-1': ['I think so.', 'Yes, forty roses.'],
    });
    await session.run('Go.');
    expect(await logged(host, 'main.builder-1', 'task.nudged')).toHaveLength(1);
    expect(told(model.requests.at(-1)).at(-1)).toBe('Task builder-1 completed.\nYes, forty roses.');
    await host.close();
  });

  it('one in the background that leftovers after plain text is asked after 120 s, not before', async () => {
    const clock = handClock();
    const { host, session } = await plant(
      { main: [[task('Talk.', { background: true })]], 'main.builder-1': ['Hm.', complete('Yes.')] },
      { clock },
    );
    const running = session.run('Go.');
    for await (const event of host.watch('main'))
      if (event.type === 'task.changed' && event.data.status === 'idle') break;
    clock.move(119_000);
    expect(await logged(host, 'main.builder-1', 'task.nudged')).toHaveLength(0);
    clock.move(1_000);
    expect((await running).outcome).toBe('completed');
    expect(await logged(host, 'main.builder-1', 'task.nudged')).toHaveLength(1);
    await host.close();
  });

  it('one that asks its owner gives the question, and goes on with the answer', async () => {
    const { host, session, model } = await plant({
      main: [
        [task('Paint it.')],
        [{ tool: 'task_send', input: { task: 'builder-1', message: 'Red.' } }],
        'I wait.',
        'It is red.',
      ],
      'main.builder-1': [[{ tool: 'ask_owner', input: { question: 'Which colour?' } }], complete('Painted red.')],
    });
    const result = await session.run('Go.');
    expect(result.text).toBe('It is red.');
    const heard = told(model.requests.at(-1)).join('\n');
    expect(heard).toContain('Task builder-1 waits for an answer of yours.\nWhich colour?');
    expect(heard).toContain('Task builder-1 completed.\nPainted red.');
    const view = await session.view();
    expect(view.tasks).toMatchObject([{ task: 'builder-1', status: 'completed', instance: 2 }]);
    await host.close();
  });

  it('one that hangs is suspected after five minutes of silence, and ended when its time is up', async () => {
    const clock = handClock();
    const hangs = Promise.withResolvers<void>();
    const { host, session, model } = await plant(
      { main: [[task('Hang.')], 'So be it.'], 'main.builder-1': [hangingOnce(hangs.resolve)] },
      { clock },
    );
    const running = session.run('Go.');
    await hangs.promise;
    for await (const event of host.watch('main')) if (event.type === 'task.changed') break;
    clock.move(300_000);
    for await (const event of host.watch('main')) if (event.type === 'task.changed' && event.data.isStalled) break;
    clock.move(600_000);
    expect((await running).text).toBe('So be it.');
    expect(told(model.requests.at(-1)).at(-1)).toContain('Task builder-1 failed.\nIt ran out of time');
    await host.close();
  });

  it('one whose log is gone is told as failed, and is not done again', async () => {
    const hangs = Promise.withResolvers<void>();
    const { host, session, model } = await plant({
      main: [[task('Hang.')], 'Gone.'],
      'main.builder-1': [hangingOnce(hangs.resolve)],
    });
    const running = session.run('Go.');
    await hangs.promise;
    await host.delete('main.builder-1');
    expect((await running).text).toBe('Gone.');
    expect(told(model.requests.at(-1)).at(-1)).toContain('The log of task builder-1 is gone');
    await host.close();
  });
});

describe('A2: a crash loses no task and begins none twice', () => {
  it('takes up the whole tree from its logs', async () => {
    const log = memoryLog();
    const hangs = Promise.withResolvers<void>();
    const first = await plant(
      {
        main: [[task('One.'), task('Two.')], 'never'],
        'main.builder-1': [complete('One is done.')],
        'main.builder-2': [hangingOnce(hangs.resolve)],
      },
      { log },
    );
    first.session.run('Go.').catch(() => undefined);
    await hangs.promise;
    for await (const event of first.host.watch('main')) if (event.type === 'task.ended') break;
    await first.host.close();

    const model = treeModel({ main: ['Both.'], 'main.builder-2': [complete('Two is done.')] });
    const host = createHost({ log, model, tools: taskTools() });
    const session = await host.open('main');
    for await (const event of host.watch('main')) if (event.type === 'turn.ended') break;
    const heard = told(model.requests.at(-1)).join('\n');
    expect(heard).toContain('Task builder-1 completed.\nOne is done.');
    expect(heard).toContain('Task builder-2 completed.\nTwo is done.');
    expect(await logged(host, 'main', 'task.requested')).toHaveLength(2);
    expect(await logged(host, 'main', 'task.ended')).toHaveLength(2);
    expect(await logged(host, 'main.builder-2', 'task.assigned')).toHaveLength(1);
    expect((await session.view()).costUsd).toBeCloseTo(4 * costUsd, 9);
    await host.close();
  });
});

describe('scenario 33: the same work asked for twice', () => {
  it('is one task, whose end both calls get', async () => {
    const { host, session, model } = await plant({
      main: [[task('Count the roses.'), task('count  the roses!')], 'Once.'],
      'main.builder-1': [complete('Forty.')],
    });
    await session.run('Go.');
    expect(await logged(host, 'main', 'task.requested')).toHaveLength(1);
    const [one, other] = told(model.requests.at(-1)).slice(-2);
    expect([one, other].filter((text) => text?.endsWith('Task builder-1 completed.\nForty.'))).toHaveLength(2);
    expect(`${one}${other}`).toContain('The same work had been asked for already');
    await host.close();
  });

  it('is refused to a task that asks for the very work that it is', async () => {
    const { host, session } = await plant({
      main: [[task('Count the roses.')], 'Done.'],
      'main.builder-1': [[task('Count the roses.')], complete('Then I did it.')],
    });
    await session.run('Go.');
    const [finished] = await logged(host, 'main.builder-1', 'tool.finished');
    expect(finished?.data).toMatchObject({ status: 'error' });
    expect(finished?.data.content).toContain('the very work that you are part of');
    await host.close();
  });
});

describe('scenario 30: a budget holds for the whole tree', () => {
  it('stops every task with its share, and passes the whole by at most an answer', async () => {
    const limit = 20 * tokens;
    const { host, session } = await plant(
      {
        main: (_, call) =>
          call === 0 ? [task('One.'), task('Two.'), task('Three.')] : [{ tool: 'tasks', input: { task: `x${call}` } }],
        '*': (_, call) => [{ tool: 'tasks', input: { task: `x${call}` } }],
      },
      { create: { limits: { sessionTokens: limit } } },
    );
    const result = await session.run('Go.');
    expect(result.outcome).toBe('budget');
    const { usage } = await session.view();
    expect(usage.inputTokens + usage.outputTokens).toBeLessThanOrEqual(limit + tokens);
    const started = await logged(host, 'main', 'task.started');
    const ended = await logged(host, 'main', 'task.ended');
    for (const [index, { data }] of started.entries()) {
      const spent = ended.find((event) => event.data.task === data.task)?.data.usage;
      expect(spent === undefined ? 0 : spent.inputTokens + spent.outputTokens, `${index}`).toBeLessThanOrEqual(
        (data.allotment.tokens ?? 0) + tokens,
      );
    }
    await host.close();
  });
});

describe('scenario 31: a deny above is a deny below', () => {
  const look = (name: string) => ({
    name,
    description: name,
    input: { type: 'object' },
    effect: 'read' as const,
    run: async () => ({ content: 'seen' }),
  });

  it('holds in the grandchild, and one that is added later too', async () => {
    const added = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { host, session } = await plant(
      {
        main: [[task('One.')], 'Done.'],
        'main.builder-1': [[task('Two.')], complete('One.')],
        'main.builder-1.builder-1': [
          [{ tool: 'peek' }, { tool: 'look' }],
          async () => {
            asked.resolve();
            await added.promise;
            return [{ tool: 'look', input: { again: true } }];
          },
          complete('Two.'),
        ],
      },
      { tools: [look('look'), look('peek')], create: { rules: { deny: ['peek'] } } },
    );
    const running = session.run('Go.');
    await asked.promise;
    await session.command('rule.add', { list: 'deny', rule: 'look' });
    for await (const event of host.watch('main.builder-1.builder-1')) if (event.type === 'rule.added') break;
    added.resolve();
    await running;
    const finished = await logged(host, 'main.builder-1.builder-1', 'tool.finished');
    expect(finished.map(({ data }) => data.status)).toEqual(['denied', 'ok', 'denied', 'ok']);
    await host.close();
  });
});
