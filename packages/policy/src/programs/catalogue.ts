/** All that is known of programs, by name. Rows are read when one of their names is first asked for. */
import { type Row, readTable, type Table } from './format.ts';
import { building } from './rows/building.ts';
import { changing, wrapping } from './rows/changing.ts';
import { git } from './rows/git.ts';
import { looking } from './rows/looking.ts';

const tables: readonly Table[] = [looking, git, building, wrapping, changing];

let byName: ReadonlyMap<string, readonly Row[]> | null = null;

function allRows(): ReadonlyMap<string, readonly Row[]> {
  if (byName !== null) return byName;
  const read = new Map<string, Row[]>();
  for (const row of tables.flatMap(readTable)) {
    for (const name of row.names) read.set(name, [...(read.get(name) ?? []), row]);
  }
  byName = read;
  return read;
}

/** What is known of a program, by its name or its path; nothing for one that the table does not have. */
export function rowsOf(word: string): readonly Row[] {
  const name = word.slice(word.lastIndexOf('/') + 1);
  const rows = allRows();
  // `python3.12` is `python3`, or else `python`.
  const names = [name, name.replace(/\.[0-9.]+$/, ''), name.replace(/-?[0-9][0-9.]*$/, '')];
  return rows.get(names.find((each) => rows.has(each)) ?? '') ?? [];
}

export const programNames = (): readonly string[] => Array.from(allRows().keys());
