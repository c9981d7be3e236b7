import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Migration, migrate, refuseForeign } from './migrations.ts';
import { withNumberedParameters } from './numbered-parameters.ts';

const busyTimeoutMs = 5000;

/** Opens the database, ready to use and in the newest shape. */
export function connect(path: string, isPowerLossSafe: boolean, steps: readonly Migration[]): DatabaseSync {
  const database = withNumberedParameters(new DatabaseSync(path, { timeout: busyTimeoutMs }));
  try {
    refuseForeign(database, steps, path);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(isPowerLossSafe ? 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON' : 'PRAGMA synchronous = NORMAL');
    // What is deleted is gone from the file too, so that salvage never brings it back.
    database.exec('PRAGMA secure_delete = ON');
    migrate(database, steps, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs `work` in one transaction that no other writer can cut into; inside another one, as a part that fails alone. */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  const [begin, commit, rollback] = database.isTransaction
    ? ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part; RELEASE part']
    : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'];
  database.exec(begin);
  try {
    const result = work();
    database.exec(commit);
    return result;
  } catch (error) {
    // A full disk ends the transaction by itself.
    if (database.isTransaction) database.exec(rollback);
    throw error;
  }
}

/** All rows of a statement whose columns are those of `Row`. */
export function rowsOf<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values) as unknown as Row[];
}

/** The first row of a statement whose columns are those of `Row`. */
export function rowOf<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
  return statement.get(...values) as unknown as Row | undefined;
}

/** SQL for the keys of session number `number`, after `seq` and up to its end. */
export const keysAfter = (number: string, seq: string): string =>
  `(key > ((${number} << 32) | ${seq}) AND key <= ((${number} << 32) | 4294967295))`;
