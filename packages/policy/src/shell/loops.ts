/** What the variables of loops stand for, where a command line says it itself. */
import type { Found, FoundCommand } from './reading.ts';
import { expandBraces, readWord, unknownWord, type Word } from './word.ts';

/** What a variable may be: words as they are written, or what only the input of `read` knows. */
type Values = { at: number; choices: readonly string[] | 'given' };

export type Variables = ReadonlyMap<string, Values>;

const mostChoices = 24;
const plainChoice = /^[A-Za-z0-9_./@:+*?-]+$/;

/** Variables that are set in one place of the text only, by a loop over words or by `read`. */
export function variablesOf(text: string, { commands, loops }: Found): Variables {
  const variables = new Map<string, Values>();
  const textOf = ({ from, to }: { from: number; to: number }) => text.slice(from, to);
  // Without quotes a value is split at whatever that says.
  if (/\bIFS\b/.test(text)) return variables;
  for (const { name, words, at } of loops) {
    const choices = words.flatMap((word) => expandBraces(textOf(word)));
    if (choices.length <= mostChoices && choices.every((choice) => plainChoice.test(choice)))
      variables.set(name, { at, choices });
  }
  for (const { words } of commands) {
    const [name, ...rest] = words.map(textOf);
    if (name !== 'read') continue;
    const [last, ...others] = rest.reverse();
    const isPlain = others.every((option) => option === '-r') && /^[a-z][a-z0-9]*$/.test(last ?? '');
    if (isPlain) variables.set(last as string, { at: words[0]?.from ?? 0, choices: 'given' });
  }
  for (const [name, { at }] of variables) {
    const isSetElsewhere =
      loops.some((loop) => loop.name === name && loop.at !== at) ||
      commands.some((each) => sets(each, name, at, textOf));
    if (isSetElsewhere) variables.delete(name);
  }
  return variables;
}

/** Whether a command may set the variable: it names it. */
function sets(
  { assignments, words }: FoundCommand,
  name: string,
  at: number,
  textOf: (span: { from: number; to: number }) => string,
): boolean {
  if (words[0]?.from === at) return false;
  return [...assignments, ...words].some((span) => new RegExp(`(?<![$\\w{])${name}(?:\\W|$)`).test(textOf(span)));
}

/**
 * The words of a command for each of what its variables may be, in turn. A value that is put in without quotes is split
 * into words again; a name that a star stands for could then be several, so that one is left as it is.
 */
export function resolved(words: readonly Word[], from: number, variables: Variables): (readonly Word[])[] {
  let all: (readonly Word[])[] = [words];
  for (const [name, { at, choices }] of variables) {
    const mark = new RegExp(`\\$(?:\\{${name}\\}|${name}(?![A-Za-z0-9_]))`, 'g');
    if (from < at || !words.some(({ raw }) => raw.search(mark) >= 0)) continue;
    if (choices === 'given') {
      all = all.map((each) => each.map((word) => (word.raw.search(mark) < 0 ? word : given(word))));
      continue;
    }
    const next = all.flatMap((each) => choices.map((choice) => each.map((word) => put(word, mark, choice))));
    if (next.length > mostChoices) return [words];
    all = next;
  }
  return all;
}

function put(word: Word, mark: RegExp, choice: string): Word {
  if (word.raw.search(mark) < 0 || /[`(']/.test(word.raw)) return word;
  const isQuoted = /^"[^"]*"$/.test(word.raw);
  if (/[*?]/.test(choice)) {
    if (!isQuoted || /[*?[\\ ~]/.test(word.raw)) return word;
    return { ...readWord(word.raw.slice(1, -1).replace(mark, choice)), raw: word.raw, isSingle: true };
  }
  return readWord(word.raw.replace(mark, choice));
}

/** In quotes it is one word. */
const given = (word: Word): Word =>
  /^"[^"`(]*"$/.test(word.raw) ? { ...unknownWord(word.raw), lead: word.lead, isSingle: true, isGiven: true } : word;
