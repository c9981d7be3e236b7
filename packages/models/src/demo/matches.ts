/** One line that a search found. */
export type Match = { path: string; line: number; text: string };

/** Reads `path:line:text` lines; lines of another form are remarks of the tool, such as that it stopped early. */
export function readMatches(output: string): { matches: Match[]; remarks: string[] } {
  const matches: Match[] = [];
  const remarks: string[] = [];
  for (const row of output.split('\n')) {
    const match = /^(.+?):(\d+):(.*)$/.exec(row);
    if (match?.[1] !== undefined)
      matches.push({ path: plainPath(match[1]), line: Number(match[2]), text: match[3] ?? '' });
    else if (row.trim() !== '') remarks.push(row.trim());
  }
  return { matches, remarks };
}

/** Reads one path a line. What looks like a sentence is a remark of the tool; a folder's name ends with a slash. */
export function readPaths(output: string): string[] {
  return output
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '' && !/^[([]|^(?:no|nothing)\b.*\s|\.\.\.$|…/i.test(row))
    .map(plainPath);
}

/** Reads numbered lines (`   12\ttext`) back into a text, with the number of the last one. */
export function readNumbered(output: string): { text: string; lastLine: number } {
  const rows: string[] = [];
  let lastLine = 0;
  for (const row of output.split('\n')) {
    const match = /^\s*(\d+)\t(.*)$/.exec(row);
    if (match === null) continue;
    lastLine = Number(match[1]);
    rows.push(match[2] ?? '');
  }
  return { text: rows.join('\n'), lastLine };
}

/** `./a//b` and `a/b` are one path. */
export function plainPath(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '').replace(/\/{2,}/g, '/');
}

/** Items by path, paths in order of the alphabet. */
export function byPath<Item extends { path: string }>(items: readonly Item[]): [path: string, items: Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(item.path, [...(groups.get(item.path) ?? []), item]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `1 file`, `2 files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
