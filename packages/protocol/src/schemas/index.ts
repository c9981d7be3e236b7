/** Zod schemas of everything on the wire. Apart from the types, because zod takes some 75 ms to load. */
export { commandData } from './commands.ts';
export { compactionCause, compactionSettings } from './compaction.ts';
export * from './content.ts';
export * from './events.ts';
export { protocolJsonSchema } from './json-schema.ts';
export * from './judgement.ts';
export * from './mail.ts';
export * from './origin.ts';
export * from './settings.ts';
export * from './surroundings.ts';
export * from './tasks.ts';
export * from './turn-options.ts';
export { commandSchema, eventSchema, transientSchema } from './wire.ts';
export * from './work.ts';
