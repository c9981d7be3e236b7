import type { Tool } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';

const sentence = { type: 'string', minLength: 1, maxLength: 2000 };

/** Ends the turn with a sentence, and with a result that a program can read. */
export function doneTool(): Tool {
  return defineTool<{ message: string; result?: JsonObject }>({
    name: 'done',
    description:
      'Ends the turn with a sentence and, where one was asked for, a result as data. Without a result just stop calling tools.',
    input: objectSchema({ message: sentence, result: { type: 'object' } }, ['message']),
    effect: 'read',
    subject: ({ message }) => message,
    run: async ({ message, result }) => ({
      content: 'The turn ends here.',
      endsTurn: message,
      ...(result !== undefined && { result }),
    }),
  });
}

/** Ends the turn because it takes a person to go on. Where somebody is there, a question does not end anything. */
export function escalateTool(): Tool {
  return defineTool<{ need: string }>({
    name: 'escalate',
    description: 'Ends the turn because you cannot go on without a person: say what you need and why. Try ask first.',
    input: objectSchema({ need: sentence }, ['need']),
    effect: 'read',
    run: async ({ need }) => ({ content: 'The turn ends here.', endsTurn: need, isBlocked: true }),
  });
}
