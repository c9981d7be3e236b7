/**
 * Commands of which it is certain what they touch: plain words of a few programs that do nothing but what their
 * operands say. All others are `null` here, and so wait for each other. A list of what is certain, never of what is not.
 */

import { lstat } from 'node:fs/promises';
import type { ToolScope } from '@pawl/engine';
import { isInside } from '@pawl/policy';
import { judgedPlace, resolveEntry } from '../paths.ts';

/** What a program's operands are: texts, whatever its options; or paths, with none but these options. */
type Program = { operands: 'texts' } | { operands: 'paths' | 'made folders'; options: RegExp };

/** None of these makes a link or follows one further than the system does for every path. */
const programs: Readonly<Record<string, Program>> = {
  cat: { operands: 'paths', options: /^-[AbeEnstTuv]+$/ },
  echo: { operands: 'texts' },
  mkdir: { operands: 'made folders', options: /^-[pv]+$/ },
  printf: { operands: 'texts' },
  rm: { operands: 'paths', options: /^-[fv]+$/ },
  sleep: { operands: 'texts' },
  tee: { operands: 'paths', options: /^-a$/ },
  touch: { operands: 'paths', options: /^-[acm]+$/ },
  true: { operands: 'texts' },
};

/** `2>&1` and its like, which name no file. */
const betweenOutputs = /^[12]>&[12](?=[\s;&|]|$)/;
const redirect = /^[12]?(?:>>?|<)(?![<>&(|])/;
/** Letters that no shell takes for anything but themselves. */
const plain = /^[A-Za-z0-9_.,/:@%+=-]+/;
const singleQuoted = /^'([^'\n]*)'/;
/** Without what the shell would put in, or take for the end of a letter. */
const doubleQuoted = /^"([^"$`\\!\n]*)"/;
const connector = /^(?:;|&&|\|\||\|(?!&))/;

/** The paths that a command reads or changes, as it writes them; null where that is not certain. */
export function certainPaths(command: string): readonly string[] | null {
  const paths: string[] = [];
  let words: string[] = [];
  let rest = command.trim();
  while (rest !== '') {
    const [between] = betweenOutputs.exec(rest) ?? [];
    const [direction] = redirect.exec(rest) ?? [];
    const [end] = connector.exec(rest) ?? [];
    if (between !== undefined) rest = rest.slice(between.length).trimStart();
    else if (direction !== undefined) {
      const target = wordAt(rest.slice(direction.length).replace(/^ +/, ''));
      if (target === null) return null;
      if (target.text !== '/dev/null') paths.push(target.text);
      rest = target.rest;
    } else if (end !== undefined) {
      const touched = touchedBy(words);
      if (touched === null) return null;
      paths.push(...touched);
      words = [];
      rest = rest.slice(end.length).trimStart();
      // What a connector leads to must be there; only `;` may stand at the end.
      if (rest === '') return end === ';' ? unlessAmbiguous(paths) : null;
    } else {
      const word = wordAt(rest);
      if (word === null) return null;
      words.push(word.text);
      rest = word.rest;
    }
  }
  const touched = touchedBy(words);
  return touched === null ? null : unlessAmbiguous([...paths, ...touched]);
}

/** A shell goes up from where a link leads, and not from where it stands, so `..` is told by nobody but the disk. */
const unlessAmbiguous = (paths: readonly string[]) =>
  paths.some((path) => path.split('/').includes('..')) ? null : paths;

/** One word, and what is behind it and its blanks. Null for what is no word, or not certain. */
function wordAt(text: string): { text: string; rest: string } | null {
  let word = '';
  let rest = text;
  let isThere = false;
  for (;;) {
    const [whole, inner] = singleQuoted.exec(rest) ?? doubleQuoted.exec(rest) ?? [];
    const [bare] = plain.exec(rest) ?? [];
    const piece = inner ?? bare;
    if (piece === undefined) break;
    word += piece;
    isThere = true;
    rest = rest.slice((whole ?? bare ?? '').length);
  }
  const isEnded = rest === '' || /^[ \t;&|<>]/.test(rest);
  return isThere && isEnded ? { text: word, rest: rest.replace(/^[ \t]+/, '') } : null;
}

function touchedBy([name = '', ...rest]: readonly string[]): readonly string[] | null {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) return null;
  if (program.operands === 'texts') return [];
  const { operands, options } = program;
  const isOption = (word: string) => word.startsWith('-');
  if (!rest.every((word) => !isOption(word) || options.test(word))) return null;
  const named = rest.filter((word) => !isOption(word));
  if (named.includes('')) return null;
  if (operands === 'paths') return named;
  return named.some((path) => path.startsWith('/')) ? null : named.map(outermost);
}

/** All folders on the way are made too: the first of them holds the others. */
const outermost = (path: string) => /^(?:\.\/+)*[^/]+/.exec(path)?.[0] ?? path;

/**
 * Where a command surely reads or changes something, and nowhere else; empty where that is not certain. Nothing outside
 * of the session's folder is: a sandbox has a `/tmp` of its own. On other systems than Linux one file goes by names of
 * different spelling.
 */
export async function certainPlaces(command: string, scope: ToolScope): Promise<string[]> {
  const written = certainPaths(command);
  if (written === null || process.platform !== 'linux') return [];
  const { path: folder } = await judgedPlace('.', scope);
  const places = await Promise.all(
    written.map(async (path) => [(await judgedPlace(path, scope)).path, (await resolveEntry(path, scope.cwd)).path]),
  );
  const all = [...new Set(places.flat())].sort((one, other) => (one < other ? -1 : 1));
  const areCertain = await Promise.all(all.map(async (path) => isInside(folder, path) && !(await hasOtherNames(path))));
  return areCertain.every((isCertain) => isCertain) ? all : [];
}

/** A file with several names (hard links) is touched by each of them. */
const hasOtherNames = (path: string): Promise<boolean> =>
  lstat(path).then(
    (status) => !status.isDirectory() && status.nlink > 1,
    () => false,
  );
