/** What a word of a command means once the shell has taken quotes, backslashes and expansions out of it. */
import type { Span } from './reading.ts';

export type Word = {
  /** As it is written. */
  raw: string;
  /** What the program gets; null where only the shell will know. A `~` at the beginning stays. */
  text: string | null;
  /** What it certainly begins with. */
  lead: string;
  /** A pattern of segment globs, where stars are all that makes it uncertain. */
  glob: string | null;
  /** Whether its first character is a `~` that the shell expands. */
  isInHome: boolean;
  /** Whether it is one word whatever the shell puts in. */
  isSingle: boolean;
  /** A name that another command has told, or a line of a file: nobody knows which. */
  isGiven?: true;
  /** Whether any part of it was quoted or escaped, so that it is no word of the shell's own. */
  isQuoted: boolean;
};

export function literalWord(text: string): Word {
  return { raw: text, text, lead: text, glob: null, isInHome: false, isSingle: true, isQuoted: false };
}

/** A word of which nothing is known. */
export function unknownWord(raw: string): Word {
  return { raw, text: null, lead: '', glob: null, isInHome: false, isSingle: false, isQuoted: false };
}

/** A name that `find` puts in: of a place, or of something below it. */
export function belowWord(place: string, raw: string): Word {
  const glob = `${place.replace(/\/+$/, '').replace(/[\\*?[\]]/g, '\\$&')}/**`;
  return { ...unknownWord(raw), lead: place, glob };
}

/** Whether a program may take it for an option, or one of the words that the shell makes of it. */
export function mayBeOption({ text, lead, glob, isSingle }: Word): boolean {
  if (text !== null) return text.startsWith('-');
  // All names that stars stand for begin as they do; what is put in and split begins with anything.
  return lead === '' || lead.startsWith('-') || (glob === null && !isSingle);
}

const simpleEscapes: { [letter: string]: string } = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

const mostExpanded = 64;

/** The words that braces make of one: `src/{a,b}`, `{1..3}`. As it is, where they do not stand alone and plain. */
export function expandBraces(raw: string): string[] {
  const [, ahead = '', inner = '', behind = ''] = /^([^{}'"\\$`]*)\{([^{}'"\\$`]*)\}([^'"\\$`]*)$/.exec(raw) ?? [];
  const [, first, last] = /^(-?[0-9]{1,4})\.\.(-?[0-9]{1,4})$/.exec(inner) ?? [];
  const [from, to] = [Number(first), Number(last)];
  const isRange = first !== undefined && Math.abs(to - from) < mostExpanded && !/^-?0[0-9]/.test(`${first} ${last}`);
  const choices = inner.includes(',')
    ? inner.split(',')
    : isRange
      ? Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from < to ? from + index : from - index))
      : [];
  if (choices.length === 0) return [raw];
  const words = choices.flatMap((choice) => expandBraces(behind).map((rest) => `${ahead}${choice}${rest}`));
  return words.length > mostExpanded || words.includes('') ? [raw] : words;
}

export function wordAt(text: string, { from, to }: Span): Word {
  return readWord(text.slice(from, to));
}

/** Reads one word as the scanner has cut it out. */
export function readWord(raw: string): Word {
  let text = '';
  let glob = '';
  let lead: string | null = null;
  let isKnown = true;
  let hasGlob = false;
  let isQuoted = false;
  const add = (literal: string) => {
    text += literal;
    glob += literal.replace(/[\\*?[\]]/g, '\\$&');
  };
  /** From here on nothing is certain any more. */
  const lose = () => {
    lead ??= text;
    isKnown = false;
  };
  let at = 0;
  const readDouble = () => {
    for (at++; at < raw.length && raw[at] !== '"'; at++) {
      const character = raw[at] as string;
      if (character === '\\' && /[$`"\\]/.test(raw[at + 1] ?? '')) add(raw[++at] as string);
      else if (character === '`' || (character === '$' && /[A-Za-z0-9_@*#?$!({[-]/.test(raw[at + 1] ?? ''))) {
        // What is substituted may itself hold quotes; the rest of the word does not matter any more.
        lose();
        at = raw.length;
      } else add(character);
    }
    at++;
  };
  while (at < raw.length) {
    const character = raw[at] as string;
    if (character === "'") {
      isQuoted = true;
      const end = raw.indexOf("'", at + 1);
      add(raw.slice(at + 1, end < 0 ? undefined : end));
      at = end < 0 ? raw.length : end + 1;
    } else if (character === '"') {
      isQuoted = true;
      readDouble();
    } else if (character === '\\') {
      isQuoted = true;
      add(raw[at + 1] ?? '');
      at += 2;
    } else if (character === '$' && raw[at + 1] === "'") {
      isQuoted = true;
      const end = readEscaped(raw, at + 2);
      if (end.text === null) lose();
      else add(end.text);
      at = end.at;
    } else if (character === '*' || character === '?') {
      lead ??= text;
      hasGlob = true;
      text += character;
      glob += character;
      at++;
    } else if (character === '[' && raw.includes(']', at)) {
      lead ??= text;
      hasGlob = true;
      const [set] = /^\[[A-Za-z0-9_.!^-]+\]/.exec(raw.slice(at)) ?? [];
      if (set === undefined) lose();
      // Any one character stands for the set here: that finds more, never less.
      glob += '?';
      at += set?.length ?? 1;
    } else if (/[$`<>]/.test(character) && !(character === '$' && at + 1 === raw.length)) {
      // `<(…)` becomes a name in /dev.
      if (/[<>]/.test(character)) lead ??= '/dev/fd/';
      lose();
      break;
    } else if (character === '{' && /^\{[^{}]*(?:,|\.\.)/.test(raw.slice(at))) {
      lose();
      break;
    } else {
      add(character);
      at++;
    }
  }
  const isInHome = /^~(?:\/|$)/.test(raw);
  if (/^~/.test(raw) && !isInHome) lose();
  const isCertain = isKnown && !hasGlob;
  return {
    raw,
    text: isCertain ? text : null,
    lead: isCertain ? text : (lead ?? text),
    glob: isKnown && hasGlob ? glob : null,
    isInHome,
    isSingle: isCertain || (/^"[^"]*"$/.test(raw) && !/\$\{?@/.test(raw)) || /^[<>]\([^()]*\)$/.test(raw),
    isQuoted,
  };
}

/** `$'…'`, from behind its quote. A code that not every shell reads alike is unknown. */
function readEscaped(raw: string, from: number): { text: string | null; at: number } {
  let text: string | null = '';
  let at = from;
  while (at < raw.length && raw[at] !== "'") {
    if (raw[at] !== '\\') {
      if (text !== null) text += raw[at];
      at++;
      continue;
    }
    const rest = raw.slice(at + 1);
    const code = /^(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{4})(?![0-9A-Fa-f]))/.exec(rest);
    const letter = rest[0] ?? '';
    const value: number | null =
      code === null
        ? null
        : code[2] === undefined
          ? Number.parseInt(code[1] ?? code[3] ?? '', 16)
          : Number.parseInt(code[2], 8);
    const literal: string | undefined =
      value === null ? simpleEscapes[letter] : value >= 32 && value < 127 ? String.fromCharCode(value) : undefined;
    text = text === null || literal === undefined ? null : text + literal;
    at += 1 + (code?.[0].length ?? 1);
  }
  return { text, at: at + 1 };
}
