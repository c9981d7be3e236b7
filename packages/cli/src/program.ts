/** The command line: commands, flags and their help. What a command does is loaded when it is called. */
import { permissionModes } from '@pawl/protocol';
import { Command, CommanderError, Option } from 'commander';
import { agentsCommand } from './agents/commands.ts';
import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';
import { memoryCommand } from './memory/commands.ts';
import { policyCommands } from './policy/commands.ts';
import { withCommand } from './prompt-line.ts';
import { reachCommands } from './reach/commands.ts';
import type { RewindFlags } from './rewind/rewind.ts';
import type { UndoFlags } from './rewind/undo.ts';
import type { RunFlags } from './run/flags.ts';
import { version } from './version.ts';

const examples = `
Examples:
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
  const program = createProgram((code) => {
    exitCode = code;
  });
  if (argv.length === 0) {
    program.outputHelp();
    return exitCode;
  }
  try {
    await program.parseAsync(withCommand(argv, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.completed : exitCodes.usage;
  }
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
    .showHelpAfterError('(pawl --help tells more; a prompt of one word is run with: pawl run "…")')
    .configureOutput({
      outputError: (text, write) => write(`pawl: ${text.replace(/^error: /, '')}`),
    })
    .exitOverride();
  program.addCommand(runCommand(done));
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
    .option('-C, --cwd <folder>', 'the folder to work in, if not this one')
    .option('--user <name>', 'for whom the new session works')
    .option('--channel <name>', 'where it came in')
    .option('--workflow <slug/step>', 'the step of a workflow that it is')
    .option('--meta <key=value>', 'more to keep with it; may be repeated', collect);
  return addRunOptions(command).action(async (words: string[], flags: RunFlags) => {
    const { run } = await import('./run/run.ts');
    done(await run(words, flags));
  });
}

const collect = (value: string, before: string[] = []) => [...before, value];

function addRunOptions(command: Command): Command {
  return command
    .option('-m, --model <name>', 'the model: demo, replay:<file>, <provider>/<model>, or a pool')
    .option('-a, --attach <file>', 'an image or a PDF that goes with the prompt; may be repeated', collect)
    .option('--agent <name>', 'the agent: builder, planner, or one of your own (pawl agents list)')
    .option('--execute-plan [agent]', "carry out the session's plan (default: by builder)")
    .addOption(
      new Option('--permission-mode <mode>', "how the tools' own questions are answered").choices(permissionModes),
    )
    .addOption(
      new Option(
        '--sandbox <mode>',
        'what commands may change (default: workspace-write, where it is to be had)',
      ).choices(['workspace-write', 'read-only', 'off']),
    )
    .option('--allow <rule>', 'allow calls, as tool or tool(pattern); may be repeated', collect)
    .option('--ask <rule>', 'ask for calls, whatever the mode; may be repeated', collect)
    .option('--deny <rule>', 'deny calls; may be repeated', collect)
    .addOption(
      new Option('--output-format <format>', 'text, one JSON object at the end, or the events as they happen')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('-v, --verbose', 'show everything as it happens: thinking, what tools say, whole diffs')
    .option('--show-thinking', 'show what the model thinks')
    .option('--output-schema <file>', 'a JSON Schema: the result is JSON that satisfies it')
    .option('--tool-choice <choice>', 'auto, none, required, or the name of the tool to call first')
    .option('--request-timeout <time>', 'the longest time of one call of the model')
    .option('--until-done', 'keep going until the agent says that it is done and nothing is open')
    .option('--max-iterations <n>', 'with --until-done: the most rounds (default: 10)')
    .option('--verify <command>', 'with --until-done: what must succeed before it counts as done; run without asking')
    .option('--max-steps <n>', 'the most model calls of the turn (default: 20)')
    .option('--max-duration <time>', 'the longest time of the turn: 90s, 5m, or seconds')
    .option('--max-tokens <n>', 'the most tokens of the turn')
    .option('--max-usd <dollars>', 'the most dollars of the turn')
    .option('--session-tokens <n>', 'the most tokens of the session in all; also raises the limit of one that exists')
    .option('--session-usd <dollars>', 'the most dollars of the session in all; likewise')
    .option('--attended', 'what must be asked about waits for an answer from another terminal (pawl approve)')
    .addOption(
      new Option('--input-format <format>', 'what comes on standard input: text of the prompt, or commands')
        .choices(['text', 'stream-json'])
        .default('text'),
    )
    .option('--record <file>', "record the model's traffic, for --model replay:<file>")
    .option(
      '--record-wire <file>',
      'record the bytes of all requests and answers, to report a fault; keys are left out',
    )
    .option('--replay-wire <file>', 'play such a recording instead of using the network')
    .option('--replay-any-body', 'with --replay-wire: also if the requests are not the recorded ones');
}

/** What taking back and doing again have in common. */
function addReverseOptions(command: Command): Command {
  return command
    .option('-n, --dry-run', 'only show what would be done, as a diff')
    .option('--skip-changed', 'leave out files that were changed since, instead of doing nothing')
    .option('--outside', "also files outside of the session's folder")
    .option('--obeyed', 'also files that other programs obey, such as .git and .vscode')
    .option('--json', 'as JSON');
}

function undoCommands(done: Done): Command[] {
  return (['undo', 'redo'] as const).map((direction) =>
    addReverseOptions(
      new Command(direction)
        .description(
          direction === 'undo'
            ? 'take back the file changes of the last turn, and of the one before when called again'
            : 'do undone file changes again',
        )
        .argument('[session]', 'its id, the beginning of it, or "latest" (default: the newest of this folder)')
        .option('--turn <n>', 'of this turn'),
    ).action(async (session: string | undefined, flags: UndoFlags) => {
      const { undo } = await import('./rewind/undo.ts');
      done(await undo(session, direction, flags));
    }),
  );
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
      const { printSchema } = await import('./config/schema.ts');
      done(await printSchema());
    });
  return [models, doctor, usage, context, config];
}

function tasksCommand(done: Done): Command {
  const tasks = new Command('tasks').description('list, show and cancel the tasks of a session');
  const named = 'the session: its id, the beginning of it, or "latest"';
  tasks
    .command('list')
    .description('list what a session has delegated, and what its tasks have')
    .argument('<session>', named)
    .option('--json', 'as JSON')
    .action(async (session: string, flags: { json?: true }) => {
      const { listTasks } = await import('./tasks/command.ts');
      done(await listTasks(session, flags));
    });
  tasks
    .command('show')
    .description('show what a task was given, and what it gave')
    .argument('<session>', named)
    .argument('<task>', 'the task, such as builder-1')
    .option('--json', 'as JSON')
    .action(async (session: string, task: string, flags: { json?: true }) => {
      const { showTask } = await import('./tasks/command.ts');
      done(await showTask(session, task, flags));
    });
  tasks
    .command('cancel')
    .description('cancel a task of a session that nobody is running')
    .argument('<session>', named)
    .argument('<task>', 'the task, such as builder-1')
    .option('--reason <text>', 'why')
    .action(async (session: string, task: string, flags: { reason?: string }) => {
      const { cancelTask } = await import('./tasks/command.ts');
      done(await cancelTask(session, task, flags));
    });
  return tasks;
}

function sessionsCommand(done: Done): Command {
  const sessions = new Command('sessions').description('list, show, resume, fork, delete, export and import sessions');
  sessions
    .command('list')
    .description('list the sessions of this folder, newest first')
    .option('-s, --search <words>', 'only those in which all these words were said')
    .option('-a, --all', 'of all folders')
    .option('--tasks', 'also the sessions of tasks, below the ones that asked for them')
    .option('-n, --limit <n>', 'at most so many (default: 50)')
    .option('--json', 'as JSON')
    .action(async (flags: { search?: string; all?: true; tasks?: true; limit?: string; json?: true }) => {
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
  addReverseOptions(
    sessions
      .command('rewind')
      .description('put files, the conversation or both back to before a message')
      .argument('<id>', 'its id, the beginning of it, or "latest"')
      .requiredOption('--before <message>', 'the message (m12, as shown by: pawl sessions show)')
      .option('--files', 'the files that the session changed since')
      .option('--conversation', 'a copy of the session that stops there')
      .option('--both', 'both'),
  ).action(async (id: string, flags: RewindFlags) => {
    const { rewind } = await import('./rewind/rewind.ts');
    done(await rewind(id, flags));
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
  sessions
    .command('import')
    .description('read a session that was exported as JSON')
    .argument('<file>', 'the file; - reads standard input')
    .action(async (file: string) => {
      const { importSession } = await import('./sessions/import.ts');
      done(await importSession(file));
    });
  return sessions;
}
