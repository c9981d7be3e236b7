/** Zod schemas of everything on the wire. Apart from the types, because zod takes some 75 ms to load. */
export { commandData } from './commands.ts';
export * from './content.ts';
export * from './events.ts';
export { protocolJsonSchema } from './json-schema.ts';
export * from './judgement.ts';
export * from './settings.ts';
export * from './tasks.ts';
export { commandSchema, eventSchema, transientSchema } from './wire.ts';
export * from './work.ts';
