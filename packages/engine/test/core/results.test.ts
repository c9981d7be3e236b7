import { describe, expect, it } from 'vitest';
import { buildRequest, toldTo } from '../../src/context/request.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { agent, begin, call, codeOf, type Session, text } from './support.ts';

const outputSchema = { type: 'object', required: ['count'] };
const right = { isValid: true, result: { count: 3 } } as const;
const wrong = { isValid: false, problem: 'Your answer is not JSON alone.' } as const;

const requestOf = ({ state }: Session) => {
  const model = { id: 'test/model', info: state.settings.modelInfo };
  const spec = {
    description: 'x',
    input: { type: 'object' },
    effect: 'read' as const,
    run: async () => ({ content: '' }),
  };
  const tools = createRegistry([
    { ...spec, name: 'echo' },
    { ...spec, name: 'look' },
  ]);
  return buildRequest(state, model, toldTo(state, { system: () => '', tools }));
};

describe('E16: a turn with a schema', () => {
  it('gives a valid answer as its result', () => {
    const session = begin();
    session.send('Count.', 'queue', { outputSchema });
    expect(requestOf(session).outputSchema).toEqual(outputSchema);
    session.answer([text('{"count":3}')], { checked: right });
    expect(session.last('result.checked')).toMatchObject({ turn: 1, step: 1, isValid: true });
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', result: { count: 3 } });
  });

  it('says in the history what was wrong, once, and takes the answer that is right then', () => {
    const session = begin();
    session.send('Count.', 'queue', { outputSchema });
    session.answer([text('Three.')], { checked: wrong });
    expect(session.said().at(-1)).toContain('not JSON alone');
    expect(session.said().at(-1)).toContain('"required":["count"]');
    expect(session.due()).toEqual(['model:t1_s2_a1 run']);
    session.answer([text('{"count":3}')], { checked: right });
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', result: { count: 3 } });
  });

  it('fails with a clear sentence when the second answer is wrong too', () => {
    const session = begin();
    session.send('Count.', 'queue', { outputSchema });
    session.answer([text('Three.')], { checked: wrong });
    session.answer([text('3.')], { checked: wrong });
    expect(session.last('turn.ended')).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('did not give the result that was asked for'),
    });
  });

  it('is asked for the same when it is gone on with after a limit, and for nothing after it completed', () => {
    const session = begin({ limits: { steps: 1 } });
    session.send('Count.', 'queue', { outputSchema, requestTimeoutMs: 50 });
    session.answer([call()]);
    session.judge('t1_s1_c1');
    session.finish('t1_s1_c1');
    expect(session.last('turn.ended')?.outcome).toBe('max_steps');
    session.command('turn.continue', {});
    expect(requestOf(session)).toMatchObject({ outputSchema, timeoutMs: 50 });
    session.answer([text('{"count":3}')], { checked: right });
    session.command('turn.continue', {});
    expect(requestOf(session).outputSchema).toBeUndefined();
  });

  it('cannot be changed by an input that steers it', () => {
    const session = begin();
    session.send('Count.', 'queue', { outputSchema });
    const content = [{ type: 'text' as const, text: 'Now something else.' }];
    expect(codeOf(session.command('input.send', { content, delivery: 'steer', outputSchema: {} }))).toBe('turn_runs');
    expect(codeOf(session.command('input.send', { content, delivery: 'steer' }))).toBe('accepted');
  });
});

describe('E16: the tool choice', () => {
  it('none holds for all steps; a forced call is forced until it was made', () => {
    const none = begin();
    none.send('Think.', 'queue', { toolChoice: 'none' });
    expect(requestOf(none).toolChoice).toBe('none');

    const session = begin();
    session.send('Look.', 'queue', { toolChoice: { tool: 'look' } });
    session.answer([call('echo')]);
    session.judge('t1_s1_c1');
    session.finish('t1_s1_c1');
    expect(requestOf(session).toolChoice).toEqual({ tool: 'look' });
    session.answer([call('look')]);
    session.judge('t1_s2_c1');
    session.finish('t1_s2_c1');
    expect(requestOf(session).toolChoice).toBeUndefined();
  });
});

describe('E16: a request that takes too long', () => {
  const late = (session: Session) =>
    session.outcome({
      type: 'model.failed',
      effect: session.due()[0]?.split(' ')[0] ?? '',
      model: 'test/model',
      error: { code: 'request_timeout', message: 'Too long.' },
      partial: { content: [text('Ha')], stopReason: 'end', usage: session.state.usage, costUsd: null },
      isUntried: true,
    });

  it('is made again twice in the same step, without what it had said, and then ends the turn', () => {
    const session = begin();
    session.send('Go.', 'queue', { requestTimeoutMs: 50 });
    late(session);
    late(session);
    expect(session.due()).toEqual(['model:t1_s1_a3 run']);
    expect(session.state.messages).toHaveLength(1);
    late(session);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'failed', message: 'Too long.' });
    expect(session.count('model.failed')).toBe(3);
  });

  it('counts anew in the next step', () => {
    const session = begin();
    session.send('Go.', 'queue', { requestTimeoutMs: 50 });
    late(session);
    session.answer([call()]);
    session.judge('t1_s1_c1');
    session.finish('t1_s1_c1');
    late(session);
    late(session);
    expect(session.due()).toEqual(['model:t1_s2_a3 run']);
  });

  it('is refused as an option that is no time at all', () => {
    const session = begin();
    const content = [{ type: 'text' as const, text: 'Go.' }];
    const decision = session.command('input.send', { content, delivery: 'queue', requestTimeoutMs: 0 }, { by: agent });
    expect(codeOf(decision)).toBe('bad_limit');
  });
});
