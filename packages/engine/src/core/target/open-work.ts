/** The agent's open work: todos and tasks that are not done. */
import { todoLine } from '@pawl/protocol';
import type { State } from '../state.ts';
import { openTasks } from '../tasks/tasks.ts';

/** Entries shown of a long list. */
const maxShown = 10;

/** Open work, one line each. A turn with a target is not completed before this is empty. */
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
