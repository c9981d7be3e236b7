/** Events and commands as they are on the wire. */
import { z } from 'zod';
import { commandData } from './commands.ts';
import { actor, eventData, transientData } from './events.ts';

type Shapes = Record<string, z.ZodType>;

const union = <Data extends Shapes>(shapes: Data, envelope: (type: string, data: z.ZodType) => z.ZodObject) => {
  const members = Object.entries(shapes).map(([type, data]) => envelope(type, data));
  const [first, ...rest] = members;
  if (first === undefined) throw new Error('A union needs a member.');
  return z.discriminatedUnion('type', [first, ...rest]);
};

/** A durable event as it is stored and sent. */
export const eventSchema = union(eventData, (type, data) =>
  z.object({
    seq: z.number().int().min(1),
    at: z.number(),
    session: z.string(),
    type: z.literal(type),
    version: z.number().int().min(1).optional(),
    data,
    by: actor,
  }),
);

/** A transient event: number `n` after the durable event `after`. */
export const transientSchema = union(transientData, (type, data) =>
  z.object({
    after: z.number().int().min(0),
    n: z.number().int().min(1),
    session: z.string(),
    type: z.literal(type),
    data,
  }),
);

/** A command as a client sends it. */
export const commandSchema = union(commandData, (type, data) =>
  z.object({
    id: z.string().min(1).max(200),
    session: z.string(),
    by: actor.pick({ kind: true, id: true }),
    type: z.literal(type),
    data,
  }),
);
