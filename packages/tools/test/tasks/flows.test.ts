import { describe, expect, it } from 'vitest';
import { complete, logged, plant, task, told } from './support.ts';

const flow = (name: string, agent: string, next: string, prompt = `After ${agent}: {{result}}`) => ({
  name,
  when: { agent, outcome: 'completed' as const },
  start: { agent: next, prompt },
});

describe('A7: rules that start work when work ends', () => {
  it('start the next task with the result in its prompt, once, and say in the log what it follows from', async () => {
    const flows = [flow('then-edit', 'architect', 'editor')];
    const { host, session, model } = await plant(
      {
        main: [[task('Draw the house.', { agent: 'architect' })], 'Drawn.', 'And built.'],
        'main.architect-1': [complete('It costs $1 and $& more.')],
        'main.editor-1': [complete('Built.')],
      },
      { flows },
    );
    const result = await session.run('Go.');
    expect(result.text).toBe('And built.');
    const requested = await logged(host, 'main', 'task.requested');
    expect(requested.map(({ data }) => data)).toMatchObject([
      { task: 'architect-1' },
      {
        task: 'editor-1',
        prompt: 'After architect: It costs $1 and $& more.',
        flow: { name: 'then-edit', from: 'task:architect-1:1', depth: 1 },
      },
    ]);
    expect(told(model.requests.at(-1))).toContain('Task editor-1 completed.\nBuilt.');
    await host.close();
  });

  it('follow the end of a turn of the main session, with its words as context where the prompt has no place', async () => {
    const { host, session, model } = await plant(
      { main: ['The plan is: dig.'], 'main.editor-1': [complete('Dug.')] },
      { flows: [flow('dig', 'builder', 'editor', 'Do it.')] },
    );
    await session.run('Plan.');
    for await (const event of host.watch('main'))
      if (
        event.type === 'message.added' &&
        event.data.message.role === 'user' &&
        event.data.message.task === 'editor-1'
      )
        break;
    const request = model.requests.find((each) => each.session === 'main.editor-1');
    expect(told(request)).toEqual(['Do it.\n\nThe plan is: dig.']);
    expect((await session.view()).tasks).toMatchObject([{ task: 'editor-1', status: 'completed' }]);
    await host.close();
  });

  it('go round in a circle five times and no more', async () => {
    const { host, session } = await plant(
      { main: [[task('One.', { agent: 'a' })], 'Done.'], '*': () => complete('Again.') },
      { flows: [flow('ab', 'a', 'b'), flow('ba', 'b', 'a')] },
    );
    await session.run('Go.');
    const requested = await logged(host, 'main', 'task.requested');
    expect(requested.map(({ data }) => data.flow?.depth ?? 0)).toEqual([0, 1, 2, 3, 4, 5]);
    await host.close();
  });
});
