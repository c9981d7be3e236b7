/** The log, for commands that look at it or change it without a model. */
import type { Storage } from '@pawl/engine';
import { sqliteLog } from '@pawl/storage';
import { databasePath } from '../home.ts';

export async function withLog<Value>(use: (log: Storage) => Promise<Value>): Promise<Value> {
  const log = sqliteLog({ path: databasePath() });
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}
