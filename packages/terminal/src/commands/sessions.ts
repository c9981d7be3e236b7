/** Commands about the session: which one, its name, its queue. */
import { textOf } from '@pawl/protocol';
import type { Command, Commander } from './command.ts';

export const sessionCommands: readonly Command[] = [
  { name: 'quit', description: 'leave; the session goes on with pawl -c', run: (_, at) => at.leave() },
  {
    name: 'new',
    description: 'begin another conversation with your next input',
    run(_, at) {
      at.leaveSession();
      at.notice('The next input begins a new session.');
    },
  },
  {
    name: 'resume',
    hint: '[session]',
    description: 'go on with another session',
    async run(words, at) {
      const chosen = words === '' ? await at.choose('Go on with', await at.home().sessions(), at.session()?.id) : words;
      if (chosen !== null && chosen !== at.session()?.id) await at.enter(chosen);
    },
  },
  {
    name: 'continue',
    description: 'go on with a turn that was cut, or with what is paused',
    async run(_, at) {
      const session = await at.needSession();
      await session.command(at.model().isPaused ? 'session.resume' : 'turn.continue', {});
    },
  },
  {
    name: 'rename',
    hint: '<name>',
    description: 'give the session a name',
    async run(words, at) {
      await (await at.needSession()).command('session.rename', { title: words });
      at.notice(`The session is called ${words} now.`);
    },
  },
  {
    name: 'compact',
    hint: '[focus]',
    description: 'summarise the history now',
    async run(words, at) {
      await (await at.needSession()).command('context.compact', words === '' ? {} : { focus: words });
    },
  },
  {
    name: 'fork',
    description: 'go on in a copy of this session, whole or up to one of your inputs',
    run: (_, at) => goBack(at, 'Copy up to', true),
  },
  {
    name: 'rewind',
    description: 'go back to before one of your inputs, in a copy; files stay (/undo puts them back)',
    run: (_, at) => goBack(at, 'Go back to before', false),
  },
];

/** A copy of the session that ends before an input, which comes back to be written anew. */
async function goBack(at: Commander, title: string, offersAll: boolean): Promise<void> {
  const { id } = await at.needSession();
  const events = await at.client().read(id);
  const inputs = events.flatMap((event) => {
    if (event.type !== 'message.added' || event.data.message.role !== 'user') return [];
    const { source, content } = event.data.message;
    return source === 'input' ? [{ value: `m${event.seq}`, label: textOf(content) }] : [];
  });
  const whole = offersAll ? [{ value: '', label: 'all of it' }] : [];
  const chosen = await at.choose(title, [...whole, ...inputs.reverse()]);
  if (chosen === null) return;
  const { session, draft } = await at.client().fork(id, chosen === '' ? {} : { beforeMessage: chosen });
  await at.enter(session);
  if (draft !== null) at.compose(textOf(draft));
  at.notice(`This is session ${session}, a copy of ${id}.`);
}
