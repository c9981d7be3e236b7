/** Tools for what is to outlast a session: remember, recall, forget. */
import type { Memory, Redactor, Tool } from '@pawl/engine';
import { forgetTool } from './forget.ts';
import { recallTool } from './recall.ts';
import { rememberTool } from './remember.ts';

export { projectOf } from './project.ts';

/**
 * All of them. What is written or removed is shown to the person first, unless a rule allows it; of what is written the
 * redactor takes secrets out.
 */
export function memoryTools(memory: Memory, { redact }: Pick<Redactor, 'redact'> = { redact: (text) => text }): Tool[] {
  return [forgetTool(memory), recallTool(memory), rememberTool(memory, redact)].map((tool) => ({
    ...tool,
    // What is remembered already, a session begins with.
    isEssential: tool.name === 'remember',
  }));
}
