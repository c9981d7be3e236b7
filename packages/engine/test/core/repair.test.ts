import { expect, it } from 'vitest';
import { begin, call, type Session, text, withCalls } from './support.ts';

type Messages = Session['state']['messages'];

/** A session whose turn failed after its tools, with a history that no release of ours writes; it is told to go on. */
function damaged(change: (messages: Messages) => Messages): Session {
  const session = withCalls([call('a'), call('b')]);
  for (const id of ['t1_s1_c1', 't1_s1_c2']) {
    session.judge(id);
    session.finish(id);
  }
  session.fail();
  session.state.messages = change(session.state.messages);
  session.state.checkedMessages = 0;
  session.command('turn.continue', {});
  return session;
}

const repairsOf = (session: Session) => session.last('history.repaired')?.repairs ?? [];
const rolesOf = (session: Session) => session.state.messages.map((message) => message.role);

it('X10: a call without a result gets one that says that it was lost', () => {
  const session = damaged((messages) => messages.filter((message) => message.role !== 'tool'));
  expect(repairsOf(session).map((repair) => repair.op)).toEqual(['add_result', 'add_result']);
  expect(session.results()).toMatchObject([
    { call: 't1_s1_c1', status: 'unknown' },
    { call: 't1_s1_c2', status: 'unknown' },
  ]);
  expect(rolesOf(session)).toEqual(['user', 'assistant', 'tool', 'user']);
});

it('X10: a lost result is put where its call stands among the others', () => {
  const session = damaged((messages) =>
    messages.map((message) => (message.role === 'tool' ? { ...message, results: message.results.slice(1) } : message)),
  );
  expect(session.results()).toMatchObject([
    { call: 't1_s1_c1', status: 'unknown' },
    { call: 't1_s1_c2', status: 'ok' },
  ]);
});

it('X10: results without their calls are dropped', () => {
  const session = damaged((messages) => messages.filter((message) => message.role !== 'assistant'));
  expect(repairsOf(session)).toMatchObject([
    { op: 'drop_result', call: 't1_s1_c1' },
    { op: 'drop_result', call: 't1_s1_c2' },
  ]);
  expect(rolesOf(session)).toEqual(['user']);
});

it('X10: a second result of one call is dropped and the first is kept', () => {
  const session = damaged((messages) =>
    messages.map((message) =>
      message.role === 'tool'
        ? {
            ...message,
            results: [...message.results, { call: 't1_s1_c1', tool: 'a', status: 'ok', content: 'second' }],
          }
        : message,
    ),
  );
  expect(repairsOf(session)).toMatchObject([{ op: 'drop_result', call: 't1_s1_c1' }]);
  expect(session.results().map((result) => result.content)).toEqual(['result of t1_s1_c1', 'result of t1_s1_c2']);
});

it('X10: an answer without text or calls is dropped', () => {
  const session = damaged((messages) =>
    messages
      .filter((message) => message.role !== 'tool')
      .map((message) => (message.role === 'assistant' ? { ...message, content: [] } : message)),
  );
  expect(repairsOf(session)).toMatchObject([{ op: 'drop_message' }]);
});

it('X10: a history that holds no input any more gets the task again', () => {
  const session = begin();
  session.send('The task.');
  session.fail('model_failed', [text('So far')]);
  session.state.messages = session.state.messages.filter((message) => message.role !== 'user');
  session.command('turn.retry', {});
  expect(session.said()).toEqual(['The task.']);
  expect(session.last('history.repaired')?.repairs).toMatchObject([{ op: 'restore_task' }]);
});

it('X10: a whole history needs no repair, however long it grows', () => {
  const session = begin({ limits: { steps: 100 } });
  session.send();
  for (let steps = 1; steps <= 50; steps++) {
    session.answer([call('echo', { n: String(steps) })]);
    session.judge(`t1_s${steps}_c1`);
    session.finish(`t1_s${steps}_c1`);
  }
  expect(session.count('history.repaired')).toBe(0);
  expect(session.state.checkedMessages).toBe(session.state.messages.length);
});
