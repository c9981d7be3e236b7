/** Tools for what is to outlast a session: remember, recall, forget. */
import type { Memory, Tool } from '@pawl/engine';
import { forgetTool } from './forget.ts';
import { recallTool } from './recall.ts';
import { rememberTool } from './remember.ts';

export { projectOf } from './project.ts';

/** All of them. What is written or removed is shown to the person first, unless a rule allows it. */
export function memoryTools(memory: Memory): Tool[] {
  return [forgetTool(memory), recallTool(memory), rememberTool(memory)].map((tool) => ({ ...tool, isEssential: true }));
}
