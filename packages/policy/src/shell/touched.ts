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
export type TouchedPath = { path: string | null; isGlob: boolean; access: Access };

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

/** Programs that read all paths but the last. */
const copiers = new Set(['cp', 'install', 'ln', 'rsync']);

function touchedByCommand(part: CommandPart): TouchedPath[] {
  // A wrapper's own words may name files too; what it runs is told beside it.
  if (part.isTransparent) {
    return part.words.slice(1).flatMap((word) => (word.text === null ? [] : pathsOf(word, part.folders, 'read')));
  }
  const reader = readerOf(part);
  if (reader?.operands === 'texts') return [];
  const [first, ...rest] = part.words;
  const name = baseName(first?.text ?? '');
  const access: Access = reader !== null ? 'read' : writers.has(name) ? 'write' : 'unknown';
  const words = reader?.operands === 'pattern' ? withoutPattern(rest) : rest;
  const isCopying = copiers.has(name) && !rest.some(({ text }) => /^(?:-[a-zA-Z]*t|--t)/.test(text ?? '-t'));
  const moved = (part.folders ?? ['']).filter((folder) => folder !== '');
  return [
    // A program that is told of no path may still look at the folder it runs in.
    ...moved.map((path): TouchedPath => ({ path, isGlob: false, access: 'read' })),
    ...(part.folders === null ? [{ path: null, isGlob: false, access }] : []),
    ...words.flatMap((word, index) =>
      isText(part.words, part.words.indexOf(word))
        ? []
        : pathsOf(word, part.folders, isCopying && index < words.length - 1 ? 'read' : access),
    ),
  ];
}

/** `grep PATTERN file…`: the first word that is no option is a text, unless an option brought it. */
function withoutPattern(words: readonly Word[]): readonly Word[] {
  if (words.some(({ text }) => /^(?:-[A-Za-z]*[ef]|--(?:regexp|file)|--from-file)/.test(text ?? ''))) return words;
  const index = words.findIndex(({ text }) => text !== null && !text.startsWith('-'));
  return words.filter((_, place) => place !== index);
}

/** A word, the value in `--option=value`, and what is glued to a short option. */
function pathsOf(word: Word, folders: Folders, access: Access): TouchedPath[] {
  const { text, glob } = word;
  const written = text ?? glob;
  const unknown: TouchedPath = { path: null, isGlob: false, access };
  if (written === null) return [unknown];
  if (written === '') return [];
  const [, value] = /^[^=/]+=(.+)$/s.exec(written) ?? [];
  const [, glued] = /^-[A-Za-z]((?:.*[/.]).*)$/s.exec(written) ?? [];
  const names = [written.startsWith('-') ? undefined : written, value, glued].filter((name) => name !== undefined);
  const isGlob = text === null;
  return names.flatMap((name): TouchedPath[] => {
    const isInHome = /^~(?:\/|$)/.test(name) && (word.isInHome || name !== written);
    if (name.startsWith('/') || isInHome) return [{ path: name, isGlob, access }];
    if (folders === null) return [unknown];
    // A name that begins with a `~` of its own.
    const own = name.startsWith('~') ? `./${name}` : name;
    return folders.map((folder) => ({ path: folder === '' ? own : `${folder}/${own}`, isGlob, access }));
  });
}
