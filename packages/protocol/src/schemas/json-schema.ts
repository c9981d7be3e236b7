import { z } from 'zod';
import { protocolVersion } from '../versions.ts';
import { commandSchema, eventSchema, transientSchema } from './wire.ts';

/** The whole protocol as one JSON Schema (2020-12), for clients in other languages: `schema.json` of this package. */
export function protocolJsonSchema(): object {
  const schema = z.union([
    eventSchema.meta({ id: 'Event' }),
    transientSchema.meta({ id: 'TransientEvent' }),
    commandSchema.meta({ id: 'Command' }),
  ]);
  return { title: `Pawl protocol, version ${protocolVersion}`, ...z.toJSONSchema(schema, { io: 'input' }) };
}
