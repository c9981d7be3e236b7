import { describe, expect, it } from 'vitest';
import { isRepetition } from '../../src/core/index.ts';
import { begin, call, type Session } from './support.ts';

const asked = { tool: 'read', input: { path: 'a', mode: 'x' } };

type Run = {
  tool?: string;
  effect?: 'read' | 'idempotent' | 'write' | 'external';
  content?: string;
  status?: 'ok' | 'error';
};

function started(): Session {
  const session = begin({ limits: { steps: 100 } });
  session.send();
  return session;
}

/** One more step with one call of this turn. */
function run(session: Session, given: Run & { input?: object; paths?: readonly string[]; files?: object } = {}): void {
  const { tool = 'read', effect = 'read', content = 'same', status = 'ok', input = { path: 'a', mode: 'x' } } = given;
  const { turn } = session.state;
  const id = `t${turn?.number}_s${turn?.step}_c1`;
  session.answer([call(tool, input as never)]);
  session.judge(id, { effect, paths: [...(given.paths ?? [])] });
  session.finish(id, {
    content,
    status,
    ...(given.files !== undefined && { details: { files: given.files as never } }),
  });
}

describe('E3: the loop check', () => {
  it('stops the third same call with the same result, whatever the order of its arguments', () => {
    const session = started();
    for (let times = 0; times < 2; times++) {
      expect(isRepetition(session.state, asked)).toBe(false);
      run(session, { input: { mode: 'x', path: 'a' } });
    }
    expect(isRepetition(session.state, asked)).toBe(true);
    expect(isRepetition(session.state, { tool: 'read', input: { path: 'b', mode: 'x' } })).toBe(false);
  });

  it.each(['read', 'idempotent', 'write', 'external'] as const)('stops a call of effect %s', (effect) => {
    const session = started();
    run(session, { effect });
    run(session, { effect });
    expect(isRepetition(session.state, asked)).toBe(true);
  });

  it('lets run what had other results', () => {
    const session = started();
    run(session, { content: 'red' });
    run(session, { content: 'green' });
    expect(isRepetition(session.state, asked)).toBe(false);
    run(session, { content: 'green' });
    expect(isRepetition(session.state, asked)).toBe(true);
  });

  it.each(['idempotent', 'write', 'external'] as const)(
    'lets run what something else of effect %s was done before',
    (effect) => {
      const session = started();
      for (let times = 0; times < 4; times++) {
        expect(isRepetition(session.state, asked)).toBe(false);
        run(session);
        run(session, { tool: 'edit', effect, content: `edit ${times}` });
      }
      run(session);
      expect(isRepetition(session.state, asked)).toBe(false);
      run(session);
      expect(isRepetition(session.state, asked)).toBe(true);
    },
  );

  it('goes by no other read, and by no other change that failed', () => {
    const session = started();
    run(session);
    run(session, { tool: 'look' });
    run(session, { tool: 'edit', effect: 'write', status: 'error' });
    run(session);
    expect(isRepetition(session.state, asked)).toBe(true);
  });

  it('begins anew in each turn', () => {
    const session = started();
    run(session);
    run(session);
    session.answer([{ type: 'text', text: 'There it is.' }]);
    session.send('Once more.');
    expect(isRepetition(session.state, asked)).toBe(false);
  });

  it('remembers 20 calls', () => {
    const session = started();
    run(session);
    for (let others = 0; others < 18; others++) run(session, { tool: 'look', input: { n: others } });
    run(session);
    expect(isRepetition(session.state, asked)).toBe(true);
    run(session, { tool: 'look', input: { n: 19 } });
    expect(isRepetition(session.state, asked)).toBe(false);
  });

  it('lets a change be tried again that failed for what the session did not know', () => {
    const session = started();
    const edit = { tool: 'edit', effect: 'write', status: 'error', paths: ['/a'], content: 'Read it again.' } as const;
    const read = (digest: string) => run(session, { paths: ['/a'], files: { '/a': digest }, content: digest });
    run(session, edit);
    read('one');
    run(session, edit);
    expect(isRepetition(session.state, { ...asked, tool: 'edit' })).toBe(false);
    read('two');
    expect(isRepetition(session.state, { ...asked, tool: 'edit' })).toBe(false);
    run(session, edit);
    run(session, edit);
    expect(isRepetition(session.state, { ...asked, tool: 'edit' })).toBe(true);
  });

  it('does not count calls that were wrong in themselves', () => {
    const session = started();
    for (const step of [1, 2]) {
      session.answer([call('read', asked.input)]);
      session.judge(`t1_s${step}_c1`, { verdict: 'deny', rule: 'check arguments', isMistake: true, reason: 'No.' });
    }
    expect(isRepetition(session.state, asked)).toBe(false);
  });
});
