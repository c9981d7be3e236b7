import { expect, it } from 'vitest';
import { begin, codeOf } from './support.ts';

const input = (value: string) => ({ content: [{ type: 'text' as const, text: value }], delivery: 'queue' as const });

it('accepts the same command once, and answers it alike the second time', () => {
  const session = begin();
  session.command('input.send', input('Go.'), { id: 'x' });
  const { seq } = session.state.commands.get('x') ?? {};
  session.answer();
  expect(session.command('input.send', input('Go.'), { id: 'x' })).toEqual({ type: 'duplicate', seq });
  expect(session.said()).toEqual(['Go.']);
});

it('refuses another command under an id already used (scenario 8)', () => {
  const session = begin();
  session.command('input.send', input('Go.'), { id: 'x' });
  expect(codeOf(session.command('input.send', input('Stop.'), { id: 'x' }))).toBe('command_id_reused');
  expect(codeOf(session.command('session.pause', {}, { id: 'x' }))).toBe('command_id_reused');
  expect(session.state.isPaused).toBe(false);
});

it('lets a command that was refused be sent again under its id', () => {
  const session = begin();
  expect(codeOf(session.command('turn.cancel', { queue: 'run' }, { id: 'x' }))).toBe('no_turn');
  session.send();
  expect(codeOf(session.command('turn.cancel', { queue: 'run' }, { id: 'x' }))).toBe('accepted');
});

it('knows a command again after a restart', () => {
  const session = begin();
  session.command('input.send', input('Go.'), { id: 'x' });
  session.reopen();
  expect(codeOf(session.command('input.send', input('Go.'), { id: 'x' }))).toBe('duplicate');
});

it('writes who asked into the events of a command, and the engine into what follows from it', () => {
  const session = begin();
  session.command('input.send', input('Go.'), { id: 'x' });
  const [, queued, started] = session.events;
  expect(queued?.by).toMatchObject({ kind: 'human', id: 'ann', command: 'x' });
  expect(started?.by).toEqual({ kind: 'engine', id: 'pawl' });
});
