import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/**
 * Node 22 takes `?1` for the name of a parameter, and refuses to bind it by its place. There, such statements get
 * parameters that it knows as named, and the values by these names. Newer ones are left as they are.
 */
export function withNumberedParameters(database: DatabaseSync, isNeeded = takesThemForNames(database)): DatabaseSync {
  if (!isNeeded) return database;
  const prepare = database.prepare.bind(database);
  database.prepare = (sql, ...options) => {
    if (!/\?\d/.test(sql)) return prepare(sql, ...options);
    const statement = prepare(sql.replace(/\?(\d+)/g, '$p$1'), ...options);
    for (const method of ['run', 'get', 'all', 'iterate'] as const) {
      const original = statement[method].bind(statement) as (named: NamedValues) => unknown;
      Object.defineProperty(statement, method, {
        value: (...values: SQLInputValue[]) => original(namedByPlace(values)),
      });
    }
    return statement;
  };
  return database;
}

type NamedValues = { [name: string]: SQLInputValue };

function namedByPlace(values: readonly SQLInputValue[]): NamedValues {
  return Object.fromEntries(values.map((value, index) => [`p${index + 1}`, value]));
}

function takesThemForNames(database: DatabaseSync): boolean {
  try {
    database.prepare('SELECT ?1').get(1);
    return false;
  } catch {
    return true;
  }
}
