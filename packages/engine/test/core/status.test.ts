import { expect, it } from 'vitest';
import { viewOf } from '../../src/runtime/view.ts';
import { begin, call, withCalls } from './support.ts';

it('E7: a session is idle between turns and running in one', () => {
  const session = begin();
  expect(viewOf(session.state).status).toBe('idle');
  session.send();
  expect(viewOf(session.state).status).toBe('running');
  session.answer();
  expect(viewOf(session.state).status).toBe('idle');
});

it('E7: a session awaits approval while a call or a result waits for a person', () => {
  const session = withCalls([call('write', { path: 'a' })]);
  session.judge('t1_s1_c1', { verdict: 'ask', effect: 'write', rule: 'tool write' });
  const view = viewOf(session.state);
  expect(view.status).toBe('awaiting_approval');
  expect(view.approvals).toMatchObject([{ call: 't1_s1_c1', tool: 'write', rule: 'tool write' }]);
  session.approve('t1_s1_c1');
  expect(viewOf(session.state).status).toBe('running');

  const reviewed = begin();
  reviewed.send('Go.', 'queue', { review: true });
  reviewed.answer();
  expect(viewOf(reviewed.state).status).toBe('awaiting_approval');
});

it('E7: a pause shows once it has taken hold', () => {
  const session = begin();
  session.send();
  session.command('session.pause', {});
  expect(viewOf(session.state).status).toBe('running');
  session.answer([call()]);
  session.judge('t1_s1_c1');
  session.finish('t1_s1_c1');
  expect(viewOf(session.state).status).toBe('paused');
});

it('E7: stages may follow each other in any order', () => {
  const session = withCalls([call()]);
  session.judge('t1_s1_c1');
  const data = { call: 't1_s1_c1', status: 'ok' as const, content: '' };
  session.outcome({ type: 'tool.finished', effect: 'tool:t1_s1_c1:1', data, declared: { stage: 'reviewing' } });
  expect(viewOf(session.state).stage).toBe('reviewing');
});

it('X11: the context line counts the window, the step and the messages', () => {
  const session = withCalls([call()]);
  const { context } = viewOf(session.state);
  expect(context).toMatchObject({ tokens: 10, limitTokens: 100_000, step: 1, maxSteps: 20, messages: 2 });
});
