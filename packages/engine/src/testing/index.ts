/** The engine's own parts, for tests and simulators that wrap them and give them back as `HostOptions.internals`; and files to send. */

export { schemaProblems } from '../registry/validate.ts';
export type { EffectContext, Runners } from '../runtime/effects/effect.ts';
export { runners } from '../runtime/effects/index.ts';
export type { Core } from '../runtime/session.ts';
export { core } from '../runtime/session.ts';
export { pdfOf, pngOf } from './files.ts';
