import { describe, expect, it } from 'vitest';
import { agent, begin, call, codeOf, type Session, text } from './support.ts';

const pending = [{ text: 'Water', status: 'pending' as const }];
const watered = [{ text: 'Water', status: 'completed' as const }];

function start(target: { maxIterations?: number; verify?: string } = {}, settings: Parameters<typeof begin>[0] = {}) {
  const session = begin({ limits: { steps: 100 }, ...settings });
  session.send('Water the garden.', 'queue', { target: { maxIterations: 10, ...target } });
  return session;
}

/** One step in which these calls are made and end well; the last of them can say more. */
function step(session: Session, tools: string[], more: Parameters<Session['finish']>[1] = {}): void {
  session.answer(tools.map((tool) => call(tool)));
  const { number, step: at } = session.state.turn ?? { number: 0, step: 0 };
  const ids = tools.map((_, index) => `t${number}_s${at}_c${index + 1}`);
  tools.forEach((tool, index) => {
    session.judge(ids[index] ?? '', { effect: tool === 'write' ? 'write' : 'read', paths: [`/w/${index}`] });
  });
  tools.forEach((tool, index) => {
    const end = tool === 'done' ? { endsTurn: 'All is watered.', result: { plants: 2 } } : {};
    session.finish(ids[index] ?? '', { ...end, ...more });
  });
}

/** A call that sets the list, and ends the turn if `more` says so. */
function todos(session: Session, list: typeof pending | typeof watered, more: { endsTurn?: string } = {}): void {
  session.answer([call('todo')]);
  const { number, step: at } = session.state.turn ?? { number: 0, step: 0 };
  const id = `t${number}_s${at}_c1`;
  session.judge(id);
  const effect = session.effects().find(({ kind }) => kind === 'tool')?.id ?? '';
  const data = { call: id, status: 'ok' as const, content: 'Listed.', ...more };
  session.outcome({ type: 'tool.finished', effect, data, declared: { todos: list } });
}

const verify = (session: Session, ok: boolean, output = 'one test failed') =>
  session.outcome({
    type: 'loop.verified',
    effect: session.effects().find(({ kind }) => kind === 'verify')?.id ?? 'verify:none',
    ok,
    output,
  });

describe('E14: a turn with a target', () => {
  it('goes on with a visible note when its agent stops with something open', () => {
    const session = start();
    todos(session, pending);
    session.answer([text('I think that is it.')]);
    expect(session.said().at(-1)).toBe(
      'Iteration 2 of 10. You stopped, and the target is not reached before a sole call of done is accepted. Still open: [ ] Water.',
    );
    expect(session.last('loop.changed')).toMatchObject({ status: 'executing', iteration: 2 });
    expect(session.due()).toEqual(['model:t1_s3_a1 run']);
  });

  it('asks for a second look at the first done, and takes the second', () => {
    const session = start();
    step(session, ['write']);
    step(session, ['done']);
    expect(session.last('loop.changed')).toMatchObject({ status: 'assessing', iteration: 2 });
    expect(session.said().at(-1)).toContain('go through each requirement');
    step(session, ['read']);
    step(session, ['done']);
    expect(session.last('turn.ended')).toMatchObject({
      outcome: 'completed',
      message: 'All is watered.',
      result: { plants: 2 },
      loop: { status: 'completed', iterations: 2 },
    });
  });

  it('forgets the second look when its agent stops in between', () => {
    const session = start();
    step(session, ['write']);
    step(session, ['done']);
    session.answer([text('Hm.')]);
    step(session, ['done']);
    expect(session.state.turn?.loop).toMatchObject({ status: 'assessing', iteration: 4 });
  });

  it('refuses a done beside other calls, which run, and one with open todos', () => {
    const session = start();
    step(session, ['write', 'done']);
    expect(session.results().map(({ status }) => status)).toEqual(['ok', 'error']);
    expect(session.results()[1]?.content).toContain('came with other calls');
    todos(session, pending);
    step(session, ['done']);
    expect(session.results()[0]).toMatchObject({
      status: 'error',
      content: expect.stringContaining('Still open: [ ] Water.'),
    });
    todos(session, watered);
    step(session, ['done']);
    step(session, ['done']);
    expect(session.last('turn.ended')?.outcome).toBe('completed');
  });

  it('refuses an end that itself puts something open on the list', () => {
    const session = start();
    todos(session, pending, { endsTurn: 'All is watered.' });
    expect(session.results()[0]?.content).toContain('Still open: [ ] Water.');
    expect(session.last('loop.changed')).toMatchObject({ status: 'executing' });
  });

  it('keeps what a deed did that came with other calls, and only refuses that it ends the turn', () => {
    const session = start();
    session.answer([call('deploy'), call('read')]);
    session.judge('t1_s1_c1', { effect: 'external' });
    session.judge('t1_s1_c2');
    session.finish('t1_s1_c1', { content: 'Deployed.', endsTurn: 'It is deployed.' });
    session.finish('t1_s1_c2');
    expect(session.results()[0]).toMatchObject({
      status: 'ok',
      content: expect.stringMatching(/^Deployed\.\n\(Not accepted/),
    });
    expect(session.state.turn?.loop?.iteration).toBe(2);
  });

  it('runs the check of a person before done counts, and tells what failed', () => {
    const session = start({ verify: 'npm test' });
    step(session, ['write']);
    step(session, ['done']);
    expect(session.due()).toEqual(['verify:t1_i1']);
    expect(session.last('loop.changed')).toMatchObject({ status: 'verifying' });
    session.reopen();
    expect(session.due()).toEqual(['verify:t1_i1']);
    verify(session, false);
    expect(session.said().at(-1)).toContain('one test failed');
    expect(codeOf(verify(session, true))).toBe('late_outcome');
    step(session, ['write']);
    step(session, ['done']);
    expect(session.due()).toEqual(['verify:t1_i2']);
    verify(session, true);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', result: { plants: 2 } });
  });

  it('ends as blocked when the check cannot be run', () => {
    const session = start({ verify: 'npm test' });
    step(session, ['done']);
    const effect = session.effects().find(({ kind }) => kind === 'verify')?.id ?? '';
    session.outcome({ type: 'loop.verified', effect, ok: false, output: '', problem: 'There is no shell.' });
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'blocked', message: 'There is no shell.' });
  });

  it('stops as blocked after three rounds in which nothing was changed', () => {
    const session = start();
    step(session, ['write']);
    session.answer([text('One.')]);
    session.answer([text('Two.')]);
    session.answer([text('Three.')]);
    expect(session.state.turn).not.toBeNull();
    session.answer([text('Four.')]);
    expect(session.last('turn.ended')).toMatchObject({
      outcome: 'blocked',
      message: expect.stringContaining('3 rounds in a row changed nothing'),
      loop: { status: 'blocked', iterations: 4 },
    });
  });

  it('ends when its iterations are used up, and goes on from there when it is continued', () => {
    const session = start({ maxIterations: 2 });
    step(session, ['write']);
    session.answer();
    step(session, ['write']);
    session.answer();
    expect(session.last('turn.ended')).toMatchObject({
      outcome: 'budget',
      message: expect.stringContaining('within 2 iterations'),
      loop: { status: 'budget_exhausted', iterations: 2 },
    });
    session.command('turn.continue', {});
    expect(session.state.turn?.loop).toMatchObject({ iteration: 1, maxIterations: 2 });
  });

  it('holds to the limit of steps as any turn does', () => {
    const session = start({}, { limits: { steps: 2 } });
    step(session, ['write']);
    step(session, ['write']);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'max_steps', loop: { status: 'budget_exhausted' } });
  });

  it('is stopped by a cancel while its check runs', () => {
    const session = start({ verify: 'sleep 1000' });
    step(session, ['done']);
    session.cancel();
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'cancelled', loop: { status: 'verifying' } });
    expect(session.due()).toEqual([]);
  });

  it('takes a command that is run without asking from a person only', () => {
    const session = begin();
    const content = [{ type: 'text' as const, text: 'Go.' }];
    const target = { maxIterations: 2, verify: 'rm -rf /' };
    expect(codeOf(session.command('input.send', { content, delivery: 'queue', target }, { by: agent }))).toBe(
      'human_only',
    );
  });
});
