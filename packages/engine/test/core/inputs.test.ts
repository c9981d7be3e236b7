import { expect, it } from 'vitest';
import { agent, begin, call, codeOf, open, text, withCalls } from './support.ts';

const content = (value: string) => [{ type: 'text' as const, text: value }];

it('E5: a queued input waits for the turn to end, and is reported when it is taken', () => {
  const session = begin();
  session.send('First.');
  const second = session.send('Second.');
  expect(session.said()).toEqual(['First.']);
  session.answer();
  expect(session.said()).toEqual(['First.', 'Second.']);
  expect(session.last('message.added')).toMatchObject({ message: { input: second, source: 'input' } });
  expect(session.last('turn.started')).toMatchObject({ turn: 2, cause: 'input', input: second });
});

it('E5: a steering input is taken before the next call of the model', () => {
  const session = withCalls([call()]);
  session.send('By the way.', 'steer');
  session.judge('t1_s1_c1');
  expect(session.said()).toEqual(['Go.']);
  session.finish('t1_s1_c1');
  expect(session.said()).toEqual(['Go.', 'By the way.']);
  expect(session.due()).toEqual(['model:t1_s2_a1 run']);
});

it('E5: a steering input that comes too late for its turn starts the next', () => {
  const session = begin();
  session.send();
  session.send('By the way.', 'steer');
  session.answer();
  expect(session.last('turn.started')).toMatchObject({ turn: 2 });
});

it('E5: an interrupting input cancels the turn and runs before what was queued', () => {
  const session = begin();
  session.send('First.');
  session.send('Second.');
  session.send('Now!', 'interrupt');
  expect(session.due()).toEqual(['model:t1_s1_a1 stop']);
  session.fail('cancelled');
  expect(session.said()).toEqual(['First.', 'Now!']);
  expect(session.last('turn.ended')?.message).toContain('Interrupted by a new input');
});

it('E5: a rejecting input is refused while a turn runs, with the name of whoever started it', () => {
  const session = begin();
  session.send('First.');
  const data = { content: content('Second.'), delivery: 'reject' as const };
  const decision = session.command('input.send', data, { by: agent });
  expect(decision).toMatchObject({ type: 'refused', code: 'busy' });
  expect(decision).toHaveProperty('message', expect.stringContaining('ann'));
  session.answer();
  expect(codeOf(session.command('input.send', data))).toBe('accepted');
});

it('E5: a queued input can be edited and removed until it is taken', () => {
  const session = begin();
  session.send('First.');
  const second = session.send('Second.');
  const third = session.send('Third.');
  session.command('input.edit', { input: second, content: content('Better.') });
  session.command('input.remove', { input: third });
  session.answer();
  session.answer();
  expect(session.said()).toEqual(['First.', 'Better.']);
  expect(session.state.queue).toEqual([]);
  expect(codeOf(session.command('input.edit', { input: second, content: content('Too late.') }))).toBe('input_taken');
  expect(codeOf(session.command('input.remove', { input: third }))).toBe('input_taken');
});

it('E5: context is added without a turn, and in a running one between its steps', () => {
  const session = begin();
  session.command('context.add', { content: content('$ ls') });
  expect(session.state.turn).toBeNull();
  expect(session.said()).toEqual(['$ ls']);
  session.send();
  session.answer([call()]);
  session.command('context.add', { content: content('$ pwd') });
  expect(session.said()).toEqual(['$ ls', 'Go.']);
  session.judge('t1_s1_c1');
  session.finish('t1_s1_c1');
  expect(session.said()).toEqual(['$ ls', 'Go.', '$ pwd']);
});

it('S1: files that a person put back are known as they are, and the model is told', () => {
  const session = withCalls([call()]);
  session.judge('t1_s1_c1', { effect: 'write' });
  session.finish('t1_s1_c1', { details: { files: { '/w/a': 'sha256-2', '/w/b': 'sha256-3' } } });
  session.answer();
  const report = {
    direction: 'undo' as const,
    files: { '/w/a': 'sha256-1', '/w/b': null },
    content: content('Put back.'),
  };
  expect(codeOf(session.command('files.report', report, { by: agent }))).toBe('human_only');
  expect(codeOf(session.command('files.report', { ...report, content: content('') }))).toBe('empty_input');
  expect(session.last('files.reverted')).toBeNull();
  session.command('files.report', report, { id: 'f1' });
  expect(codeOf(session.command('files.report', report, { id: 'f1' }))).toBe('duplicate');
  expect(session.last('files.reverted')).toEqual({ direction: 'undo', files: report.files });
  expect([...session.state.files]).toEqual([
    ['/w/a', 'sha256-1'],
    ['/w/b', null],
  ]);
  expect(session.said()).toContain('Put back.');
});

it('E5: a turn can be started without a message, and only then', () => {
  const session = begin();
  expect(codeOf(session.command('turn.continue', {}))).toBe('nothing_to_continue');
  session.send();
  expect(codeOf(session.command('turn.continue', {}))).toBe('busy');
  session.cancel();
  session.fail('cancelled');
  session.command('turn.continue', {});
  expect(session.last('turn.started')).toEqual({ turn: 2, cause: 'continue' });
  expect(session.said()).toEqual(['Go.']);
});

it('E5: continuing after an answer asks the model to go on', () => {
  const session = begin();
  session.send();
  session.answer();
  session.command('turn.continue', {});
  expect(session.state.messages.at(-1)).toMatchObject({ role: 'user', source: 'engine' });
});

it('E5: thinking alone is not kept of an interrupted answer', () => {
  const session = begin();
  session.send();
  session.cancel();
  session.fail('cancelled', [{ type: 'thinking', text: 'Hm.' }]);
  session.command('turn.continue', {});
  expect(session.state.messages.map((message) => message.role)).toEqual(['user']);
});

it('E5: an interrupted message of thinking alone that a log holds is dropped before the turn is continued', () => {
  const before = begin();
  before.send();
  before.cancel();
  before.fail('cancelled', [text('Hm.')]);
  const log = structuredClone(before.events);
  for (const { data } of log) {
    if ('message' in data && typeof data.message === 'object' && data.message.role === 'assistant') {
      data.message.content = [{ type: 'thinking', text: 'Hm.' }];
    }
  }
  const session = open(log);
  session.command('turn.continue', {}, { id: 'new' });
  expect(session.last('history.repaired')).toMatchObject({ repairs: [{ op: 'drop_message' }] });
  expect(session.state.messages.map((message) => message.role)).toEqual(['user']);
});

it('E5: queued inputs survive a restart', () => {
  const session = begin();
  session.send('First.');
  session.send('Second.');
  session.reopen();
  expect(session.state.queue.map((input) => input.content)).toEqual([content('Second.')]);
});

it.each(['', '  \n'])('E5: an empty input (%j) is refused', (value) => {
  const session = begin();
  expect(codeOf(session.command('input.send', { content: content(value), delivery: 'queue' }))).toBe('empty_input');
  expect(codeOf(session.command('context.add', { content: content(value) }))).toBe('empty_input');
});

it('takes inputs of one session in the order in which they were sent', () => {
  const session = begin();
  for (const value of ['1', '2', '3']) session.send(value);
  for (let turns = 0; turns < 3; turns++) session.answer([text()]);
  expect(session.said()).toEqual(['1', '2', '3']);
});
