/** `pawl "fix the test"`, `pawl -c`, `pawl -m demo -p hi`: a command line that names no command is one of `run`. */
import { nearest } from '@pawl/models/near';
import type { Command, Option } from 'commander';

/** Flags of the program itself. */
const ownFlags: ReadonlySet<string> = new Set(['-h', '--help', '-V', '--version']);

/**
 * The command line with its command first. A single word that is no command stays as it is, and is refused: it is a
 * mistyped command more often than a prompt.
 */
export function withCommand(argv: readonly string[], program: Command): string[] {
  const [first = ''] = argv;
  if (ownFlags.has(first) || nameOf(first, program) !== null) return [...argv];
  const run = program.commands.find((command) => command.name() === 'run');
  const words = wordsAt(argv, run?.options ?? []);
  const [at, ...more] = words;
  const word = at === undefined ? '' : (argv[at] ?? '');
  const command = nameOf(word, program);
  // Flags before the name of `run` are its own; before another command they are a mistake, which is told.
  if (at !== undefined && command === 'run') return ['run', ...argv.slice(0, at), ...argv.slice(at + 1)];
  if (command !== null) return [...argv];
  const isPrompt = first.startsWith('-') || more.length > 0 || /\s/.test(word);
  const isMistyped = !first.startsWith('-') && !/\s/.test(word) && nearest(word, commandNames(program)) !== null;
  return isPrompt && !isMistyped ? ['run', ...argv] : [...argv];
}

/** Places of the words that are neither flags nor values of flags. */
function wordsAt(argv: readonly string[], options: readonly Option[]): number[] {
  const words: number[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return [...words, ...argv.keys().filter((index) => index > at)];
    if (!word.startsWith('-') || word === '-') {
      words.push(at);
      continue;
    }
    const option = options.find(({ short, long }) => short === word || long === word);
    const next = argv[at + 1];
    if (option?.required === true || (option?.optional === true && next?.startsWith('-') === false)) at++;
  }
  return words;
}

function nameOf(word: string, program: Command): string | null {
  return commandNames(program).includes(word) ? word : null;
}

const commandNames = (program: Command) => ['help', ...program.commands.map((command) => command.name())];
