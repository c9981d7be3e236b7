import type { Tool } from '@pawl/engine';
import type { Todo } from '@pawl/protocol';
import { defineTool, objectSchema } from '../tool.ts';
import { changesSession } from './changes-session.ts';

type TodoInput = { todos: Todo[] };

const maxTodos = 50;
const longestTodo = 300;
const statuses: readonly Todo['status'][] = ['pending', 'in_progress', 'completed'];

/** Replaces the agent's list, whole, so that it can never be half of one and half of another. */
export function todoTool(): Tool {
  return defineTool<TodoInput>({
    name: 'todo',
    description:
      'Replaces your todo list, which the user sees. Use it for work of several steps: one entry in_progress at a time, each completed as soon as it is. An empty list takes it away.',
    input: objectSchema(
      {
        todos: {
          type: 'array',
          maxItems: maxTodos,
          items: objectSchema(
            { text: { type: 'string', minLength: 1, maxLength: longestTodo }, status: { enum: [...statuses] } },
            ['text', 'status'],
          ),
        },
      },
      ['todos'],
    ),
    ...changesSession,
    run: async ({ todos }) => ({ content: summary(todos), todos }),
  });
}

/** The model has the list already: it has just written it. */
function summary(todos: readonly Todo[]): string {
  const open = todos.filter(({ status }) => status !== 'completed').length;
  if (todos.length === 0) return 'The list is empty.';
  return open === 0 ? `All ${todos.length} are done.` : `${todos.length - open} of ${todos.length} are done.`;
}
