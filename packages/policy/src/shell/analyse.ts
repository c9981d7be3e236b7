/** A command line, taken apart into everything in it that does something. */

import { type Folders, foldersOf, type Read } from './folders.ts';
import { loadGrammar, readTree } from './grammar.ts';
import { resolved, variablesOf } from './loops.ts';
import { plainWords } from './plain.ts';
import { type Found, type FoundCommand, isSameReading } from './reading.ts';
import { scan } from './scan.ts';
import { type Dialect, type Simple, unwrap } from './unwrap.ts';
import { expandBraces, literalWord, readWord, type Word, wordAt } from './word.ts';
import { isComputed, isHarmlessAssignment } from './words-of-shell.ts';

export type CommandPart = {
  kind: 'command';
  text: string;
  assignments: readonly Word[];
  words: readonly Word[];
  folders: Folders;
  /** Runs nothing but what stands in the list beside it. */
  isTransparent: boolean;
  /** What runs it, if another command does, and at which of its words it begins. */
  by: { command: CommandPart; at: number } | null;
};

export type Part =
  | CommandPart
  | { kind: 'assignment'; text: string; name: string; word: Word | null }
  | { kind: 'redirect'; text: string; access: 'read' | 'write'; target: Word; folders: Folders }
  | { kind: 'doubt'; text: string; reason: string };

/** Whether a command has to wait for the grammar. A command too long for anybody to read does not. */
export function needsGrammar(command: string): boolean {
  return plainWords(command) === null && command.length <= longestRead;
}

/** Makes it possible to judge this command. Free for plain words; the grammar is loaded once. @throws `no_grammar`. */
export async function prepareCommand(command: string): Promise<void> {
  if (needsGrammar(command)) await loadGrammar();
}

/** Characters of a command beyond which nobody reads it. */
const longestRead = 16_384;
const longestDoubtful = 2000;
const mostCommands = 400;
const deepest = 6;
const mostKept = 128;
const kept = new Map<string, readonly Part[]>();

/** All parts of a command line. @throws `no_grammar` for one that was not prepared. */
export function analyse(command: string): readonly Part[] {
  const known = kept.get(command);
  if (known !== undefined) return known;
  const parts = read(command, [''], 0);
  if (kept.size >= mostKept) kept.clear();
  kept.set(command, parts);
  return parts;
}

const otherShell = 'the shell that runs it may read it otherwise';

/** What POSIX knows nothing of: a shell that does not either reads it in another way (`a &> b c` runs `c`). */
const beyondPosix = /&>|\|&|<<<|[<>]\(|[$]['"]|>&[^0-9-]|\[\[|\+=|\{.*[,.].*\}|;;?&/;

function read(command: string, base: Folders, depth: number, dialect: Dialect = 'bash'): Part[] {
  const doubt = (reason: string): Part => ({ kind: 'doubt', text: command, reason });
  if (command.length > longestRead) return [doubt('it is too long to be read')];
  if (depth > deepest) return [doubt('it is wrapped too often')];
  const plain = plainWords(command);
  if (plain !== null) {
    const parts = commandParts({ assignments: [], words: plain.map(literalWord) }, base, depth, dialect);
    return dialect === 'other' ? [doubt(otherShell), ...parts] : parts;
  }
  const strange = /[^\P{C}\n\t]|[^\P{Z} ]/u.test(command);
  const text = withoutContinuations(command);
  const scanned = scan(text);
  if (scanned.commands.length > mostCommands) return [doubt('it is too long to be read')];
  // What is in doubt is read a second time only to find more that is denied; of long nonsense that takes for ever.
  const isReadTwice = scanned.doubts.length === 0 || text.length <= longestDoubtful;
  const tree = isReadTwice ? readTree(text) : { ...scanned, doubts: [] };
  const parts: Part[] = [];
  if (strange) parts.push(doubt('it holds characters that cannot be seen'));
  if (dialect === 'other' || (dialect === 'posix' && beyondPosix.test(text))) {
    parts.push(doubt(otherShell));
  }
  for (const reason of new Set([...scanned.doubts, ...tree.doubts])) parts.push(doubt(reason));
  if (parts.length === 0 && !isSameReading(scanned, tree)) parts.push(doubt('it can be read in two ways'));
  const isCertain = parts.length === 0;
  parts.push(...partsOf(text, scanned, isCertain ? base : null, depth, dialect));
  // What only the grammar saw is looked at too, so that a deny finds it.
  if (!isCertain) parts.push(...partsOf(text, onlyIn(tree, scanned), null, depth, dialect));
  return parts;
}

/** What one reader found and the other did not. */
function onlyIn(one: Found, other: Found): Found {
  const place = ({ words, assignments }: FoundCommand) => JSON.stringify([words, assignments]);
  const seen = new Set(other.commands.map(place));
  return { ...one, commands: one.commands.filter((command) => !seen.has(place(command))), loops: [] };
}

/** A line that goes on behind a backslash is one line, where that can mean nothing else. */
function withoutContinuations(command: string): string {
  return /['#`]|<</.test(command) ? command : command.replace(/(^|[^\\])\\\n/g, '$1');
}

function partsOf(text: string, found: Found, base: Folders, depth: number, dialect: Dialect): Part[] {
  const variables = variablesOf(text, found);
  const simple = found.commands.map(({ assignments, words, ...place }): Read => {
    const isCondition = words[0] !== undefined && text.slice(words[0].from, words[0].to) === '[[';
    return {
      ...place,
      from: words[0]?.from ?? 0,
      assignments: assignments.map((span) => wordAt(text, span)),
      words: words.flatMap((span) =>
        isCondition ? [wordAt(text, span)] : expandBraces(text.slice(span.from, span.to)).map(readWord),
      ),
    };
  });
  const folders = foldersOf(text, simple, base);
  const parts: Part[] = [];
  for (const [index, command] of simple.entries()) {
    if (command.words.length === 0) parts.push(...command.assignments.flatMap(assignmentParts));
    else {
      for (const words of resolved(command.words, command.from, variables)) {
        parts.push(...commandParts({ ...command, words }, folders.of(index), depth, dialect));
      }
    }
  }
  for (const { operator, target } of found.redirects) {
    const words = resolved([wordAt(text, target)], target.from, variables);
    for (const word of words.flat()) {
      // A descriptor that is another one's copy, or closed.
      if (/^[<>]&$/.test(operator) && /^(?:[0-9]+-?|-)$/.test(word.text ?? '')) continue;
      const access = operator === '<' || operator === '<&' ? 'read' : 'write';
      const opened = folders.at(target);
      parts.push({ kind: 'redirect', text: `${operator} ${word.raw}`, access, target: word, folders: opened });
    }
  }
  return [
    ...parts,
    ...found.loops.map(({ name }): Part => ({ kind: 'assignment', text: `for ${name}`, name, word: null })),
  ];
}

function assignmentParts(word: Word): Part[] {
  const { name, value } = assignmentOf(word);
  const part: Part = { kind: 'assignment', text: word.raw, name, word: value };
  return isComputed(name, value) ? [part, computed(word)] : [part];
}

function assignmentOf({ raw }: Word): { name: string; value: Word } {
  const [name = '', ...value] = raw.split('=');
  return { name: name.replace(/\+$/, ''), value: readWord(value.join('=')) };
}

const computed = ({ raw }: Word): Part => ({
  kind: 'doubt',
  text: raw,
  reason: 'what a variable is set to may be computed, and so run something',
});

function commandParts(
  command: Simple,
  folders: Folders,
  depth: number,
  dialect: Dialect,
  by: CommandPart['by'] = null,
): Part[] {
  const text = [...command.assignments, ...command.words].map(({ raw }) => raw).join(' ');
  if (depth > deepest) return [{ kind: 'doubt', text, reason: 'it is wrapped too often' }];
  const { own, isTransparent, inner, others, doubt } = unwrap(command);
  // What runs another command hands its variables on, and they are judged there; a shell obeys some before it reads one.
  const isHandedOn = (inner !== null && 'command' in inner) || own.assignments.every(isHarmlessAssignment);
  const part: CommandPart = { kind: 'command', text, ...own, folders, isTransparent: isTransparent && isHandedOn, by };
  const parts: Part[] = [part];
  if (doubt !== null) parts.push({ kind: 'doubt', text, reason: doubt });
  for (const word of command.assignments) {
    const { name, value } = assignmentOf(word);
    if (isComputed(name, value)) parts.push(computed(word));
  }
  if (inner !== null && 'text' in inner) parts.push(...read(inner.text, folders, depth + 1, inner.dialect ?? dialect));
  else if (inner !== null)
    parts.push(...commandParts(inner.command, folders, depth + 1, dialect, { command: part, at: inner.at }));
  for (const other of others) parts.push(...commandParts(other, folders, depth + 1, dialect));
  return parts;
}
