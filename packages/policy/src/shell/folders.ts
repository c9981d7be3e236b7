/** In which folders the commands of a line run, as far as its `cd` tell. */
import { isReading, readArguments } from '../programs/arguments.ts';
import type { FoundCommand, Span } from './reading.ts';
import type { Word } from './word.ts';

/** Where relative paths start, from the session's folder (empty); several where it is not sure, null where nobody knows. */
export type Folders = readonly string[] | null;

/** A command with its words, and where in the text it begins. */
export type Read = Pick<FoundCommand, 'depth' | 'next'> & {
  from: number;
  assignments: readonly Word[];
  words: readonly Word[];
};

type FoldersOfLine = { of(index: number): Folders; at(target: Span): Folders };

const moves = /(?:^|[^\w-])(?:cd|pushd|popd)(?:$|[^\w-])/;
const mostFolders = 16;

/**
 * Followed is a `cd` to a plain folder where all commands stand in one list, or in one pair of brackets. Any other one, in a
 * loop, a condition, a pipe, makes it unknown for all commands, because they may come before and behind it.
 */
export function foldersOf(text: string, commands: readonly Read[], base: Folders): FoldersOfLine {
  const moving = commands.filter(isMoving);
  if (moving.length === 0 || base === null) return { of: () => base, at: () => base };
  const unknown: FoldersOfLine = { of: () => null, at: () => null };
  const level = Math.min(...commands.map(({ depth }) => depth));
  const list = commands.filter(({ depth }) => depth === level);
  const before = text.slice(0, commands[0]?.from).trim();
  const isPlain =
    (level === 0 || before === '(') &&
    moving.every(
      (command) => command.depth === level && targetOf(command) !== null && !/^[|&]$|^\|&$/.test(command.next),
    ) &&
    list.slice(0, -1).every(({ next }) => next !== '') &&
    !/(?:^|[\s;&|(])!\s/.test(text);
  if (!isPlain) return unknown;
  const found = follow(commands, level, base);
  return found === null ? unknown : found;
}

/** A word that a known reader only looks at moves nothing. */
function isMoving({ words }: Read): boolean {
  const [name] = words;
  if (/^(?:cd|pushd|popd)$/.test(name?.text ?? '')) return true;
  const known = readArguments(words);
  if (known !== null && isReading(known)) return false;
  return words.some(({ raw, text }) => moves.test(text ?? raw));
}

function targetOf({ words, assignments }: Read): string | null {
  const [name, folder, ...more] = words;
  const target = folder?.text ?? null;
  const isPlain = name?.text === 'cd' && more.length === 0 && assignments.length === 0;
  return isPlain && target !== null && /^[^-]/.test(target) ? target : null;
}

function follow(commands: readonly Read[], level: number, base: readonly string[]): FoldersOfLine | null {
  const folders: (readonly string[])[] = [];
  const moved = new Map<number, readonly string[]>();
  let current: readonly string[] = base;
  /** Where it still is if a `cd` failed, once that no longer keeps what follows from running. */
  let failed: readonly string[] = [];
  let previous = '';
  for (const [index, command] of commands.entries()) {
    folders.push(current);
    if (command.depth !== level) continue;
    const target = isMoving(command) ? targetOf(command) : null;
    if (target !== null) {
      const next = current.flatMap((from) => joined(from, target));
      failed = [...failed, ...current];
      current = previous === '||' ? [...current, ...next] : next;
      moved.set(index, current);
    }
    if (command.next !== '&&' && !command.next.startsWith('|')) {
      current = [...new Set([...current, ...failed])];
      failed = [];
    } else if (command.next === '||') {
      current = [...new Set([...current, ...failed])];
    }
    previous = command.next;
    if (current.length > mostFolders) return null;
  }
  return {
    of: (index) => folders[index] ?? null,
    // A redirect may belong to the `cd` itself.
    at: (target) => {
      const index = commands.findLastIndex(({ from, depth }) => depth === level && from < target.from);
      return [...new Set([...(folders[Math.max(index, 0)] ?? []), ...(moved.get(index) ?? [])])];
    },
  };
}

/**
 * The shell takes `..` in what is behind `cd` by the names, and the system by where links lead: both may be meant.
 */
function joined(from: string, target: string): string[] {
  const whole = /^[/~]/.test(target) || from === '' ? target : `${from}/${target}`;
  if (!/(?:^|\/)\.\.(?:\/|$)/.test(whole)) return [whole];
  return [...new Set([whole, withoutDots(whole)])];
}

/** `a/../b` by its names; empty for the folder itself. */
export function withoutDots(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..' && names.length > 0 && names.at(-1) !== '..' && !/^(?:~|)$/.test(names.at(-1) ?? '')) names.pop();
    else if (name !== '.') names.push(name);
  }
  return names.join('/');
}
