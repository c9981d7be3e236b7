/** What surrounds the work and goes before the conversation: instructions, the place, what is remembered. */
import { z } from 'zod';

/** One piece of the system prompt. */
export const fragment = z.object({
  region: z.enum(['system', 'environment', 'instructions', 'memory']),
  name: z.string(),
  text: z.string(),
  /** The file that it is from. */
  source: z.string().optional(),
});
