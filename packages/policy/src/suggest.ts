import { isWrapper, plainWords } from './commands.ts';
import type { Subject } from './judge.ts';
import { isInside, type PathBase, segmentsOf } from './paths.ts';
import { escapePattern } from './wildcard.ts';

/** Words after which the next one says what is really run: `npm run test`, `docker compose up`. */
const indirections = new Set(['run', 'run-script', 'exec', 'compose', 'dlx', 'x', 'tool', 'workspace']);
/** Programs whose first argument is no subcommand, and which a rule with a star would open too far. */
const neverWidened = new Set(
  'chmod chown cp curl dd deno install kill killall ln make mkdir mv node php rm rmdir ruby scp tee touch wget'.split(
    ' ',
  ),
);
const longestText = 200;

/**
 * The rules that an approver may add with the answer, narrowest first: exactly this call, and one sensible widening
 * (two or three words of a command, the folder of a file). Never a bare first word. None where no rule could cover the
 * call, as for a command with shell syntax. Each one suggested covers the call that it was made from.
 */
export function suggestRules(question: PathBase & { tool: string; subjects: readonly Subject[] }): string[] {
  const { tool, subjects } = question;
  const [subject] = subjects;
  if (subject === undefined) return [tool];
  if (subjects.every(({ kind }) => kind === 'path')) return suggestPaths(question);
  if (subjects.length > 1) return [];
  const patterns = subject.kind === 'command' ? suggestCommands(subject.value) : suggestTexts(subject.value);
  return patterns.map((pattern) => `${tool}(${pattern})`);
}

function suggestCommands(command: string): string[] {
  const words = plainWords(command);
  if (words === null) return [];
  const exact = words.join(' ');
  const [name, second, third] = words;
  if (name === undefined || second === undefined || isWrapper(name) || neverWidened.has(name)) return [exact];
  const isSubcommand = (word: string) => /^[a-z][a-z0-9:_-]*$/.test(word);
  if (!isSubcommand(second)) return [exact];
  if (!indirections.has(second)) return [exact, `${name} ${second} *`];
  return third !== undefined && isSubcommand(third) ? [exact, `${name} ${second} ${third} *`] : [exact];
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
