/** The command line: commands, flags and their help. What a command does is loaded when it is called. */
import { Command, CommanderError } from 'commander';
import { agentsCommand } from './agents/commands.ts';
import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';
import { memoryCommand } from './memory/commands.ts';
import { policyCommands } from './policy/commands.ts';
import { withCommand } from './prompt-line.ts';
import { reachCommands } from './reach/commands.ts';
import { undoCommands } from './rewind/commands.ts';
import { runCommand } from './run/commands.ts';
import { sessionsCommand } from './sessions/commands.ts';
import { tasksCommand } from './tasks/commands.ts';
import { isAtTerminal } from './terminal/is-at-terminal.ts';
import { version } from './version.ts';

const examples = `
Examples:
  pawl                                  a conversation, at a terminal
  pawl "Fix the failing test"           the same, with a first prompt; -c and -r <id> go on with one
  pawl run "Fix the failing test"       one turn and its outcome, as it is wherever there is no terminal
  pawl --model demo "Find every TODO in this folder and write a report to TODO.md"
  pawl --model anthropic/<id> --permission-mode accept-edits "Fix the failing test"
  git diff | pawl -p "Review this change" --output-format json
  pawl --continue "Now the same for the other module"
  pawl --resume <id>

Models: demo, replay:<file>, <provider>/<model> such as anthropic/<model> (ANTHROPIC_API_KEY), or a pool of
  config.yaml; @high and the like choose a variant. pawl models lists them. PAWL_MODEL is the default.
Sessions are kept in $XDG_DATA_HOME/pawl (~/.local/share/pawl); PAWL_HOME puts them elsewhere.

Exit codes:
  0 completed   1 failed   2 usage or configuration   3 completed, but something was refused because
  nobody was there to be asked   4 a limit was reached   6 blocked   75 try again later   130 cancelled
  141 nobody reads the output any more
`;

/** Runs one command line, without the program's name. Gives the exit code; mistakes of the line itself are told. */
export async function runCommandLine(argv: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.completed;
  const isTerminal = isAtTerminal();
  let isConversation = false;
  const program = createProgram(
    (code) => {
      exitCode = code;
    },
    () => isConversation,
  );
  if (argv.length === 0 && !isTerminal) {
    program.outputHelp();
    return exitCode;
  }
  try {
    const line = argv.length === 0 ? ['run'] : withCommand(argv, program);
    isConversation = isTerminal && line.length > argv.length;
    await program.parseAsync(line, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.completed : exitCodes.usage;
  }
}

type Done = (code: ExitCode) => void;

/** The commands with their flags; `done` is told how one ended. */
export function createProgram(done: Done, isConversation: () => boolean = () => false): Command {
  const program = new Command('pawl')
    .description('Durable agents at the terminal: every step is kept, and any run can be resumed.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', examples)
    .showSuggestionAfterError()
    .showHelpAfterError('(pawl --help tells more)')
    .configureOutput({
      outputError: (text, write) => {
        write(`pawl: ${text.replace(/^error: /, '')}`);
        if (text.includes('unknown command')) write('(A prompt of one word is run with: pawl run "…")\n');
      },
    })
    .exitOverride();
  program.addCommand(runCommand(done, isConversation));
  program.addCommand(sessionsCommand(done));
  for (const command of reachCommands(done)) program.addCommand(command);
  program.addCommand(tasksCommand(done));
  for (const command of undoCommands(done)) program.addCommand(command);
  for (const command of lookingCommands(done)) program.addCommand(command);
  for (const command of policyCommands(done)) program.addCommand(command);
  program.addCommand(agentsCommand(done));
  program.addCommand(memoryCommand(done));
  for (const command of allCommands(program)) command.copyInheritedSettings(program).exitOverride();
  return program;
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...allCommands(child as Command)]);
}

/** Commands that look at how things are. */
function lookingCommands(done: Done): Command[] {
  const models = new Command('models')
    .description('show providers, keys, pools and models; with words, search the catalogue')
    .argument('[words...]', 'what a model must have in its name, such as a provider or a family')
    .option('--credit', 'also ask the providers that tell it what is left of each account')
    .option('--json', 'as JSON')
    .action(async (words: string[], flags: { json?: true; credit?: true }) => {
      const { showModels } = await import('./models/command.ts');
      done(await showModels(words, flags));
    });
  const doctor = new Command('doctor')
    .description('check the configuration, keys, data and tools, and say what to do')
    .option('--models [names...]', 'also ask each configured model, or these, for a word')
    .option('--timeout <time>', 'how long a model may take (default: 30s)')
    .option('--json', 'as JSON')
    .action(async (flags: { models?: true | string[]; timeout?: string; json?: true }) => {
      const { doctor } = await import('./doctor/command.ts');
      done(await doctor(flags));
    });
  const usage = new Command('usage')
    .description('show tokens and cost of all sessions')
    .option(
      '--by <what...>',
      'day, model, agent, session, user or workflow; several make one row for each pair (default: day)',
    )
    .option('--since <day>', 'from this day on, as 2026-11-01, or so many days back, as 7d (default: 30d)')
    .option('--here', 'only sessions of this folder')
    .option('--json', 'as JSON')
    .action(async (flags: { by?: string[]; since?: string; here?: true; json?: true }) => {
      const { showUsage } = await import('./usage/command.ts');
      done(await showUsage(flags));
    });
  const context = new Command('context')
    .description('show what the model sees of a session, region by region, with tokens')
    .argument('<session>', 'its id, the beginning of it, or "latest"')
    .option('--list', 'what could be taken out of what the model sees, the largest first')
    .option('--remove <id>', 'take this out of what the model sees; the log keeps it')
    .option('--json', 'as JSON')
    .action(async (session: string, flags: { json?: true; list?: true; remove?: string }) => {
      const { showContext } = await import('./context/command.ts');
      const { listContents, removeContent } = await import('./context/remove.ts');
      if (flags.remove !== undefined) done(await removeContent(session, flags.remove));
      else done(await (flags.list === true ? listContents(session, flags) : showContext(session, flags)));
    });
  const config = new Command('config').description('about the configuration');
  config
    .command('schema')
    .description('print the JSON Schema of config.yaml, for editors')
    .action(async () => {
      const { printSchema } = await import('./config/schema/print.ts');
      done(await printSchema());
    });
  return [models, doctor, usage, context, config];
}
