import type { Tool } from '@pawl/engine';
import { defineTool, objectSchema } from '../tool.ts';

/** Tells the person something at once, without an answer. `details.notice` is for clients to show whole. */
export function notifyTool(): Tool {
  return defineTool<{ message: string }>({
    name: 'notify',
    description: 'Tells the user something now that should not wait for your answer. Expects no reply.',
    input: objectSchema({ message: { type: 'string', minLength: 1, maxLength: 2000 } }, ['message']),
    effect: 'read',
    run: async ({ message }) => ({ content: 'Told.', details: { notice: message } }),
  });
}
