/** The command line: commands, flags and their help. What a command does is loaded when it is called. */
import { Command, CommanderError, Option } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';
import type { RunFlags } from './run/flags.ts';
import { version } from './version.ts';

const examples = `
Examples:
  pawl run --model demo "Find every TODO in this folder and write a report to TODO.md"
  pawl run --model anthropic/<id> --permission-mode accept-edits "Fix the failing test"
  git diff | pawl -p "Review this change" --output-format json
  pawl run --continue "Now the same for the other module"
  pawl run --resume <id>

Models: demo, replay:<file>, anthropic/<id> (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL),
  openai-chat/<id> (OPENAI_API_KEY, OPENAI_BASE_URL). PAWL_MODEL is the default.
Sessions are kept in $XDG_DATA_HOME/pawl (~/.local/share/pawl); PAWL_HOME puts them elsewhere.

Exit codes:
  0 completed   1 failed   2 usage or configuration   3 completed, but something was refused because
  nobody was there to be asked   4 a limit was reached   6 blocked   75 try again later   130 cancelled
`;

/** Runs one command line, without the program's name. Gives the exit code; mistakes of the line itself are told. */
export async function runCommandLine(argv: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.completed;
  const program = createProgram((code) => {
    exitCode = code;
  });
  if (argv.length === 0) {
    program.outputHelp();
    return exitCode;
  }
  try {
    await program.parseAsync(argvWithCommand(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.completed : exitCodes.usage;
  }
}

/** `pawl -p …` is `pawl run -p …`. */
function argvWithCommand(argv: readonly string[]): string[] {
  const [first] = argv;
  const isPrompt = first !== undefined && /^(?:-p|--prompt\b)/.test(first);
  return isPrompt ? ['run', ...argv] : [...argv];
}

type Done = (code: ExitCode) => void;

function createProgram(done: Done): Command {
  const program = new Command('pawl')
    .description('Durable agents at the terminal: every step is kept, and any run can be resumed.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', examples)
    .showSuggestionAfterError()
    .showHelpAfterError('(pawl --help tells more; a prompt is run with: pawl run "…")')
    .configureOutput({
      outputError: (text, write) => write(`pawl: ${text.replace(/^error: /, '')}`),
    })
    .exitOverride();
  program.addCommand(runCommand(done));
  program.addCommand(sessionsCommand(done));
  for (const command of allCommands(program)) command.copyInheritedSettings(program).exitOverride();
  return program;
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...allCommands(child as Command)]);
}

function runCommand(done: Done): Command {
  const command = new Command('run')
    .description('run a prompt until its turn has ended, or go on with a session')
    .argument('[prompt...]', 'what to do; what is piped in is added to it, and - waits for it')
    .option('-p, --prompt [text]', 'the prompt, also as: pawl -p "…"')
    .addOption(
      new Option('-c, --continue', 'go on with the newest session of this folder').conflicts(['resume', 'sessionId']),
    )
    .addOption(
      new Option('-r, --resume <id>', 'go on with a session: its id, the beginning of it, or "latest"').conflicts(
        'sessionId',
      ),
    )
    .option('--session-id <id>', 'the id of the new session')
    .option('-C, --cwd <folder>', 'the folder to work in, if not this one');
  return addRunOptions(command).action(async (words: string[], flags: RunFlags) => {
    const { run } = await import('./run/run.ts');
    done(await run(words, flags));
  });
}

const collect = (value: string, before: string[] = []) => [...before, value];

function addRunOptions(command: Command): Command {
  return command
    .option('-m, --model <name>', 'the model (demo, anthropic/<id>, openai-chat/<id>, replay:<file>)')
    .option('--agent <name>', 'the agent')
    .addOption(
      new Option('--permission-mode <mode>', "how the tools' own questions are answered").choices([
        'manual',
        'accept-edits',
        'plan',
        'auto',
      ]),
    )
    .option('--allow <rule>', 'allow calls, as tool or tool(pattern); may be repeated', collect)
    .option('--ask <rule>', 'ask for calls, whatever the mode; may be repeated', collect)
    .option('--deny <rule>', 'deny calls; may be repeated', collect)
    .addOption(
      new Option('--output-format <format>', 'text, one JSON object at the end, or the events as they happen')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('--max-steps <n>', 'the most model calls of the turn (default: 20)')
    .option('--max-duration <time>', 'the longest time of the turn: 90s, 5m, or seconds')
    .option('--max-tokens <n>', 'the most tokens of the turn')
    .option('--max-usd <dollars>', 'the most dollars of the turn')
    .option('--record <file>', "record the model's traffic, for --model replay:<file>");
}

function sessionsCommand(done: Done): Command {
  const sessions = new Command('sessions').description('list, show, resume, fork, delete and export sessions');
  sessions
    .command('list')
    .description('list the sessions of this folder, newest first')
    .option('-s, --search <words>', 'only those in which all these words were said')
    .option('-a, --all', 'of all folders')
    .option('-n, --limit <n>', 'at most so many (default: 50)')
    .option('--json', 'as JSON')
    .action(async (flags: { search?: string; all?: true; limit?: string; json?: true }) => {
      const { listSessions } = await import('./sessions/list.ts');
      done(await listSessions(flags));
    });
  sessions
    .command('show')
    .description('show what was said and done in a session')
    .argument('<id>', 'its id, the beginning of it, or "latest"')
    .option('-n, --last <n>', 'the last so many messages, at most 100 (default: 20)')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: { last?: string; json?: true }) => {
      const { showSession } = await import('./sessions/show.ts');
      done(await showSession(id, flags));
    });
  addRunOptions(
    sessions
      .command('resume')
      .description('go on with a session, as: pawl run --resume')
      .argument('<id>', 'its id, the beginning of it, or "latest"')
      .argument('[prompt...]', 'what to do; without, what is owed'),
  ).action(async (id: string, words: string[], flags: RunFlags) => {
    const { run } = await import('./run/run.ts');
    done(await run(words, { ...flags, resume: id }));
  });
  sessions
    .command('fork')
    .description('copy a session, whole or up to a message, into one that stands alone')
    .argument('<id>', 'its id, the beginning of it, or "latest"')
    .option('--before <message>', 'up to this message (m12, as shown by: pawl sessions show)')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: { before?: string; json?: true }) => {
      const { forkSession } = await import('./sessions/fork.ts');
      done(await forkSession(id, flags));
    });
  sessions
    .command('delete')
    .description('delete sessions and all that only they hold')
    .argument('<id...>', 'their ids, or the beginnings of them')
    .option('-y, --yes', 'without asking')
    .action(async (ids: string[], flags: { yes?: true }) => {
      const { deleteSessions } = await import('./sessions/delete.ts');
      done(await deleteSessions(ids, flags));
    });
  sessions
    .command('export')
    .description('write a session as a document')
    .argument('<id>', 'its id, the beginning of it, or "latest"')
    .addOption(
      new Option('-f, --format <format>', 'of the document; default: by the name of the file, else markdown').choices([
        'markdown',
        'html',
        'json',
      ]),
    )
    .option('-o, --output <file>', 'where to write it, if not to standard output')
    .action(async (id: string, flags: { format?: 'markdown' | 'html' | 'json'; output?: string }) => {
      const { exportSession } = await import('./sessions/export.ts');
      done(await exportSession(id, flags));
    });
  return sessions;
}
