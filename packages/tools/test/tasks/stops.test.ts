import type { Tool } from '@pawl/engine';
import { describe, expect, it } from 'vitest';
import { logged, type Part, plant, task } from './support.ts';

/** Takes a while to stop, as a shell does. */
const slow: Tool = {
  name: 'slow',
  description: 'Goes on until it is stopped, and then a little longer.',
  input: { type: 'object' },
  effect: 'read',
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), 100), { once: true });
    }),
};

const works: Part[] = [[{ tool: 'slow' }]];
const script = (second: Part) => ({ main: [[task('one'), task('two'), task('three')], second, 'Yes.'], '*': works });

async function atWork(tree: Awaited<ReturnType<typeof plant>>, tasks: number): Promise<void> {
  const isAtWork = async (place: number) =>
    (await logged(tree.host, `main.builder-${place}`, 'tool.started')).length > 0;
  for (let place = 1; place <= tasks; place++) {
    while (!(await isAtWork(place))) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function outcomes(tree: Awaited<ReturnType<typeof plant>>): Promise<string[]> {
  return (await logged(tree.host, 'main', 'task.ended')).map(({ data }) => data.outcome);
}

describe('E4: several tasks that are stopped at once', () => {
  it('end as cancelled with their turn, and the next input is answered', async () => {
    const tree = await plant(script('Yes.'), { tools: [slow] });
    const first = tree.session.run('Go.');
    await atWork(tree, 3);
    await tree.session.cancel();
    expect((await first).outcome).toBe('cancelled');
    expect(await outcomes(tree)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect((await tree.session.run('Still there?')).text).toBe('Yes.');
  });

  it('end with an input that interrupts', async () => {
    const tree = await plant(script('Yes.'), { tools: [slow] });
    const first = tree.session.run('Go.');
    await atWork(tree, 3);
    expect((await tree.session.run('Still there?', { delivery: 'interrupt' })).text).toBe('Yes.');
    expect((await first).outcome).toBe('cancelled');
    expect(await outcomes(tree)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('end when the time of their turn is up', async () => {
    const tree = await plant(script('Yes.'), { tools: [slow] });
    const begun = Date.now();
    const first = tree.session.run('Go.');
    await atWork(tree, 3);
    await tree.session.configure({ limits: { durationMs: Date.now() - begun + 1 } });
    expect((await first).outcome).toBe('max_duration');
    expect(await outcomes(tree)).toEqual(['out_of_time', 'out_of_time', 'out_of_time']);
    const below = await Promise.all([1, 2, 3].map((place) => logged(tree.host, `main.builder-${place}`, 'turn.ended')));
    expect(below.flat().map(({ data }) => data.outcome)).toEqual(['max_duration', 'max_duration', 'max_duration']);
    await tree.session.configure({ limits: { durationMs: null } });
    expect((await tree.session.run('Still there?')).text).toBe('Yes.');
  });

  it('end when their agent cancels them in one step', async () => {
    const behind = { background: true };
    const begun: (() => Promise<void>)[] = [];
    const cancel: Part = async () => {
      await begun[0]?.();
      return [1, 2, 3].map((place) => ({ tool: 'task_cancel', input: { task: `builder-${place}` } }));
    };
    const main: Part[] = [[task('one', behind), task('two', behind), task('three', behind)], cancel, 'Yes.'];
    const tree = await plant({ main, '*': works }, { tools: [slow] });
    begun.push(() => atWork(tree, 3));
    const ended = await tree.session.run('Go.');
    expect(ended.outcome).toBe('completed');
    expect(await outcomes(tree)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });
});
