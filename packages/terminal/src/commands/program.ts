/** Commands that are commands of the program as well, about the session that is shown. */
import type { Command, Commander } from './command.ts';

const noSession = 'There is no session yet: it begins with your first input.';

export const programCommands: readonly Command[] = [
  reverting('undo', 'take back the file changes of the last turn'),
  reverting('redo', 'do undone file changes again'),
  of('context', 'what the model sees, region by region', (id) => ['context', id]),
  of('permissions', 'the rules that hold here', (id) => ['policy', 'list', '-s', id]),
  of(
    'export',
    'write the session as Markdown, HTML or JSON',
    (id, [file = `${id}.md`]) => ['sessions', 'export', id, '-o', file],
    '[file]',
  ),
  {
    name: 'memory',
    hint: '[words]',
    description: 'the notes that sessions begin with',
    run: (words, at) => show(at, words === '' ? ['memory', 'list'] : ['memory', 'search', ...words.split(/\s+/)]),
  },
  { name: 'usage', description: 'tokens and cost of all sessions', run: (_, at) => show(at, ['usage']) },
  { name: 'doctor', description: 'check configuration, keys, data and tools', run: (_, at) => show(at, ['doctor']) },
];

function of(
  name: string,
  description: string,
  words: (session: string, given: string[]) => readonly string[],
  hint?: string,
): Command {
  return {
    name,
    description,
    ...(hint !== undefined && { hint }),
    async run(given, at) {
      const session = at.session();
      if (session === null) at.notice(noSession);
      else await show(at, words(session.id, given === '' ? [] : given.split(/\s+/)));
    },
  };
}

async function show(at: Commander, words: readonly string[]): Promise<void> {
  const { output, isOk } = await at.home().program(words);
  at.notice(output.trimEnd() === '' ? 'Done.' : output.trimEnd(), isOk ? 'plain' : 'warning');
}

function reverting(name: 'undo' | 'redo', description: string): Command {
  return {
    name,
    description,
    async run(_, at) {
      const session = at.session();
      const left = session === null ? noSession : await at.home().revert(session.id, name);
      if (left !== '') at.notice(left, 'warning');
    },
  };
}
