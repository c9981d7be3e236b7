/** Parts for building your own log, so that it names, finds and refuses as the logs of this package do. */

export { digestOf, digestsIn } from './digest.ts';
export { type Changes, createChanges, follow } from './follow.ts';
export { conflict, decodeWhole, encodeRecord, logClosed, type StoredRecord, sessionLocked } from './record.ts';
export { saidIn, type Traits, traitsOf } from './traits.ts';
export { wordsOf } from './words.ts';
