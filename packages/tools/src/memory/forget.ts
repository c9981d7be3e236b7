import type { Memory, Tool } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import { escapeInvisible } from '../escape.ts';
import { defineTool, objectSchema } from '../tool.ts';

/** Removes a note. */
export function forgetTool(memory: Memory): Tool {
  return defineTool<{ id: string }>({
    name: 'forget',
    description: 'Removes a note of earlier sessions that is wrong or out of date, by its id.',
    input: objectSchema({ id: { type: 'string', minLength: 1, maxLength: 100 } }, ['id']),
    // Removing what is gone already changes nothing.
    effect: 'idempotent',
    subject: ({ id }) => id,
    approval: () => true,
    async plan({ id }) {
      const note = (await memory.list()).find((each) => each.id === id);
      if (note === undefined) throw new PawlError('no_note', `There is no note ${id}. Look for it with recall.`);
      return { preview: { kind: 'text', text: `To be forgotten:\n${escapeInvisible(note.text)}` } };
    },
    async run({ id }) {
      await memory.remove(id).catch((error: unknown) => {
        if (!isPawlError(error, 'no_note')) throw error;
      });
      return { content: `Forgotten: ${id}.` };
    },
  });
}
