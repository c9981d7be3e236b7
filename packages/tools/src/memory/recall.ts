import type { Memory, MemoryNote, Tool } from '@pawl/engine';
import { memoryText } from '../surroundings/remembered.ts';
import { defineTool, objectSchema } from '../tool.ts';

const most = 20;

/** Looks for notes of earlier sessions. */
export function recallTool(memory: Memory): Tool {
  return defineTool<{ query: string }>({
    name: 'recall',
    description: 'Looks for notes of earlier sessions by their words. The closest come first.',
    input: objectSchema({ query: { type: 'string', minLength: 1, maxLength: 500 } }, ['query']),
    effect: 'read',
    subject: ({ query }) => query,
    async run({ query }, { cwd }) {
      const notes = await memory.search(query, { cwd, limit: most });
      if (notes.length === 0) return { content: 'Nothing is remembered of that.' };
      return { content: memoryText(notes.map(lineOf)), details: { count: notes.length } };
    },
  });
}

function lineOf({ id, text, at, by, folder }: MemoryNote): string {
  const where = folder === null ? 'everywhere' : 'this project';
  return `- ${text} (${id}, ${where}, noted ${new Date(at).toISOString().slice(0, 10)} by ${by.id})`;
}
