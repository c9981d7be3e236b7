import type { Tool } from '@pawl/engine';
import { defineTool, objectSchema } from '../tool.ts';

/** Declares what the agent is at, for whoever watches. */
export function stageTool(): Tool {
  return defineTool<{ stage: string }>({
    name: 'stage',
    description: 'Says in a word or two what you are at now, such as exploring, planning, executing, reviewing.',
    input: objectSchema({ stage: { type: 'string', minLength: 1, maxLength: 60 } }, ['stage']),
    effect: 'read',
    run: async ({ stage }) => ({ content: `Stage: ${stage}.`, stage }),
  });
}
