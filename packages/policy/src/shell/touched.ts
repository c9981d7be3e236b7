/** Which paths a part of a command line names, as far as its text tells. */
import { readerOf } from '../reading.ts';
import { isText } from '../risks.ts';
import { writers } from '../tables/risks.ts';
import type { CommandPart, Folders, Part } from './analyse.ts';
import { baseName } from './unwrap.ts';
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

/** Whether what is written there goes nowhere. */
export const isNowhere = ({ text }: Word): boolean => /^\/dev\/(?:null|stdout|stderr)$/.test(text ?? '');

/** Commands of git that change files of the working folder, and those that change all of it where no path is named. */
const gitWriters = new Set('apply checkout clean mv reset restore rm stash'.split(' '));
const gitSweepers = new Set(['apply', 'clean', 'reset', 'stash']);

function isWriting(name: string, words: readonly Word[]): boolean {
  if (name === 'git') return gitWriters.has(words[0]?.text ?? '');
  return writers.has(name) || (name === 'find' && words.some(({ text }) => text === '-delete'));
}

/** Whether it changes what it does not name: what a patch says, all that git knows. */
const isSweeping = (name: string, words: readonly Word[]) =>
  name === 'patch' || (name === 'git' && gitSweepers.has(words[0]?.text ?? ''));

/** Programs that read all paths but the last. */
const copiers = new Set(['cp', 'install', 'ln', 'rsync']);

function touchedByCommand(part: CommandPart): TouchedPath[] {
  // A wrapper's own words may name files too; what it runs is told beside it.
  if (part.isTransparent) {
    return part.words.slice(1).flatMap((word) => (word.text === null ? [] : pathsOf(word, part.folders, 'read')));
  }
  const reader = readerOf(part);
  // A pattern is no text: the shell puts in the names that it finds.
  if (reader?.operands === 'texts') {
    return part.words.slice(1).flatMap((word) => (word.glob === null ? [] : pathsOf(word, part.folders, 'read')));
  }
  const [first, ...rest] = part.words;
  const name = baseName(first?.text ?? '');
  const access: Access = reader !== null ? 'read' : isWriting(name, rest) ? 'write' : 'unknown';
  const words = reader?.operands === 'pattern' ? withoutPattern(rest, reader.valued ?? []) : rest;
  const isCopying = copiers.has(name) && !rest.some(({ text }) => /^(?:-[a-zA-Z]*t|--t)/.test(text ?? '-t'));
  const moved = (part.folders ?? ['']).filter((folder) => folder !== '');
  return [
    // A program that is told of no path may still look at the folder it runs in.
    ...moved.map((path): TouchedPath => ({ path, isGlob: false, access: 'read' })),
    ...(part.folders === null ? [{ path: null, isGlob: false, access }] : []),
    ...(isSweeping(name, rest) ? (part.folders ?? []).map((folder): TouchedPath => whole(folder)) : []),
    ...words.flatMap((word, index) =>
      isText(part.words, part.words.indexOf(word))
        ? []
        : pathsOf(word, part.folders, isCopying && index < words.length - 1 ? 'read' : access),
    ),
  ];
}

const whole = (folder: string): TouchedPath => ({ path: folder === '' ? '.' : folder, isGlob: false, access: 'write' });

/** `grep PATTERN file…`: the first word that is no option is a text, unless an option brought it. */
function withoutPattern(words: readonly Word[], valued: readonly string[]): readonly Word[] {
  const isValue = (place: number) => valued.includes(words[place - 1]?.text ?? '');
  if (
    valued.length === 0 &&
    words.some(({ text }) => /^(?:-[A-Za-z]*[ef]|--(?:regexp|file)|--from-file)/.test(text ?? ''))
  )
    return words;
  const index = words.findIndex(({ text }, place) => text !== null && !text.startsWith('-') && !isValue(place));
  return words.filter((_, place) => place !== index && !isValue(place));
}

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
