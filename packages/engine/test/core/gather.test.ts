import type { EventData, Fragment } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { evolve } from '../../src/core/index.ts';
import { begin, call, codeOf, type Session } from './support.ts';

const piece = (text: string): Fragment => ({ region: 'system', name: 'role', text });

/** What is owed comes back. */
function gathers(session: Session, fragments?: Fragment[]) {
  const effect = session.effects().find(({ kind }) => kind === 'gather')?.id ?? 'gather:none';
  const { turn, settings } = session.state;
  const data: EventData['context.gathered'] = { turn: turn?.number ?? 0, agent: settings.agent };
  return session.outcome({ type: 'context.gathered', effect, data: { ...data, ...(fragments && { fragments }) } });
}

describe('X6: what surrounds the work is gathered', () => {
  it('before the first step of each turn, which waits for it', () => {
    const session = begin({ gathersContext: true });
    session.send();
    expect(session.due()).toEqual(['gather:t1:builder:1']);
    gathers(session, [piece('You build.')]);
    expect(session.due()).toEqual(['model:t1_s1_a1 run']);
    session.answer([call()]);
    session.judge('t1_s1_c1');
    session.finish('t1_s1_c1');
    expect(session.due()).toEqual(['model:t1_s2_a1 run']);
    session.answer();
    session.send('More.');
    expect(session.due()).toEqual(['gather:t2:builder:2']);
    gathers(session);
    expect(session.state.fragments).toEqual([piece('You build.')]);
    expect(session.due()).toEqual(['model:t2_s1_a1 run']);
  });

  it('never in a session that does not say so', () => {
    const session = begin();
    session.send();
    expect(session.due()).toEqual(['model:t1_s1_a1 run']);
  });

  it('again when the agent is another, before the next step', () => {
    const session = begin({ gathersContext: true });
    session.send();
    gathers(session, [piece('You build.')]);
    session.command('session.configure', { agent: 'planner' });
    session.answer([call()]);
    session.judge('t1_s1_c1');
    session.finish('t1_s1_c1');
    expect(session.due()).toEqual(['gather:t1:planner:2']);
    gathers(session, [piece('You plan.')]);
    expect(session.due()).toEqual(['model:t1_s2_a1 run']);
  });

  it('counts once, and only for the agent it was owed for', () => {
    const session = begin({ gathersContext: true });
    session.send();
    const data = { turn: 1, agent: 'builder', fragments: [piece('You build.')] };
    session.command('session.configure', { agent: 'planner' });
    expect(codeOf(session.outcome({ type: 'context.gathered', effect: 'gather:t1:builder:1', data }))).toBe(
      'late_outcome',
    );
    expect(codeOf(gathers(session, [piece('You plan.')]))).toBe('accepted');
    expect(codeOf(session.outcome({ type: 'context.gathered', effect: 'gather:t1:planner:1', data }))).toBe(
      'late_outcome',
    );
    expect(session.state.fragments).toEqual([piece('You plan.')]);
  });

  it('not for a turn that was cancelled, nor while the session is paused', () => {
    const session = begin({ gathersContext: true });
    session.command('session.pause', {});
    session.send();
    expect(session.due()).toEqual([]);
    session.command('session.resume', {});
    expect(session.due()).toEqual(['gather:t1:builder:1']);
    session.command('session.pause', {});
    expect(session.due()).toEqual([]);
    session.command('session.resume', {});
    session.cancel();
    expect(session.due()).toEqual([]);
    expect(session.last('turn.ended')?.outcome).toBe('cancelled');
  });

  it('is owed again after a crash, under the same id', () => {
    const session = begin({ gathersContext: true });
    session.send();
    const before = session.due();
    session.reopen();
    expect(session.due()).toEqual(before);
  });

  it('is owed again in the same turn once the history was compacted', () => {
    const session = begin({ gathersContext: true });
    session.send();
    gathers(session, [piece('You build.')]);
    session.answer([call()]);
    session.judge('t1_s1_c1');
    // What the fold of a compaction does.
    session.state.gathered = null;
    session.finish('t1_s1_c1');
    expect(session.due()).toEqual(['gather:t1:builder:2']);
  });

  it('stays with a fork', () => {
    const session = begin({ gathersContext: true });
    session.send();
    gathers(session, [piece('You build.')]);
    session.answer();
    const data = { from: { session: 's1', seq: session.state.seq } };
    const by = { kind: 'human' as const, id: 'ann' };
    evolve(session.state, { seq: session.state.seq + 1, at: 0, session: 's2', type: 'session.forked', data, by });
    expect(session.state.fragments).toEqual([piece('You build.')]);
  });
});
