import type { Todo } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { tailOf } from '../../src/context/tail.ts';
import { viewOf } from '../../src/runtime/view.ts';
import { begin, call, open, type Session, withCalls } from './support.ts';

const id = 't1_s1_c1';
const list = (...statuses: Todo['status'][]): Todo[] =>
  statuses.map((status, index) => ({ text: `task ${index + 1}`, status }));

/** The call of this step ends with what it says of the session. */
function finishWith(session: Session, declared: object, data: object = {}, which = id): void {
  session.judge(which);
  const effect = session.effects().find((owed) => owed.kind === 'tool')?.id ?? 'none';
  session.outcome({
    type: 'tool.finished',
    effect,
    data: { call: which, status: 'ok', content: 'ok', ...data },
    declared,
  });
}

/** Steps that make one call each, up to this one, which is being asked for. */
function untilStep(session: Session, step: number): void {
  while ((session.state.turn?.step ?? 0) < step) {
    const at = session.state.turn?.step ?? 0;
    session.answer([call('look', { at: String(at) })]);
    finishWith(session, {}, {}, `t${session.state.turn?.number}_s${at}_c1`);
  }
}

describe('T6: the agent’s list', () => {
  it('is replaced whole, shown in the view, and as it was after a restart', () => {
    const session = withCalls([call('todo')]);
    finishWith(session, { todos: list('completed', 'in_progress', 'pending') });
    expect(viewOf(session.state).todos).toHaveLength(3);
    session.answer([call('todo')]);
    finishWith(session, { todos: list('pending') }, {}, 't1_s2_c1');
    expect(viewOf(session.state).todos).toEqual(list('pending'));
    expect(viewOf(open(session.events).state).todos).toEqual(list('pending'));
  });

  it('stands in the log before the result of its call, so that no result is without it', () => {
    const session = withCalls([call('todo')]);
    finishWith(session, { todos: list('pending') });
    const types = session.events.map(({ type }) => type);
    expect(types.indexOf('todo.updated')).toBe(types.indexOf('tool.finished') - 1);
  });
});

describe('X5: what stands after the history', () => {
  it('is nothing at most steps, so that nothing changes what a model thought about', () => {
    const session = begin({ limits: { steps: 20 } });
    session.send();
    const told: number[] = [];
    for (let step = 1; step <= 20; step++) {
      untilStep(session, step);
      if (tailOf(session.state) !== null) told.push(step);
    }
    expect(told).toEqual([11, 16, 20]);
  });

  it('says of the steps what is left, more urgently as they run out, whatever the limit is', () => {
    for (const [steps, half, quarter] of [
      [8, 5, 7],
      [20, 11, 16],
      [40, 21, 31],
    ] as const) {
      const session = begin({ limits: { steps } });
      session.send();
      untilStep(session, half);
      expect(tailOf(session.state)).toContain(`Step ${half} of ${steps}: more than half`);
      untilStep(session, quarter);
      expect(tailOf(session.state)).toContain('few are left');
      untilStep(session, steps);
      expect(tailOf(session.state)).toContain(`step ${steps} of ${steps}, the last`);
    }
  });

  it('shows the list again as a turn begins and after ten steps without a change, as long as something is open', () => {
    const session = withCalls([call('todo')], { limits: { steps: 1000 } });
    finishWith(session, { todos: list('completed', 'in_progress', 'pending') });
    expect(tailOf(session.state)).toBeNull();
    untilStep(session, 10);
    expect(tailOf(session.state)).toBeNull();
    untilStep(session, 11);
    expect(tailOf(session.state)).toBe('Your todo list, as it stands:\n[x] task 1\n[~] task 2\n[ ] task 3');
    untilStep(session, 12);
    expect(tailOf(session.state)).toBeNull();
    session.answer();
    session.send('And now?');
    expect(tailOf(session.state)).toContain('[~] task 2');
    session.answer([call('todo')]);
    finishWith(session, { todos: list('completed') }, {}, 't2_s1_c1');
    session.answer();
    session.send('Thanks.');
    expect(tailOf(session.state)).toBeNull();
  });

  it('shows of a long list what is open', () => {
    const session = withCalls([call('todo')]);
    finishWith(session, {
      todos: [...list(...Array<'completed'>(30).fill('completed')), { text: 'the last', status: 'pending' }],
    });
    session.answer();
    session.send('Go on.');
    expect(tailOf(session.state)).toBe('Your todo list, as it stands:\n[ ] the last\n(1 of 31 shown; 30 are done)');
  });
});

describe('T6: notes, tools and the end', () => {
  it('keeps notes by key until they are taken away, over a restart', () => {
    const session = withCalls([call('notes')]);
    finishWith(session, { notes: { port: '8080', host: 'fig' } });
    session.answer([call('notes')]);
    finishWith(session, { notes: { port: null, host: 'rose' } }, {}, 't1_s2_c1');
    expect([...open(session.events).state.notes]).toEqual([['host', 'rose']]);
  });

  it('remembers which tools the model found', () => {
    const session = withCalls([call('list_tools')]);
    finishWith(session, { offers: ['far_away'] });
    expect(open(session.events).state.offeredTools).toEqual(['far_away']);
  });

  it('ends the turn with the sentence and the result of the tool, and as blocked where it takes a person', () => {
    const done = withCalls([call('done')]);
    finishWith(done, {}, { endsTurn: 'Counted.', result: { files: 3 } });
    expect(done.last('turn.ended')).toMatchObject({ outcome: 'completed', message: 'Counted.', result: { files: 3 } });
    const stuck = withCalls([call('escalate')]);
    finishWith(stuck, {}, { endsTurn: 'I need a key.', isBlocked: true });
    expect(stuck.last('turn.ended')).toMatchObject({ outcome: 'blocked', message: 'I need a key.' });
  });
});
