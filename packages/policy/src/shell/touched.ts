/** Which paths a part of a command line names, as far as its text tells. */
import { type Argument, isNowhere, isReading, readArguments } from '../programs/arguments.ts';
import { pathRoles } from '../programs/roles.ts';
import type { CommandPart, Part } from './analyse.ts';
import type { Folders } from './folders.ts';
import type { Word } from './word.ts';

/** What is done to it; unknown for a program that no table knows. */
type Access = 'read' | 'write' | 'unknown';

/**
 * One path: in the session's folder, absolute, or in the home (`~/`). A glob stands for all paths that it covers; null
 * is a path that only the shell will know.
 */
export type TouchedPath = {
  path: string | null;
  isGlob: boolean;
  access: Access;
  /** Whether it is only a part of a word, which may be something else: `@file`, `rev:file`, `file://…`. */
  isGuess?: true;
  /**
   * Whether it is one of the names that another command has told; `outline` where no more than its size and kind is
   * looked at.
   */
  given?: 'outline' | 'contents';
  /** At which word of the command it stands; none where no word names it. */
  at?: number;
};

/** Texts that are no paths are left out where a table says so. */
export function touchedBy(part: Part): TouchedPath[] {
  switch (part.kind) {
    case 'command':
      return touchedByCommand(part);
    case 'redirect':
      return isNowhere(part.target) ? [] : pathsOf(part.target, part.folders, part.access);
    case 'assignment':
    case 'doubt':
      return [];
    default:
      return part satisfies never;
  }
}

function touchedByCommand(part: CommandPart): TouchedPath[] {
  const { words, folders } = part;
  const known = readArguments(words);
  const moved = (folders ?? ['']).filter((folder) => folder !== '');
  const around = (access: Access): TouchedPath[] => [
    // A program that is told of no path may still look at the folder it runs in.
    ...moved.map((path): TouchedPath => ({ path, isGlob: false, access: 'read' })),
    ...(folders === null ? [{ path: null, isGlob: false, access }] : []),
  ];
  const located = (word: Word, at: number, access: Access) =>
    pathsOf(word, folders, access).map((path): TouchedPath => ({ ...path, at }));
  if (known === null) {
    return [...around('unknown'), ...words.slice(1).flatMap((word, index) => located(word, index + 1, 'unknown'))];
  }
  const { row, found } = known;
  const isSweeping =
    row.traits.has('sweeps') || (row.traits.has('folder') && !found.some(({ isOperand }) => isOperand));
  const isQuiet = isReading(known, { isContained: true });
  const isAbroad = !part.isTransparent && (!isQuiet || row.operands.some(({ role }) => pathRoles.has(role)));
  return [
    ...(isAbroad ? around(isQuiet ? 'read' : 'unknown') : []),
    ...(isSweeping ? (folders ?? []).map(whole) : []),
    ...found.flatMap((argument): TouchedPath[] => {
      const { role, word, at } = argument;
      if (word.isGiven === true && pathRoles.has(role)) {
        const given = row.traits.has('outline') ? 'outline' : 'contents';
        return [{ path: null, isGlob: false, access: accessTo(argument, isQuiet), at, given }];
      }
      // The shell puts the names that it finds into a text as well.
      if (!pathRoles.has(role)) return word.glob === null || role === 'command' ? [] : located(word, at, 'read');
      const paths = role === 'write' && isNowhere(word) ? [] : located(word, at, accessTo(argument, isQuiet));
      return known.isRecursive ? paths.flatMap((path) => [path, ...below(path)]) : paths;
    }),
    ...(known.isRecursive && !found.some(({ isOperand, role }) => isOperand && role === 'read')
      ? (folders ?? []).flatMap((path) => below({ path: path === '' ? '.' : path, isGlob: false, access: 'read' }))
      : []),
  ];
}

/** All that lies below a path. */
const below = (touched: TouchedPath): TouchedPath[] =>
  touched.path === null || touched.isGlob
    ? []
    : [{ ...touched, path: `${touched.path.replace(/[\\*?[\]]/g, '\\$&')}/**`, isGlob: true }];

function accessTo({ role }: Argument, isQuiet: boolean): Access {
  if (role === 'write') return 'write';
  return role === 'read' || isQuiet ? 'read' : 'unknown';
}

const whole = (folder: string): TouchedPath => ({ path: folder === '' ? '.' : folder, isGlob: false, access: 'write' });

/** `<(sort a)` and nothing else. */
const isSubstitution = ({ raw, isSingle }: Word) => isSingle && raw.startsWith('<(');

/** A word, the value in `--option=value`, and what is glued to a short option, or to several. */
function pathsOf(word: Word, folders: Folders, access: Access): TouchedPath[] {
  const { text, glob } = word;
  const written = text ?? glob;
  // What runs in it is told beside it.
  if (isSubstitution(word)) return [];
  const unknown: TouchedPath = { path: null, isGlob: false, access };
  if (written === null) return [unknown];
  if (written === '') return [];
  const [, value] = /^[^=/]+=(.+)$/s.exec(written) ?? [];
  const [, glued] = /^-[A-Za-z]((?:.*[/.]).*)$/s.exec(written) ?? [];
  // Behind several letters, where a place begins that is told by its first sign: `-nf/etc/x`.
  const [, clustered] = /^-[A-Za-z]{2,}?((?:\/|\.\.(?:\/|$)).*)$/s.exec(written) ?? [];
  const itself = written.startsWith('-') ? undefined : written;
  const names = [itself, value, glued, clustered].filter((name) => name !== undefined);
  const isGlob = text === null;
  const guesses = [...new Set(names.flatMap(partsOfName))].filter((name) => !names.includes(name));
  const found = names.flatMap((name) => placed(name, word, folders, { isGlob, access }));
  if (guesses.length > mostGuesses) return [...found, { ...unknown, isGuess: true }];
  return [...found, ...guesses.flatMap((name) => placed(name, word, folders, { isGlob, access, isGuess: true }))];
}

/**
 * What a word may name besides itself: behind `@`, `<` and `=`, between colons and commas, as an address of a file, in a
 * text of a program's own language.
 */
function partsOfName(name: string): string[] {
  const pieces = name.replace(/^file:\/\/[^/]*/, ':').split(/[\s:,=@<>"'()]+/);
  return pieces.filter((piece) => piece !== '' && !piece.startsWith('//'));
}

const mostGuesses = 100;

/** Another name for the folder or the files of a process, whichever that is. */
const ofProcess = /^\/+proc\/+[^/]+\/+(?:task\/+[^/]+\/+)?(?:cwd|root|fd)(?:\/|$)/;

function placed(name: string, word: Word, folders: Folders, what: Omit<TouchedPath, 'path'>): TouchedPath[] {
  const isInHome = /^~(?:\/|$)/.test(name) && (word.isInHome || name !== (word.text ?? word.glob));
  if (ofProcess.test(name)) return [{ ...what, path: null, isGlob: false }];
  if (name.startsWith('/') || isInHome) return [{ ...what, path: name }];
  if (folders === null) return [{ ...what, path: null, isGlob: false }];
  // A name that begins with a `~` of its own.
  const own = name.startsWith('~') ? `./${name}` : name;
  return folders.map((folder) => ({ ...what, path: folder === '' ? own : `${folder}/${own}` }));
}
