/** What the agent declares about its work: stage, todos, notes, plan, and the tools that it found. */
import type { DurableEvent } from '@pawl/protocol';
import type { State } from '../state.ts';

export function evolveWork(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'stage.declared':
      state.stage = event.data.stage;
      break;
    case 'todo.updated':
      state.todos = { items: event.data.todos, age: 0 };
      break;
    case 'step.started':
      state.todos.age += 1;
      break;
    case 'note.set':
      if (event.data.value === null) state.notes.delete(event.data.key);
      else state.notes.set(event.data.key, event.data.value);
      break;
    case 'plan.written':
      state.plan = event.data.text;
      break;
    case 'plan.accepted':
      state.plan = null;
      break;
    case 'tools.offered':
      state.offeredTools = [...new Set([...state.offeredTools, ...event.data.tools])];
      break;
  }
}
