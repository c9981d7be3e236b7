import { expect, it } from 'vitest';
import { begin, call, codeOf, type Session, text, withCalls } from './support.ts';

function step(session: Session, id: string): void {
  session.judge(id);
  session.finish(id);
}

it('E2: a turn ends as max_steps before the model call beyond its limit, and can be continued', () => {
  const session = withCalls([call()], { limits: { steps: 1 } });
  step(session, 't1_s1_c1');
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'max_steps', steps: 1 });
  session.command('turn.continue', {});
  expect(session.due()).toEqual(['model:t2_s1_a1 run']);
});

it('E2: a turn may take 20 steps unless it is told otherwise', () => {
  const session = begin();
  session.send();
  for (let steps = 1; session.state.turn !== null; steps++) {
    session.answer([call('echo', { n: String(steps) })]);
    step(session, `t1_s${steps}_c1`);
  }
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'max_steps', steps: 20 });
});

it('E2: a limit of tokens counts the input that is known of the next call', () => {
  const session = begin({ limits: { tokens: 100 } });
  session.send('Go.');
  session.answer([call()], { tokens: 60 });
  step(session, 't1_s1_c1');
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'budget' });
  expect(session.last('turn.ended')?.message).toContain('60 tokens');
});

it('E2: a turn with room left goes on', () => {
  const session = begin({ limits: { tokens: 100 } });
  session.send('Go.');
  session.answer([call()], { tokens: 40 });
  step(session, 't1_s1_c1');
  expect(session.due()).toEqual(['model:t1_s2_a1 run']);
});

it('E2: tokens of the session are counted over its turns', () => {
  const session = begin({ limits: { sessionTokens: 100 } });
  session.send();
  session.answer([text()], { tokens: 60 });
  session.send();
  expect(session.last('turn.ended')).toMatchObject({ turn: 2, outcome: 'budget', steps: 0 });
});

it('E2: dollars are counted per turn and per session', () => {
  const session = begin({ limits: { usd: 1, sessionUsd: 1.5 } });
  session.send();
  session.answer([call()], { costUsd: 1 });
  step(session, 't1_s1_c1');
  expect(session.last('turn.ended')).toMatchObject({ turn: 1, outcome: 'budget' });
  session.send();
  session.answer([call()], { costUsd: 0.5 });
  step(session, 't2_s1_c1');
  expect(session.last('turn.ended')).toMatchObject({ turn: 2, outcome: 'budget' });
  expect(session.last('turn.ended')?.message).toContain('session');
});

it('E2: a cost that is unknown after all ends a turn with a limit of dollars', () => {
  const session = begin({ limits: { usd: 1 } });
  session.send();
  session.answer([call()], { costUsd: null });
  step(session, 't1_s1_c1');
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'budget', costUsd: null });
});

it('E2: a limit of dollars is refused where the price is unknown, and so is such a model under that limit', () => {
  const modelInfo = { contextTokens: 1000, outputTokens: 100, isPriceKnown: false };
  const unknown = begin({ modelInfo });
  expect(codeOf(unknown.command('session.configure', { limits: { usd: 1 } }))).toBe('price_unknown');
  const known = begin({ limits: { usd: 1 } });
  expect(codeOf(known.command('session.configure', { model: 'other/model', modelInfo }))).toBe('price_unknown');
  expect(codeOf(known.command('session.configure', { limits: { usd: null } }))).toBe('accepted');
});

it('E2: the wall clock stops the model and hanging tools alike', () => {
  const session = withCalls([call(), call()], { limits: { durationMs: 1000 } });
  session.judge('t1_s1_c1');
  expect(session.effects()).toContainEqual({ kind: 'timer', id: 'timer:turn:1:1000', at: 1000 });
  session.wait(1000);
  session.ring('timer:turn:1:1000');
  expect(session.due()).toEqual(['tool:t1_s1_c1:1 stop']);
  session.finish('t1_s1_c1', { status: 'out_of_time' });
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'max_duration' });
  expect(session.results().map((result) => result.status)).toEqual(['out_of_time', 'out_of_time']);
});

it('E2: a limit of time that was changed rings at its new time only', () => {
  const session = begin({ limits: { durationMs: 1000 } });
  session.send();
  session.command('session.configure', { limits: { durationMs: 5000 } });
  expect(codeOf(session.ring('timer:turn:1:1000'))).toBe('late_outcome');
  expect(session.effects()).toContainEqual({ kind: 'timer', id: 'timer:turn:1:5000', at: 5000 });
});
