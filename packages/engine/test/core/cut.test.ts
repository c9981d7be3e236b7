/** Answers that the output limit cut, and calls that are wrong in themselves. */
import { describe, expect, it } from 'vitest';
import { tailOf } from '../../src/context/tail.ts';
import { begin, call, type Session, text, withCalls } from './support.ts';

const cut = { stopReason: 'output_limit' } as const;
const cutInCall = { stopReason: 'output_limit', cutCall: 'write' } as const;

function started(settings: Parameters<typeof begin>[0] = {}): Session {
  const session = begin(settings);
  session.send();
  return session;
}

describe('E11: an answer cut by the output limit', () => {
  it('goes on where its text stopped, with the text kept and the request for more in no history', () => {
    const session = started();
    session.answer([text('Once upon')], cut);
    expect(session.due()).toEqual(['model:t1_s2_a1 run']);
    expect(tailOf(session.state)).toContain('Go on exactly where it stopped');
    expect(session.said()).toEqual(['Go.']);
    session.answer([text(' a time.')]);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(session.state.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'assistant']);
    expect(tailOf(session.state)).toBeNull();
  });

  it('is thrown away when it was cut in its only call, and one smaller call is asked for', () => {
    const session = started();
    session.answer([text('I write it all:')], cutInCall);
    expect(session.last('model.failed')).toMatchObject({
      attempt: 1,
      error: { code: 'output_cut' },
      cutCall: 'write',
      costUsd: 0.5,
    });
    expect(session.due()).toEqual(['model:t1_s1_a2 run']);
    expect(tailOf(session.state)).toContain('exactly one call');
    expect(session.state.messages.map((message) => message.role)).toEqual(['user']);
  });

  it('refuses the calls beyond the one that was asked for, and the recovery leaves nothing in the history (scenario 18)', () => {
    const session = started();
    session.answer([], cutInCall);
    session.answer([call('write'), call('write'), call('echo')]);
    expect(session.due()).toEqual(['judge:t1_s1_c1:1']);
    session.judge('t1_s1_c1', { effect: 'write' });
    session.finish('t1_s1_c1');
    expect(session.results().map((result) => result.status)).toEqual(['ok', 'error', 'error']);
    expect(session.results()[1]?.content).toContain('one call was asked for');
    expect(session.said()).toEqual(['Go.']);
    expect(tailOf(session.state)).toBeNull();
  });

  it('runs its whole calls, though the last was cut', () => {
    const session = started();
    session.answer([call()], cutInCall);
    expect(session.due()).toEqual(['judge:t1_s1_c1:1']);
  });

  it('ends the turn as truncated, with numbers, the third time in a row', () => {
    const session = started();
    for (const attempt of [1, 2, 3]) {
      expect(session.due()).toEqual([`model:t1_s1_a${attempt} run`]);
      session.answer([], cutInCall);
    }
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'truncated', costUsd: 1.5 });
    expect(session.last('turn.ended')?.message).toMatch(/3 times in a row.*call of write/);
    expect(session.due()).toEqual([]);
    session.command('turn.continue', {});
    expect(session.due()).toEqual(['model:t2_s1_a1 run']);
    expect(tailOf(session.state)).toBeNull();
  });

  it('goes on with text for as long as there are steps', () => {
    const session = started({ limits: { steps: 5 } });
    for (const part of ['a', 'b', 'c', 'd', 'e']) session.answer([text(part)], cut);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'max_steps', steps: 5 });
  });

  it('counts calls and thinking that were cut together, and anew after progress', () => {
    const session = started();
    session.answer([], cutInCall);
    session.answer([{ type: 'thinking', text: 'Hm' }], cut);
    expect(tailOf(session.state)).toContain('Think less');
    session.answer([text('So')], cut);
    session.answer([], cutInCall);
    session.answer([], cutInCall);
    expect(session.state.turn).not.toBeNull();
    session.answer([], cutInCall);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'truncated' });
  });

  it('counts against the limits of the turn', () => {
    const session = started({ limits: { usd: 0.7 } });
    session.answer([], cutInCall);
    session.answer([], cutInCall);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'budget', costUsd: 1 });
  });

  it('can be cancelled between its tries', () => {
    const session = started();
    session.answer([], cutInCall);
    session.cancel();
    expect(session.due()).toEqual(['model:t1_s1_a2 stop']);
    session.fail('cancelled');
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'cancelled' });
  });
});

const malformed = { ...call('write'), malformed: '{"path": ' };
const wrong = { verdict: 'deny', rule: 'check arguments', reason: 'Send them whole.', isMistake: true } as const;

describe('E10: calls that are wrong', () => {
  it('gives the model what was wrong, and ends the turn at the third malformed step in a row (scenario 19)', () => {
    const session = started();
    for (const step of [1, 2, 3]) {
      session.answer([malformed, malformed]);
      session.judge(`t1_s${step}_c1`, wrong);
      session.judge(`t1_s${step}_c2`, wrong);
      expect(session.results()).toMatchObject([{ status: 'error', content: 'Send them whole.' }, { status: 'error' }]);
    }
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'failed', steps: 3 });
    expect(session.last('turn.ended')?.message).toContain('3 times in a row');
  });

  it('counts unknown tools too, and anew after one call that was right', () => {
    const session = started();
    const unknown = { ...wrong, rule: 'check tool' };
    for (const step of [1, 2]) {
      session.answer([call('nope')]);
      session.judge(`t1_s${step}_c1`, unknown);
    }
    session.answer([call('nope'), call('echo')]);
    session.judge('t1_s3_c1', unknown);
    session.judge('t1_s3_c2');
    session.finish('t1_s3_c2');
    session.answer([call('nope')]);
    session.judge('t1_s4_c1', unknown);
    expect(session.due()).toEqual(['model:t1_s5_a1 run']);
  });

  it('does not count what a rule or the loop check refused', () => {
    const session = started();
    for (const step of [1, 2, 3, 4]) {
      session.answer([call('echo')]);
      session.judge(`t1_s${step}_c1`, { verdict: 'deny', rule: 'check loop', isMistake: true });
    }
    expect(session.due()).toEqual(['model:t1_s5_a1 run']);
  });

  it('refuses all of more than 256 calls in one answer, each with its result', () => {
    const session = withCalls(Array.from({ length: 257 }, () => call()));
    expect(session.due()).toEqual(['model:t1_s2_a1 run']);
    expect(session.results()).toHaveLength(257);
    expect(session.results().every((result) => result.status === 'error')).toBe(true);
    expect(session.results()[256]).toMatchObject({ call: 't1_s1_c257', content: expect.stringContaining('256') });
    expect(session.count('tool.started')).toBe(0);
  });

  it('takes 256', () => {
    const session = withCalls(Array.from({ length: 256 }, () => call()));
    expect(session.due()).toHaveLength(256);
  });
});

describe('E2: a dollar limit', () => {
  it('counts what the next request is known to cost at least', () => {
    const modelInfo = { contextTokens: 1_000_000, outputTokens: 1000, isPriceKnown: true, leastInputUsdPerMillion: 2 };
    const session = begin({ modelInfo, limits: { usd: 0.6 } });
    session.send();
    session.answer([call()], { tokens: 100_000, costUsd: 0.5 });
    session.judge('t1_s1_c1');
    session.finish('t1_s1_c1');
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'budget', costUsd: 0.5 });
    expect(session.last('turn.ended')?.message).toContain('at least $0.2000');
  });
});
