import type { Subject } from './claims.ts';
import { allowsPart } from './command-allow.ts';
import { isInside, type PathBase, segmentsOf } from './paths.ts';
import { isHarmless, isHarmlessAssignment } from './reading.ts';
import { analyse, type CommandPart, type Part } from './shell/analyse.ts';
import { plainWords } from './shell/plain.ts';
import { baseName } from './shell/unwrap.ts';
import { projectRunners, risks } from './tables/risks.ts';
import {
  checkers,
  checkingModules,
  depths,
  indirections,
  neverWidened,
  neverWidenedPairs,
  neverWidenedVerbs,
  packageRunners,
} from './tables/widening.ts';
import { wrappers } from './tables/wrappers.ts';
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
  const isUrl = subject.kind === 'url' || tool === 'web_fetch';
  const patterns =
    subject.kind === 'command'
      ? suggestCommands(subject.value)
      : isUrl
        ? suggestUrls(subject.value)
        : suggestTexts(subject.value);
  return patterns.map((pattern) => `${tool}(${pattern})`);
}

function suggestUrls(url: string): string[] {
  const host = hostPattern(url);
  return host === null ? [] : [host];
}

function suggestCommands(command: string): string[] {
  const parts = analyse(command);
  if (command.length > longestText || /\p{Cc}/u.test(command) || parts.some(({ kind }) => kind === 'doubt')) return [];
  const exact = plainWords(command)?.join(' ') ?? command.trim();
  const needing = parts.filter((part) => isHarmless(part, { isContained: false }) === null);
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
  const ahead = aheadOf(words.map(({ text }) => text ?? '*'));
  return ahead === null ? null : [...variables, ...ahead, '*'].join(' ');
}

/** The words that stay; null where a star behind them would open too much. */
function aheadOf([name = '', ...rest]: readonly string[]): readonly string[] | null {
  const [first = '', second = ''] = rest;
  if (/^python[0-9.]*$/.test(name) && first === '-m') return checkingModules.has(second) ? [name, '-m', second] : null;
  if (!/^[A-Za-z0-9_./+-]+$/.test(name) || neverWidened.has(baseName(name))) return null;
  const folder = checkers.has(name) ? folderOf(first) : null;
  if (folder !== null) return [name, `${folder}*`];
  const end = rest.findIndex((word) => !/^[a-z][a-z0-9:_-]*$/.test(word));
  const verbs = end < 0 ? rest : rest.slice(0, end);
  if (packageRunners.has(name)) {
    const inner = verbs.slice(0, 2);
    return inner.length === 0 || inner.some((verb) => isProgram(verb)) ? null : [name, ...inner];
  }
  if (Object.hasOwn(wrappers, name)) return null;
  const place = lastVerb(name, verbs);
  const kept = verbs.slice(0, place + 1);
  return place < verbs.length && kept.every((_, index) => isNarrow(name, verbs, index)) ? [name, ...kept] : null;
}

/** `tests/unit/` of `tests/unit/a.py`. */
const folderOf = (path: string): string | null =>
  /^(?:[A-Za-z0-9_][A-Za-z0-9_-]*\/)+(?=[^/]+$)/.exec(path)?.[0] ?? null;

/** Where the word stands that says what is done: behind all that only lead to it. */
function lastVerb(name: string, verbs: readonly string[]): number {
  let place = ((Object.hasOwn(depths, name) ? depths[name] : undefined) ?? 1) - 1;
  while (!checkers.has(name) && indirections.has(verbs[place] ?? '')) place += verbs[place] === 'workspace' ? 2 : 1;
  return place;
}

const isRiskySubcommand = (name: string, verb: string) =>
  Object.hasOwn(risks, name) && risks[name]?.subcommands?.includes(verb) === true;

const isProgram = (word: string) => neverWidened.has(word) || Object.hasOwn(wrappers, word);

function isNarrow(name: string, verbs: readonly string[], index: number): boolean {
  const verb = verbs[index] ?? '';
  // In a container anything may be run.
  if (verbs[index - 1] === 'compose' && /^(?:exec|run)$/.test(verb)) return false;
  if (verb === 'exec') return Object.hasOwn(projectRunners, name) && projectRunners[name]?.includes(verb) === true;
  // A rule that names what would else need one by itself allows all that it does: `git bisect run …`.
  if (index === 0 && !indirections.has(verb) && isRiskySubcommand(name, verb)) return false;
  return !neverWidenedPairs.has(`${name}-${verb}`) && !neverWidenedVerbs.has(verb) && !isProgram(verb);
}

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
