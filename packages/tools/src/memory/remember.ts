import type { Memory, Tool } from '@pawl/engine';
import { escapeInvisible } from '../escape.ts';
import { defineTool, objectSchema } from '../tool.ts';
import { projectOf } from './project.ts';

type Input = { note: string; scope?: 'project' | 'user'; source?: string };

const longestNote = 2000;
const longestSource = 1000;

/** Writes a note that later sessions begin with. */
export function rememberTool(memory: Memory, redact: (text: string) => string): Tool {
  return defineTool<Input>({
    name: 'remember',
    description:
      'Keeps a note for later sessions, of this project or (scope user) everywhere: what the person prefers or decided, what you found out the hard way. One fact a note, whole by itself. Never secrets, nor what the files say anyway.',
    input: objectSchema(
      {
        note: { type: 'string', minLength: 1, maxLength: longestNote },
        scope: { enum: ['project', 'user'] },
        source: { type: 'string', maxLength: longestSource, description: 'the words it rests on' },
      },
      ['note'],
    ),
    // The same call adds once, so it can be made again after a crash.
    effect: 'idempotent',
    subject: ({ note }) => note,
    approval: () => true,
    plan: async ({ note, scope = 'project', source }, { cwd }) => ({
      preview: {
        kind: 'text',
        text: [
          scope === 'user'
            ? 'To be remembered everywhere:'
            : `To be remembered in ${escapeInvisible(await projectOf(cwd))}:`,
          escapeInvisible(redact(note)),
          ...(source === undefined ? [] : [`It rests on: ${escapeInvisible(redact(source))}`]),
        ].join('\n'),
      },
    }),
    async run({ note, scope = 'project', source }, { cwd, session, call, agent = 'agent' }) {
      const { id } = await memory.add({
        text: redact(note),
        folder: scope === 'user' ? null : await projectOf(cwd),
        by: { kind: 'agent', id: agent },
        session,
        call,
        source: source === undefined ? null : redact(source),
      });
      return { content: `Remembered as ${id}.` };
    },
  });
}
