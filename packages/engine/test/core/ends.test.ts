import { expect, it } from 'vitest';
import { begin, call, codeOf, text, withCalls } from './support.ts';

it('E1: an input starts a turn that calls the model, and the model ends it', () => {
  const session = begin();
  session.send('Hello.');
  expect(session.due()).toEqual(['model:t1_s1_a1 run']);
  session.answer([text('Hi.')]);
  expect(session.last('turn.ended')).toMatchObject({ turn: 1, outcome: 'completed', steps: 1, costUsd: 0.5 });
  expect(session.due()).toEqual([]);
});

it('E1: a turn goes from the model to its tools and back to the model until it yields', () => {
  const session = withCalls([call()]);
  expect(session.due()).toEqual(['judge:t1_s1_c1:1']);
  session.judge('t1_s1_c1');
  expect(session.due()).toEqual(['tool:t1_s1_c1:1 run']);
  session.finish('t1_s1_c1');
  expect(session.due()).toEqual(['model:t1_s2_a1 run']);
  session.answer();
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', steps: 2 });
});

it.each([
  ['end', 'completed'],
  ['stop_sequence', 'completed'],
  ['refusal', 'blocked'],
] as const)(
  'E1: an answer without calls that stopped by %s ends the turn as %s, with a sentence',
  (stopReason, outcome) => {
    const session = begin();
    session.send();
    session.answer([text()], { stopReason });
    expect(session.last('turn.ended')?.outcome).toBe(outcome);
    expect(session.last('turn.ended')?.message).toMatch(/\.$/);
  },
);

it('E1: a model that only paused is called again', () => {
  const session = begin();
  session.send();
  session.answer([text('Let me think.')], { stopReason: 'pause' });
  expect(session.due()).toEqual(['model:t1_s2_a1 run']);
});

it('E1: whole calls of an answer that was cut at the output limit are run', () => {
  const session = begin();
  session.send();
  session.answer([text('Now'), call()], { stopReason: 'output_limit' });
  expect(session.due()).toEqual(['judge:t1_s1_c1:1']);
});

it('E1: a failing model ends the turn as failed, and what it said so far is kept', () => {
  const session = begin();
  session.send();
  session.fail('overloaded', [text('So far')]);
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'failed', message: 'It ended with overloaded.' });
  expect(session.state.messages.at(-1)).toMatchObject({ role: 'assistant', isPartial: true });
});

it('E1: a tool may end the turn, which drops calls not begun and lets those that run finish', () => {
  const session = withCalls([call('a'), call('b'), call('send')]);
  session.judge('t1_s1_c1');
  session.judge('t1_s1_c2');
  session.judge('t1_s1_c3', { effect: 'external' });
  session.finish('t1_s1_c1', { endsTurn: 'That will do.' });
  expect(session.statusOf('t1_s1_c2')).toBe('running');
  expect(session.statusOf('t1_s1_c3')).toBe('finished');
  session.finish('t1_s1_c2');
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', message: 'That will do.' });
  expect(session.results().map((result) => result.status)).toEqual(['ok', 'ok', 'cancelled']);
});

it('E13: an empty answer is asked for once more, and a second one fails the turn', () => {
  const session = begin();
  session.send();
  session.answer([text('  ')]);
  expect(session.last('model.failed')).toMatchObject({ attempt: 1, error: { code: 'empty_answer' } });
  expect(session.due()).toEqual(['model:t1_s1_a2 run']);
  session.answer([{ type: 'thinking', text: 'Hm.' }]);
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'failed' });
  expect(session.state.messages.some((message) => message.role === 'assistant')).toBe(false);
});

it('E13: an answer after an empty one counts as any other', () => {
  const session = begin();
  session.send();
  session.answer([]);
  session.answer();
  expect(session.last('turn.ended')?.outcome).toBe('completed');
});

it('counts an outcome of the model only while that call of it is owed', () => {
  const session = begin();
  session.send();
  const late = { type: 'model.finished', effect: 'model:t1_s1_a1', model: 'test/model' } as const;
  session.answer([]);
  const message = { content: [text()], stopReason: 'end' as const, usage: session.state.usage, costUsd: 0 };
  expect(codeOf(session.outcome({ ...late, message }))).toBe('late_outcome');
});
