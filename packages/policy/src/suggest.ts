import type { Subject } from './claims.ts';
import { allowsPart } from './command-allow.ts';
import { isInside, type PathBase, segmentsOf } from './paths.ts';
import { readArguments } from './programs/arguments.ts';
import { isHarmless, reachesOutside, readsOnly } from './reading.ts';
import { parseRule, uncontainedReading } from './rules.ts';
import { analyse, type CommandPart, type Part } from './shell/analyse.ts';
import { plainWords } from './shell/plain.ts';
import { literalWord, type Word } from './shell/word.ts';
import { isHarmlessAssignment } from './shell/words-of-shell.ts';
import { commandTool } from './tool-names.ts';
import { hostPattern } from './urls.ts';
import { escapePattern } from './wildcard.ts';

const longestText = 200;

/**
 * The rules that an approver may add with the answer, narrowest first: exactly this call, and one sensible widening
 * (two or three words of a command, the folder of a file, a host). Never a bare first word. None where no rule could
 * cover the call, as for a command that leaves a doubt. Each one suggested covers the call that it was made from.
 */
export function suggestRules(question: PathBase & { tool: string; subjects: readonly Subject[] }): string[] {
  const { tool, subjects } = question;
  const [subject] = subjects;
  if (subject === undefined) return [tool];
  if (subjects.every(({ kind }) => kind === 'path')) return suggestPaths(question);
  if (subjects.length > 1) return [];
  const isUrl = subject.kind === 'url';
  // Such a command is asked about only where nothing contains it: one answer may be for all of its kind.
  const all = subject.kind === 'command' && isAskedForLack(subject.value, question.cwd) ? [uncontainedReading] : [];
  const patterns =
    subject.kind === 'command'
      ? suggestCommands(subject.value)
      : isUrl
        ? suggestUrls(subject.value)
        : suggestTexts(subject.value);
  return [...all, ...patterns.map((pattern) => `${tool}(${pattern})`)];
}

const isAskedForLack = (command: string, cwd: string) => readsOnly(command) && !reachesOutside(command, cwd);

/** What a star in a rule for commands does not reach, as a sentence for whoever adds it; null where there is none. */
export function limitOfRule(rule: string): string | null {
  const { tool, pattern } = parseRule(rule);
  if (rule === uncontainedReading) return 'All commands that are known to only read, inside the folder.';
  const [name = '', ...rest] = pattern?.split(/\s+/) ?? [];
  if (tool !== commandTool || !rest.includes('*')) return null;
  const others = 'what runs programs, writes a file that is named, or leads out of the folder';
  return readArguments([literalWord(name)]) === null
    ? `The star does not reach options such as --exec and --output; ${name} is not known here otherwise.`
    : `The star reaches what is known of ${name}, and not ${others}: a rule has to say that.`;
}

function suggestUrls(url: string): string[] {
  const host = hostPattern(url);
  return host === null ? [] : [host];
}

function suggestCommands(command: string): string[] {
  const parts = analyse(command);
  if (command.length > longestText || /\p{Cc}/u.test(command) || parts.some(({ kind }) => kind === 'doubt')) return [];
  const exact = plainWords(command)?.join(' ') ?? command.trim();
  const needing = parts.filter((part) => isHarmless(part, { isContained: false, isQuiet: false }) === null);
  const [part, ...others] = needing.length === 0 ? parts : needing;
  if (part?.kind !== 'command') return [exact];
  const wider = widened(part);
  const isCovered = (each: Part) => each.kind === 'command' && wider !== null && allowsPart(wider, each);
  // Others are covered only if the first one runs them: `npx tsc`.
  return wider !== null && wider !== exact && [part, ...others].every(isCovered) ? [exact, wider] : [exact];
}

/** The first words of a command that say what it does, and a star; with the variables in front of them. */
function widened({ words, assignments }: CommandPart): string | null {
  const variables = assignments.filter((each) => !isHarmlessAssignment(each)).map(({ text }) => text);
  if (!variables.every((text) => text !== null && /^[A-Za-z_]+=[A-Za-z0-9_./:,-]*$/.test(text))) return null;
  const ahead = aheadOf(words);
  return ahead === null ? null : [...variables, ...ahead, '*'].join(' ');
}

/**
 * The words that stay; null where a star behind them would open too much. That is so of every program and subcommand of
 * which the table does not say otherwise.
 */
function aheadOf(words: readonly Word[], isPackage = false): readonly string[] | null {
  const read = readArguments(words);
  if (read === null) return null;
  const { row, leading, found } = read;
  const texts = words.map(({ text }) => text ?? '*');
  const inner = found.find(({ role }) => role === 'command' || role === 'runnable');
  // What a package's own program runs is judged as that program: `npx vitest run *`, `python -m pytest *`.
  const behind = inner === undefined || row.traits.has('wide') ? null : aheadOf(words.slice(inner.at), true);
  if (inner !== undefined && behind !== null && isPackaged(texts, inner.at))
    return [...texts.slice(0, inner.at), ...behind];
  if (!row.traits.has('wide')) return null;
  const named = found.filter(({ role, isOperand }) => isOperand && (role === 'word' || role === 'runnable'));
  const end = named.at(-1)?.at ?? leading - 1;
  const isPlain = texts.slice(1, end + 1).every((word) => /^[a-z][a-z0-9:_-]*$/.test(word));
  if (!isPlain || named.length < row.operands.filter(({ role }) => role === 'word' || role === 'runnable').length)
    return null;
  if (end > 0) return texts.slice(0, end + 1);
  // A checker is given a verb, or files to look at.
  const [first = ''] = texts.slice(1);
  const folder = /^(?:[A-Za-z0-9_][A-Za-z0-9_-]*\/)+(?=[^/]+$)/.exec(first)?.[0];
  if (folder !== undefined) return [...texts.slice(0, 1), `${folder}*`];
  return /^[a-z]+$/.test(first) ? texts.slice(0, 2) : isPackage ? texts.slice(0, 1) : null;
}

/** `npx` and a module of Python: a rule with a star for the program alone would not cover them. */
const isPackaged = ([name = '', ...rest]: readonly string[], at: number) =>
  at === 1 ? /^(?:npx|bunx)$/.test(name) : /^python[0-9.]*$/.test(name) && rest[at - 2] === '-m';

const suggestTexts = (text: string) =>
  text.length > 0 && text.length <= longestText && text === text.trim() && !/\p{Cc}/u.test(text)
    ? [escapePattern(text)]
    : [];

function suggestPaths({
  tool,
  subjects,
  cwd,
  home,
}: PathBase & { tool: string; subjects: readonly Subject[] }): string[] {
  const paths = subjects.map(({ value }) => value);
  if (paths.some((path) => /\p{Cc}|\s$/u.test(path))) return [];
  const [first = '/'] = paths;
  const rules = paths.length === 1 ? [`${tool}(${patternOf(first, cwd)})`] : [];
  const folder = commonFolder(paths);
  const isWorkspace = isInside(folder, cwd);
  if (isWorkspace && paths.length === 1 && folder === `/${segmentsOf(cwd).join('/')}`) return [...rules, `${tool}(*)`];
  if (isWorkspace || isInside(folder, home)) return rules;
  return [...rules, `${tool}(${patternOf(folder, cwd)}/**)`];
}

/** Relative to the session's folder where it lies inside, absolute elsewhere; a name's own stars are escaped. */
function patternOf(path: string, cwd: string): string {
  const segments = segmentsOf(path);
  if (!isInside(cwd, path)) return `/${segments.map(escapePattern).join('/')}`;
  const relative = segments.slice(segmentsOf(cwd).length).map(escapePattern).join('/');
  return relative === '' ? '.' : /^[~ ]/.test(relative) ? `./${relative}` : relative;
}

function commonFolder(paths: readonly string[]): string {
  const [first = [], ...rest] = paths.map((path) => segmentsOf(path).slice(0, -1));
  let length = first.length;
  for (const segments of rest) {
    while (!first.slice(0, length).every((segment, index) => segment === segments[index])) length--;
  }
  return `/${first.slice(0, length).join('/')}`;
}
