import type { Subject } from './claims.ts';
import { allowsPart } from './command-allow.ts';
import { isInside, type PathBase, segmentsOf } from './paths.ts';
import { isHarmless } from './reading.ts';
import { analyse, type CommandPart } from './shell/analyse.ts';
import { plainWords } from './shell/plain.ts';
import { wrappers } from './tables/wrappers.ts';
import { hostPattern } from './urls.ts';
import { escapePattern } from './wildcard.ts';

/** Words after which the next one says what is really run: `npm run test`, `docker compose up`. */
const indirections = new Set(['run', 'run-script', 'exec', 'compose', 'dlx', 'x', 'tool', 'workspace']);
/** Programs whose first argument is no subcommand, and which a rule with a star would open too far. */
const neverWidened = new Set(
  'bash chmod chown cp curl dash dd deno eval install kill killall ln make mkdir mv node perl php python python3 rm rmdir ruby scp sh ssh tee touch wget zsh'.split(
    ' ',
  ),
);
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
  if (part?.kind !== 'command' || others.length > 0) return [exact];
  const wider = widened(part);
  return wider !== null && wider !== exact && allowsPart(wider, part) ? [exact, wider] : [exact];
}

/** The first words of a command that say what it does, and a star. */
function widened({ words, assignments }: CommandPart): string | null {
  const [name, second, third] = words.map(({ text }) => text);
  if (assignments.length > 0 || name == null || second == null) return null;
  if (Object.hasOwn(wrappers, name) || neverWidened.has(name) || !/^[A-Za-z0-9_./+-]+$/.test(name)) return null;
  const isSubcommand = (word: string) => /^[a-z][a-z0-9:_-]*$/.test(word);
  if (!isSubcommand(second)) return null;
  if (!indirections.has(second)) return `${name} ${second} *`;
  return third != null && isSubcommand(third) ? `${name} ${second} ${third} *` : null;
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
