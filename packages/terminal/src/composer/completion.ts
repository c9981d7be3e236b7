/** What Tab and the first characters offer: commands after `/`, files after `@`. */
import { type AutocompleteProvider, fuzzyFilter } from '../pi-tui.ts';

export type CommandName = { name: string; description: string; hint?: string };

/** Files are asked for once for each `@`, when the first of its characters is typed. */
export function createCompletion(
  commands: () => readonly CommandName[],
  files: () => Promise<readonly string[]>,
): AutocompleteProvider {
  let known: { at: string; files: Promise<readonly string[]> } | null = null;

  return {
    triggerCharacters: ['/', '@'],
    async getSuggestions(lines, cursorLine, cursorColumn, { signal }) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorColumn);
      const command = cursorLine === 0 ? /^\/(\S*)$/.exec(before)?.[1] : undefined;
      if (command !== undefined) {
        const items = fuzzyFilter([...commands()], command, ({ name }) => name).map(({ name, description, hint }) => ({
          value: `/${name}`,
          label: `/${name}${hint === undefined ? '' : ` ${hint}`}`,
          description,
        }));
        return items.length === 0 ? null : { items, prefix: `/${command}` };
      }
      const word = /(?:^|\s)@(\S*)$/.exec(before)?.[1];
      if (word === undefined) return null;
      const at = `${cursorLine}:${before.length - word.length}`;
      if (known?.at !== at) known = { at, files: files() };
      const all = await known.files;
      if (signal.aborted) return null;
      const items = fuzzyFilter([...all], word, (file) => file)
        .slice(0, 50)
        .map((file) => ({ value: `@${file}`, label: file }));
      return items.length === 0 ? null : { items, prefix: `@${word}` };
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? '';
      const head = line.slice(0, cursorCol - prefix.length) + item.value;
      const isCommand = prefix.startsWith('/');
      const space = isCommand || line.slice(cursorCol).startsWith(' ') ? '' : ' ';
      const next = lines.with(cursorLine, head + space + line.slice(cursorCol));
      return { lines: next, cursorLine, cursorCol: head.length + space.length };
    },
    shouldTriggerFileCompletion: () => false,
  };
}
