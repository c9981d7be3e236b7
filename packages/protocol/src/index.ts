/** What clients and engine say to each other. Types only, but for errors and versions; schemas have an entry of their own. */

export { mayAnswer } from './approvers.ts';
export { bounds, commandDefaults, defaultIterations } from './bounds.ts';
export type * from './client.ts';
export { isPawlError, messageOf, PawlError, toPawlError } from './errors.ts';
export { isWiderMode, permissionModes, stricterMode } from './modes.ts';
export { type DescribedSchema, jsonSchemaOf, type OutputSchema, type ResultOf, resultBy } from './output-schema.ts';
export { resultText, untrusted, untrustedNotice } from './outside.ts';
export { sessionShortcuts } from './session-shortcuts.ts';
export { isTaskAtRest, isTaskEnded } from './task-status.ts';
export { textOf, todoLine } from './text.ts';
export type * from './types.ts';
export { eventVersions, protocolVersion, upgradeEvent } from './versions.ts';
