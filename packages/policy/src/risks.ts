import { baseName } from './shell/unwrap.ts';
import type { Word } from './shell/word.ts';
import { readers } from './tables/readers.ts';
import { generalRisk, projectRunners, type Risk, risks } from './tables/risks.ts';

/** Whether a table says which of a program's arguments run other programs; of any other they may all do so. */
export function isKnownProgram(name: string): boolean {
  return Object.hasOwn(risks, entryOf(name)) || Object.hasOwn(readers, name);
}

/** `python3.12` is `python3`, or else `python`. */
function entryOf(name: string): string {
  if (Object.hasOwn(risks, name)) return name;
  const names = [name.replace(/\.[0-9.]+$/, ''), name.replace(/-?[0-9][0-9.]*$/, '')];
  return names.find((each) => Object.hasOwn(risks, each)) ?? name;
}

/** Whether the word at this place is the text of the option in front of it. */
export function isText(words: readonly Word[], index: number): boolean {
  const name = entryOf(baseName(words[0]?.text ?? ''));
  const texts = Object.hasOwn(risks, name) ? (risks[name]?.texts ?? []) : [];
  return words[index]?.isSingle === true && texts.includes(words[index - 1]?.text ?? '');
}

/** The arguments that an allow must name to cover them, by their places in the command; the name itself is 0. */
export function riskyWords(words: readonly Word[]): number[] {
  const [first, ...rest] = words;
  const name = entryOf(baseName(first?.text ?? ''));
  // What stands behind `python -m pytest` and `uv run pytest` is for pytest, whose own entry says more.
  const leading = Object.hasOwn(projectRunners, name) ? projectRunners[name] : [];
  if (leading?.includes(rest[0]?.text ?? '') && Object.hasOwn(risks, entryOf(rest[1]?.text ?? ''))) {
    return [...riskyWords(words.slice(0, 2)), ...riskyWords(rest.slice(1)).map((index) => index + 2)];
  }
  const own = Object.hasOwn(risks, name) ? (risks[name] as Risk) : {};
  const place = rest.findIndex(
    ({ text }, index) => text === null || !text.startsWith('-') || rest[index - 1]?.text === '--',
  );
  const operand = place < 0 ? null : (rest[place]?.text ?? '');
  return rest.flatMap((word, index) => {
    const { text } = word;
    if (isText(words, index + 1)) return [];
    if (text === null) return mayBecomeRisky(own, word, { isOperand: index === place, operand }) ? [index + 1] : [];
    const isRisky =
      isRiskyWord(generalRisk, text) ||
      isRiskyWord(own, text) ||
      (index === place && isRiskyOperand(own, text)) ||
      (own.front !== undefined && (place < 0 || index < place) && !own.front.includes(text)) ||
      (operand !== null &&
        index > place &&
        Object.hasOwn(own.after ?? {}, operand) &&
        own.after?.[operand]?.some((start) => isSpelling(start, text)) === true) ||
      (index === 0 && place === 0 && Array.from(own.bundled ?? '').some((letter) => text.includes(letter)));
    return isRisky ? [index + 1] : [];
  });
}

/** Whether the shell may make something of a word that an allow must name. That it may become an option is told elsewhere. */
function mayBecomeRisky(
  { subcommands = [], harmlessScript, inside, beginnings = [], words = [], after = {}, bundled }: Risk,
  { lead, glob }: Word,
  { isOperand, operand }: { isOperand: boolean; operand: string | null },
): boolean {
  // Of a pattern that may be any name of the folder nothing is suspected here.
  const mayBegin = (start: string) =>
    (lead !== '' || glob === null) && (start.startsWith(lead) || lead.startsWith(start));
  const behind = operand !== null && Object.hasOwn(after, operand) ? after[operand] : [];
  if ([...beginnings, ...words, ...(behind ?? [])].some((start) => !start.startsWith('-') && mayBegin(start)))
    return true;
  // Names of files that begin with a folder are neither scripts nor variables.
  if (inside !== undefined && (glob === null || !lead.includes('/'))) return true;
  const isScript = harmlessScript !== undefined || bundled !== undefined || Object.keys(after).length > 0;
  return isOperand && (isScript || subcommands.some(mayBegin));
}

/** One letter also within a cluster. */
const isSpelling = (start: string, text: string) =>
  text.startsWith(start) || (/^-[A-Za-z]$/.test(start) && /^-[^-]/.test(text) && text.includes(start.slice(1)));

const isRiskyOperand = ({ subcommands, harmlessScript }: Risk, text: string) =>
  subcommands?.includes(text) === true || (harmlessScript !== undefined && !harmlessScript.test(text));

function isRiskyWord({ long = [], short = '', words = [], beginnings = [], inside }: Risk, text: string): boolean {
  if (words.includes(text) || beginnings.some((start) => text.startsWith(start)) || inside?.test(text) === true)
    return true;
  if (text.startsWith('--')) {
    const name = text.slice(2).split('=')[0] as string;
    // Programs take the beginning of an option for the whole.
    return name.length > 0 && long.some((option) => option.startsWith(name));
  }
  return /^-[^-]/.test(text) && Array.from(short).some((letter) => text.includes(letter));
}
