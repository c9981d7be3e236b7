import { z } from 'zod';

/** For whom a session works, where it came in, and which step of which workflow it is. */
export const origin = z.object({
  user: z.string().min(1).optional(),
  channel: z.string().min(1).optional(),
  workflow: z.object({ slug: z.string().min(1), step: z.string().min(1) }).optional(),
});
