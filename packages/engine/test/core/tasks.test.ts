import type { EventData } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/core/index.ts';
import { agent, begin, call, codeOf, human, open, type Session, text } from './support.ts';

const start = (session: Session, prompt = 'Dig.', more: object = {}) => {
  const data = { agent: 'builder', prompt, isBackground: true, isJoined: true, ...more };
  return session.command('task.start', data, { by: agent });
};

const ending = (task: string, more: Partial<EventData['task.ended']> = {}): EventData['task.ended'] => ({
  task,
  instance: 1,
  outcome: 'completed',
  message: 'It is done.',
  envelope: null,
  steps: 1,
  usage: { ...noUsage, inputTokens: 100 },
  costUsd: 0.25,
  filesChanged: [],
  unattendedDenials: 0,
  ...more,
});

const end = (session: Session, task: string, more: Partial<EventData['task.ended']> = {}) => {
  const data = ending(task, more);
  return session.outcome({ type: 'task.ended', effect: `task:${task}:${data.instance}`, data });
};

describe('A2: tasks in the log of their owner', () => {
  it('are owed from their intent on, between turns too, until they have ended once', () => {
    const session = begin();
    start(session);
    expect(session.due()).toContain('task:builder-1:1 run');
    expect(codeOf(end(session, 'builder-1'))).toBe('accepted');
    expect(codeOf(end(session, 'builder-1'))).toBe('late_outcome');
    expect(session.due()).toEqual([]);
    expect(session.state.costUsd).toBe(0.25);
  });

  it('work eight at a time, the others wait their turn', () => {
    const session = begin();
    for (let index = 0; index < 10; index++) start(session, `Dig hole ${index}.`);
    expect(session.effects().filter(({ kind }) => kind === 'task')).toHaveLength(8);
    end(session, 'builder-3');
    expect(session.due()).toContain('task:builder-9:1 run');
    expect(session.due()).not.toContain('task:builder-10:1 run');
  });

  it('keep a turn from ending while it waits for them, and make another step of their ends', () => {
    const session = begin();
    session.send();
    start(session);
    session.answer([text('I am done.')]);
    expect(session.state.turn?.phase).toBe('between');
    end(session, 'builder-1', { message: 'A hole.' });
    expect(session.said().at(-1)).toBe('Task builder-1 completed.\nA hole.');
    session.answer([text('All is done.')]);
    expect(session.last('turn.ended')).toMatchObject({ outcome: 'completed', steps: 2, costUsd: 1.25 });
  });

  it('that are not joined leave the turn alone, and are told as context when they end', () => {
    const session = begin();
    session.send();
    start(session, 'Dig.', { isJoined: false });
    session.answer([text('I am done.')]);
    expect(session.state.turn).toBeNull();
    end(session, 'builder-1');
    expect(session.state.turn).toBeNull();
    expect(session.said().at(-1)).toContain('Task builder-1 completed.');
  });

  it('stop with their turn, which ends when they have; others of earlier turns go on', () => {
    const session = begin();
    session.send();
    start(session, 'Dig for ever.', { isJoined: false });
    session.answer([text()]);
    session.send();
    start(session, 'Dig here.');
    session.cancel();
    session.fail('cancelled');
    expect(session.due()).toEqual(expect.arrayContaining(['task:builder-1:1 run', 'task:builder-2:1 stop']));
    expect(session.state.turn).not.toBeNull();
    end(session, 'builder-2', { outcome: 'cancelled' });
    expect(session.last('turn.ended')?.outcome).toBe('cancelled');
    expect(session.last('task.cancelled')?.reason).toBe('Turn 2 was stopped. Cancelled by ann.');
  });

  it('are cancelled one by one without harm to the others', () => {
    const session = begin();
    start(session, 'One.');
    start(session, 'Two.');
    session.command('task.cancel', { task: 'builder-1', reason: 'no use' });
    expect(session.due().filter((id) => id.startsWith('task:'))).toEqual([
      'task:builder-1:1 stop',
      'task:builder-2:1 run',
    ]);
    expect(codeOf(session.command('task.cancel', { task: 'builder-9' }))).toBe('no_task');
  });

  it('go on when their session is taken up again, or are cancelled then where that is settled', () => {
    for (const resume of ['continue', 'cancel'] as const) {
      const session = begin({ tasks: { resume } });
      start(session);
      session.outcome({ type: 'session.opened', data: { driver: 'another' } });
      expect(session.due()).toContain(`task:builder-1:1 ${resume === 'cancel' ? 'stop' : 'run'}`);
    }
  });

  it('are opened again by a message, with a new instance whose reason is on record', () => {
    const session = begin();
    start(session);
    end(session, 'builder-1', { outcome: 'blocked', message: 'Where?' });
    expect(session.state.tasks[0]).toMatchObject({ status: 'waiting_on_owner', phase: 'ended' });
    session.command('task.send', { task: 'builder-1', text: 'There.', delivery: 'steer' });
    expect(session.due()).toContain('task:builder-1:2 run');
    expect(codeOf(end(session, 'builder-1'))).toBe('late_outcome');
    end(session, 'builder-1', { instance: 2 });
    expect(session.state.tasks[0]?.history).toEqual([
      { instance: 1, reason: 'Dig.', outcome: 'blocked', message: 'Where?' },
      { instance: 2, reason: 'There.', outcome: 'completed', message: 'It is done.' },
    ]);
  });

  it('say at their end which messages they never read', () => {
    const session = begin();
    start(session);
    session.command('task.send', { task: 'builder-1', text: 'Not there!', delivery: 'steer' });
    end(session, 'builder-1');
    expect(session.said().at(-1)).toContain('It had ended before it could read:\n- Not there!');
  });

  it('get what changes the rules of their owner, in order, each owed until it is delivered', () => {
    const session = begin();
    start(session);
    const effect = 'task:builder-1:1';
    session.outcome({ type: 'task.changed', effect, data: { task: 'builder-1', status: 'running' } });
    session.command('rule.add', { list: 'deny', rule: 'bash' });
    session.command('session.configure', { mode: 'plan' });
    const letters = () => session.effects().filter(({ kind }) => kind === 'forward');
    const [first] = session.state.tasks[0]?.pendingCommands ?? [];
    expect(first).toMatchObject({ by: { kind: 'human', id: 'ann' }, body: { type: 'rule.add' } });
    expect(letters()).toHaveLength(1);
    const id = letters()[0]?.id ?? '';
    session.outcome({ type: 'task.delivered', effect: id, data: { task: 'builder-1', letter: first?.id ?? '' } });
    expect(letters()[0]?.id).not.toBe(id);
    expect(session.state.tasks[0]?.pendingCommands).toHaveLength(1);
  });

  it('stay with their session when it is forked', () => {
    const session = begin();
    start(session);
    session.outcome({ type: 'session.opened', data: { driver: 'x' } });
    const { state } = session;
    expect(state.tasks[0]?.phase).toBe('live');
    const forked = {
      seq: state.seq + 1,
      at: 0,
      session: 's2',
      type: 'session.forked',
      data: { from: { session: 's1', seq: state.seq } },
      by: human,
    } as const;
    const fork = openFork(session, forked);
    expect(fork.due()).toEqual([]);
    expect(codeOf(fork.command('task.send', { task: 'builder-1', text: 'Go on.', delivery: 'steer' }))).toBe(
      'foreign_task',
    );
  });
});

const openFork = (session: Session, event: Parameters<typeof open>[0][number]) => open([...session.events, event]);

describe('E2: what tasks may spend', () => {
  it('is set aside before they spend it, is never more than is left, and comes back', () => {
    const amounts = fc.array(
      fc.record({ asked: fc.option(fc.integer({ min: 1, max: 5000 })), used: fc.integer({ min: 0, max: 3000 }) }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(amounts, fc.integer({ min: 500, max: 10_000 }), (tasks, limit) => {
        const session = begin({ limits: { sessionTokens: limit } });
        for (const [index, { asked }] of tasks.entries()) {
          start(session, `Dig ${index}.`, { limits: asked === null ? {} : { tokens: asked } });
        }
        for (;;) {
          const live = session.state.tasks.filter(({ phase }) => phase === 'live');
          const aside = live.reduce((sum, { allotment }) => sum + (allotment?.tokens ?? Number.NaN), 0);
          expect(session.state.usage.inputTokens + aside).toBeLessThanOrEqual(limit);
          const [next] = live;
          if (next === undefined) break;
          const used = Math.min(next.allotment?.tokens ?? 0, tasks[Number(next.id.slice(8)) - 1]?.used ?? 0);
          end(session, next.id, { usage: { ...noUsage, inputTokens: used } });
        }
        expect(session.state.tasks.every(({ outcome }) => outcome !== null)).toBe(true);
      }),
    );
  });

  it('counts as spent for the calls of their owner', () => {
    const session = begin({ limits: { sessionTokens: 1000 } });
    session.send();
    start(session, 'Dig.', { limits: { tokens: 950 } });
    session.answer([call()], { tokens: 60 });
    session.judge('t1_s1_c1');
    session.finish('t1_s1_c1');
    expect(session.due().some((id) => id.startsWith('model:'))).toBe(false);
    end(session, 'builder-1', { usage: noUsage });
    expect(session.due()).toContain('model:t1_s2_a1 run');
  });

  it('in dollars needs a price', () => {
    const session = begin({ modelInfo: { contextTokens: 1000, outputTokens: 10, isPriceKnown: false } });
    expect(codeOf(start(session, 'Dig.', { limits: { usd: 1 } }))).toBe('price_unknown');
  });
});
