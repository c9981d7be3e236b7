import type { DurableEvent } from '@pawl/protocol';
import { expect, it } from 'vitest';
import { begin, call, codeOf, open, withCalls } from './support.ts';

const id = 't1_s1_c1';

it('E18: a call of the model is made again after a crash, under the same id', () => {
  const session = begin();
  session.send();
  const before = session.due();
  session.reopen();
  expect(session.due()).toEqual(before);
});

it('E18: a call that was not begun is run after a crash', () => {
  const session = withCalls([call(), call()]);
  session.judge(id, { verdict: 'ask', effect: 'write' });
  session.reopen();
  session.approve(id);
  expect(session.due()).toContain(`tool:${id}:1 run`);
});

it('E18: of a call that was begun it is found out after a crash what became of it', () => {
  const session = withCalls([call()]);
  session.judge(id, { effect: 'write' });
  expect(session.due()).toEqual([`tool:${id}:1 run`]);
  session.reopen();
  expect(session.due()).toEqual([`tool:${id}:1 recover`]);
  session.finish(id, { status: 'unknown' });
  expect(session.due()).toEqual(['model:t1_s2_a1 run']);
});

it('E18: what a driver begins itself it runs, whatever was interrupted before', () => {
  const session = withCalls([call(), call('send')]);
  session.judge(id);
  session.reopen();
  session.judge('t1_s1_c2');
  expect(session.due()).toEqual([`tool:${id}:1 recover`, 'tool:t1_s1_c2:1 run']);
});

it('E18: a result counts once; a second, a late and a foreign one are refused (scenario 7)', () => {
  const session = withCalls([call()]);
  session.judge(id);
  session.finish(id);
  expect(codeOf(session.finish(id, {}, `tool:${id}:1`))).toBe('late_outcome');
  expect(codeOf(session.finish('t9_s9_c9', {}, 'tool:t9_s9_c9:1'))).toBe('late_outcome');
  expect(codeOf(session.judge(id))).toBe('late_outcome');
  expect(session.results()).toHaveLength(1);
});

it('E18: a session killed after any of its events is taken up and owes what is not done', () => {
  const session = withCalls([call('a'), call('b')]);
  session.judge(id);
  session.judge('t1_s1_c2', { verdict: 'ask', effect: 'write' });
  session.finish(id);
  session.approve('t1_s1_c2');
  session.finish('t1_s1_c2');
  session.answer();
  for (let length = 1; length < session.events.length; length++) {
    const log = structuredClone(session.events.slice(0, length)) as DurableEvent[];
    const taken = open(log);
    taken.reopen();
    const isWaiting = taken.state.turn === null || taken.due().length > 0;
    expect(isWaiting, `after ${log.at(-1)?.type}`).toBe(true);
  }
});

it('S1: a fork keeps the history, closes what was open and leaves the queue behind', () => {
  const source = withCalls([call('a'), call('b')]);
  source.judge(id);
  source.send('Queued.');
  const forked: DurableEvent = {
    seq: source.state.seq + 1,
    at: 0,
    session: 's2',
    type: 'session.forked',
    data: { from: { session: 's1', seq: source.state.seq } },
    by: { kind: 'human', id: 'ann' },
  };
  const session = open([...structuredClone(source.events), forked]);
  expect(session.results().map((result) => result.status)).toEqual(['unknown', 'cancelled']);
  expect(session.last('turn.ended')?.outcome).toBe('cancelled');
  expect(session.state.queue).toEqual([]);
  expect(session.due()).toEqual([]);
});
