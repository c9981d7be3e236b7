import { expect, it } from 'vitest';
import { begin, call, codeOf, human, text, withCalls } from './support.ts';

it('E4: a cancel stops the model at once and keeps what it said, without its calls', () => {
  const session = begin();
  session.send();
  session.cancel();
  expect(session.due()).toEqual(['model:t1_s1_a1 stop']);
  session.fail('cancelled', [text('So far'), call()]);
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'cancelled', message: 'Cancelled by ann.' });
  expect(session.state.messages.at(-1)).toMatchObject({ isPartial: true, content: [text('So far')] });
});

it('E4: a cancel keeps the results that are in, stops what runs and closes the rest', () => {
  const session = withCalls([call(), call(), call('send')]);
  session.judge('t1_s1_c1');
  session.judge('t1_s1_c2');
  session.judge('t1_s1_c3', { effect: 'external' });
  session.finish('t1_s1_c1');
  session.cancel();
  expect(session.due()).toEqual(['tool:t1_s1_c2:1 stop']);
  session.finish('t1_s1_c2', { status: 'cancelled' });
  expect(session.results().map((result) => result.status)).toEqual(['ok', 'cancelled', 'cancelled']);
  expect(session.last('turn.ended')).toMatchObject({ outcome: 'cancelled' });
});

it('E4: a cancel records who and why', () => {
  const session = begin();
  session.send();
  session.command('turn.cancel', { reason: 'Too slow.', queue: 'run' });
  session.fail('cancelled');
  expect(session.last('turn.ended')?.message).toBe('Cancelled by ann: Too slow.');
});

it('E4: after a cancel the next input works (scenario 10)', () => {
  const session = withCalls([call()]);
  session.cancel();
  session.send('Next.');
  expect(session.due()).toEqual(['model:t2_s1_a1 run']);
  expect(session.said()).toEqual(['Go.', 'Next.']);
});

it('E4: queued inputs run after a cancel if the canceller lets them', () => {
  const session = begin();
  session.send();
  session.send('Queued.');
  session.cancel('run');
  session.fail('cancelled');
  expect(session.said()).toEqual(['Go.', 'Queued.']);
  expect(session.due()).toEqual(['model:t2_s1_a1 run']);
});

it('E4: queued inputs wait after a cancel if the canceller says so, until the next one is sent', () => {
  const session = begin();
  session.send();
  session.send('Queued.');
  session.cancel('wait');
  session.fail('cancelled');
  expect(session.state.turn).toBeNull();
  expect(session.state.queue).toHaveLength(1);
  session.send('Next.');
  expect(session.said()).toEqual(['Go.', 'Queued.']);
});

it('E4: waiting inputs are also let go by a resume', () => {
  const session = begin();
  session.send();
  session.send('Queued.');
  session.cancel('wait');
  session.fail('cancelled');
  expect(codeOf(session.command('session.resume', {}))).toBe('accepted');
  expect(session.said()).toEqual(['Go.', 'Queued.']);
});

it('E4: queued inputs become context after a cancel if the canceller says so', () => {
  const session = begin();
  session.send();
  session.send('Queued.');
  session.cancel('commit');
  session.fail('cancelled');
  expect(session.state.turn).toBeNull();
  expect(session.said()).toEqual(['Go.', 'Queued.']);
  expect(session.state.messages.at(-1)).toMatchObject({ source: 'context' });
});

it.each(['wait', 'commit'] as const)(
  'E4: an input sent after a cancel that lets the queue %s starts a turn all the same',
  (queue) => {
    const session = begin();
    session.send();
    session.cancel(queue);
    session.send('Next.');
    session.fail('cancelled');
    expect(session.due()).toEqual(['model:t2_s1_a1 run']);
    expect(session.state.messages.at(-1)).toMatchObject({ source: 'input' });
  },
);

it('E4: a second cancel is refused, and one without a turn', () => {
  const session = begin();
  expect(codeOf(session.cancel())).toBe('no_turn');
  session.send();
  session.cancel();
  expect(codeOf(session.cancel())).toBe('already_cancelled');
});

it('E4: a cancel that comes first leaves an approval nothing to answer (scenario 9)', () => {
  const session = withCalls([call()]);
  session.judge('t1_s1_c1', { verdict: 'ask', effect: 'write' });
  session.cancel();
  expect(session.last('approval.resolved')).toMatchObject({ decision: 'cancelled' });
  expect(codeOf(session.approve('t1_s1_c1'))).toBe('no_approval');
  expect(session.count('tool.started')).toBe(0);
  expect(session.last('turn.ended')?.outcome).toBe('cancelled');
});

it('E4: a cancel after an approval stops the call that it allowed', () => {
  const session = withCalls([call()]);
  session.judge('t1_s1_c1', { verdict: 'ask', effect: 'write' });
  session.approve('t1_s1_c1', {}, human);
  session.cancel();
  expect(session.due()).toEqual(['tool:t1_s1_c1:1 stop']);
});

it('E4: an answer that was whole when the cancel came is kept, and its calls are closed', () => {
  const session = begin();
  session.send();
  session.cancel();
  session.answer([call()]);
  expect(session.results()).toMatchObject([{ status: 'cancelled' }]);
  expect(session.last('turn.ended')?.outcome).toBe('cancelled');
});
