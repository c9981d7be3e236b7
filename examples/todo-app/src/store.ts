import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export type Item = { id: number; text: string; isDone: boolean };

/** The items in a file; none if there is no file yet. */
export function load(path: string): Item[] {
  // TODO: say which file is broken when it does not hold JSON
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}

export function save(path: string, items: readonly Item[]): void {
  // TODO: write to a temporary file and rename it, so that a crash loses nothing
  writeFileSync(path, `${JSON.stringify(items, null, 2)}\n`);
}
