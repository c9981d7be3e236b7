/** The log on SQLite and in memory. The suite that any log must pass is `@pawl/storage/conformance`. */

export { memoryLog } from './memory.ts';
export { type SqliteMemoryOptions, sqliteMemory } from './notes/sqlite.ts';
export { type SqliteLogOptions, sqliteLog } from './sqlite/log.ts';
