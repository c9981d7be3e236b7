import { join } from 'node:path';
import type { Memory } from '@pawl/engine';
import { sqliteMemory } from '@pawl/storage';
import { dataFolder } from '../home.ts';

/** What is remembered beyond sessions: a file beside theirs, which is made with its first note. */
export const openMemory = (environment: NodeJS.ProcessEnv = process.env): Memory =>
  sqliteMemory({ path: join(dataFolder(environment), 'memory.db') });
