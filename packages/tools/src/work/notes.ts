import type { Tool, ToolContext, ToolOutcome } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';
import { changesSession } from './changes-session.ts';

type NotesInput = { action: 'set' | 'get' | 'list' | 'remove'; key?: string; value?: string };

const maxNotes = 100;
const longestKey = 100;
const longestValue = 8000;

/** Key and value for as long as the session lasts: what must not be lost when the conversation is shortened. */
export function notesTool(): Tool {
  return defineTool<NotesInput>({
    name: 'notes',
    description:
      'Notes of this session, by key: set, get, list, remove. They outlast a shortened conversation and a restart.',
    input: objectSchema(
      {
        action: { enum: ['set', 'get', 'list', 'remove'] },
        key: { type: 'string', minLength: 1, maxLength: longestKey },
        value: { type: 'string', maxLength: longestValue },
      },
      ['action'],
    ),
    ...changesSession,
    effect: ({ action }) => (action === 'set' || action === 'remove' ? changesSession.effect : 'read'),
    subject: ({ action, key }) => (key === undefined ? action : `${action} ${key}`),
    run,
  });
}

async function run(input: NotesInput, { notes = new Map() }: ToolContext): Promise<ToolOutcome> {
  if (input.action === 'list') return { content: listed(notes) };
  const { key } = input;
  if (key === undefined) throw new PawlError('no_key', `To ${input.action} a note, give its key.`);
  switch (input.action) {
    case 'get': {
      const value = notes.get(key);
      if (value === undefined) throw new PawlError('no_note', `There is no note "${key}". ${listed(notes)}`);
      return { content: value };
    }
    case 'remove':
      if (!notes.has(key)) throw new PawlError('no_note', `There is no note "${key}". ${listed(notes)}`);
      return { content: `Removed "${key}".`, notes: { [key]: null } };
    case 'set': {
      const { value } = input;
      if (value === undefined) throw new PawlError('no_value', `To set "${key}", give its value.`);
      if (!notes.has(key) && notes.size >= maxNotes) {
        throw new PawlError(
          'too_many_notes',
          `There are ${maxNotes} notes already. Remove one that is not needed any more.`,
        );
      }
      return { content: `Noted "${key}".`, notes: { [key]: value } };
    }
    default:
      return input.action satisfies never;
  }
}

function listed(notes: ReadonlyMap<string, string>): string {
  if (notes.size === 0) return 'There are no notes.';
  const keys = [...notes].sort(([one], [other]) => (one < other ? -1 : 1));
  return `Notes:\n${keys.map(([key, value]) => `- ${key} (${value.length} characters)`).join('\n')}`;
}
