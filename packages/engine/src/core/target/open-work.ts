/** What of the agent's work is not done yet. */
import { todoLine } from '@pawl/protocol';
import type { State } from '../state.ts';
import { openTasks } from '../tasks/tasks.ts';

/** Shown of a long list. */
const maxShown = 10;

/** What is open, a line each; a turn with a target does not end well before this is empty. */
export function openWork(state: State): string[] {
  const todos = state.todos.items.filter(({ status }) => status !== 'completed').map(todoLine);
  return [...todos, ...openTasks(state).map(({ id, status }) => `task ${id} (${status.replaceAll('_', ' ')})`)];
}

/** `Still open: …`, shortened; null if nothing is. */
export function openWorkText(state: State): string | null {
  const open = openWork(state);
  if (open.length === 0) return null;
  const more = open.length > maxShown ? ` (and ${open.length - maxShown} more)` : '';
  return `Still open: ${open.slice(0, maxShown).join('; ')}${more}.`;
}
