import { expect, it } from 'vitest';
import { agent, begin, call, codeOf, text, withCalls } from './support.ts';

it('E6: a pause takes hold at the next safe point, and a resume goes on from there', () => {
  const session = withCalls([call()]);
  session.command('session.pause', {});
  session.judge('t1_s1_c1');
  session.finish('t1_s1_c1');
  expect(session.due()).toEqual([]);
  expect(session.state.turn?.phase).toBe('between');
  session.command('session.resume', {});
  expect(session.due()).toEqual(['model:t1_s2_a1 run']);
});

it('E6: a paused session takes no input until it is resumed', () => {
  const session = begin();
  session.command('session.pause', {});
  session.send();
  expect(session.state.turn).toBeNull();
  session.command('session.resume', {});
  expect(session.due()).toEqual(['model:t1_s1_a1 run']);
});

it('E6: a paused turn can be cancelled', () => {
  const session = begin();
  session.send();
  session.command('session.pause', {});
  session.answer([call()]);
  session.cancel();
  expect(session.last('turn.ended')?.outcome).toBe('cancelled');
});

it('E6: pausing twice and resuming what is not paused are refused', () => {
  const session = begin();
  expect(codeOf(session.command('session.resume', {}))).toBe('not_paused');
  session.command('session.pause', {});
  expect(codeOf(session.command('session.pause', {}))).toBe('already_paused');
});

it('E6: a result put up for review is completed when it is approved', () => {
  const session = begin();
  session.send('Go.', 'queue', { review: true });
  session.answer();
  expect(session.state.turn?.phase).toBe('review');
  expect(session.due()).toEqual([]);
  session.command('review.resolve', { decision: 'approve' });
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed' });
});

it('E6: a result that is rejected in review failed, for the reason given, and can be tried again', () => {
  const session = begin();
  session.send('Go.', 'queue', { review: true });
  session.answer();
  session.command('review.resolve', { decision: 'reject', reason: 'Not good.' });
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'failed', message: 'Not good.' });
  expect(codeOf(session.command('turn.retry', {}))).toBe('accepted');
  expect(session.due()).toEqual(['model:t2_s1_a1 run']);
});

it('E6: only a person settles a review, and only one that is open', () => {
  const session = begin();
  expect(codeOf(session.command('review.resolve', { decision: 'approve' }))).toBe('no_review');
  session.send('Go.', 'queue', { review: true });
  session.answer();
  const byAgent = session.command('review.resolve', { decision: 'approve' }, { by: agent });
  expect(codeOf(byAgent)).toBe('human_only');
  session.cancel();
  expect(codeOf(session.command('review.resolve', { decision: 'approve' }))).toBe('no_review');
  expect(session.last('turn.ended')?.outcome).toBe('cancelled');
});

it('E6: what did not complete is not put up for review', () => {
  const session = begin();
  session.send('Go.', 'queue', { review: true });
  session.fail();
  expect(session.last('turn.ended')?.outcome).toBe('failed');
});

it('E6: feedback adds context and decides nothing', () => {
  const session = begin();
  session.send('Go.', 'queue', { review: true });
  session.answer();
  session.command('feedback', { text: 'Nice.' }, { by: agent });
  expect(session.state.turn?.phase).toBe('review');
  session.command('review.resolve', { decision: 'approve' });
  expect(session.said()).toEqual(['Go.', 'Nice.']);
  expect(session.state.turn).toBeNull();
});

it('E6: a failed turn is tried again from where it failed, without what was cut off', () => {
  const session = begin();
  session.send();
  session.fail('overloaded', [text('So f')]);
  session.command('turn.retry', {});
  expect(session.last('turn.started')).toEqual({ turn: 2, cause: 'retry' });
  expect(session.state.messages.map((message) => message.role)).toEqual(['user']);
  expect(session.due()).toEqual(['model:t2_s1_a1 run']);
});

it('E6: only a failed turn can be tried again', () => {
  const session = begin();
  expect(codeOf(session.command('turn.retry', {}))).toBe('nothing_to_retry');
  session.send();
  expect(codeOf(session.command('turn.retry', {}))).toBe('busy');
  session.answer();
  expect(codeOf(session.command('turn.retry', {}))).toBe('nothing_to_retry');
});
