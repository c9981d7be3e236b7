import type { Tool } from '@pawl/engine';
import { defineTool, objectSchema } from '../tool.ts';

const longestPlan = 40_000;

/** Ends the turn with a plan; a person says who carries it out. */
export function planTool(): Tool {
  return defineTool<{ plan: string }>({
    name: 'propose_plan',
    description:
      'Ends the turn with your plan, in Markdown. The person decides who carries it out, so it must say everything by itself.',
    input: objectSchema({ plan: { type: 'string', minLength: 1, maxLength: longestPlan } }, ['plan']),
    effect: 'read',
    run: async ({ plan }) => ({
      content: 'The plan is with the person. The turn ends here.',
      endsTurn: plan,
      result: { plan },
      plan,
    }),
  });
}
