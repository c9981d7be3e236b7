/** How a task ends: with what it gives its owner, or with a question to it. */
import type { Tool } from '@pawl/engine';
import type { Json, JsonObject } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';
import { tasksOf } from './task.ts';

type Complete = {
  summary: string;
  files_changed?: string[];
  verification?: string[];
  limitations?: string[];
  risks?: string[];
  follow_ups?: string[];
  artifacts?: string[];
  result?: Json;
};

const lines = (description: string) => ({ type: 'array', items: { type: 'string' }, description });

/** The only way for a task to end well: with an account of what it did. */
export function completeTool(): Tool {
  return defineTool<Complete & JsonObject>({
    name: 'complete',
    description:
      'Ends your task. Only this reaches whoever asked for it: say in the summary all that they need, and what they cannot rely on.',
    input: objectSchema(
      {
        summary: { type: 'string', minLength: 1, maxLength: 20_000 },
        files_changed: lines('Paths that you changed.'),
        verification: lines('What you ran to see that it is right, and what came of it.'),
        limitations: lines('What is not done.'),
        risks: lines('What may be wrong with it.'),
        follow_ups: lines('What should be done next.'),
        result: { type: 'object', description: 'The result, where a JSON Schema of one was given to you.' },
        artifacts: lines('Paths or links of what you made for others to look at.'),
      },
      ['summary'],
    ),
    effect: 'read',
    audience: 'task',
    beginsEarly: false,
    subject: ({ summary }) => summary,
    run: async (input, context) => {
      const open = tasksOf(context)
        .list()
        .filter(({ report }) => report === null);
      if (open.length > 0) {
        const names = open.map(({ task }) => task).join(', ');
        return {
          content: `You have tasks that are not done: ${names}. Wait for them or cancel them first.`,
          isError: true,
        };
      }
      const envelope = {
        summary: input.summary,
        filesChanged: input.files_changed ?? [],
        verification: input.verification ?? [],
        limitations: input.limitations ?? [],
        risks: input.risks ?? [],
        followUps: input.follow_ups ?? [],
        artifacts: input.artifacts ?? [],
        ...(input.result !== undefined && { result: input.result }),
      };
      return { content: 'The task ends here.', endsTurn: input.summary, envelope };
    },
  });
}

/** Gives the task back to its owner with a question; it goes on when that is answered. */
export function askOwnerTool(): Tool {
  return defineTool<{ question: string }>({
    name: 'ask_owner',
    description:
      'Stops your work with a question to whoever asked for it, when you cannot decide and must not guess. You go on with their answer.',
    input: objectSchema({ question: { type: 'string', minLength: 1, maxLength: 4000 } }, ['question']),
    effect: 'read',
    audience: 'task',
    beginsEarly: false,
    subject: ({ question }) => question,
    run: async ({ question }) => ({ content: 'Your owner is asked.', endsTurn: question, isBlocked: true }),
  });
}
