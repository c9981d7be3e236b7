/** The commands about sessions, with their flags and help. */
import { Command, Option } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import { addReverseOptions } from '../rewind/commands.ts';
import type { RewindFlags } from '../rewind/rewind.ts';
import { addRunOptions } from '../run/commands.ts';
import type { RunFlags } from '../run/flags.ts';
import type { ListFlags } from './list.ts';
import type { ShowFlags } from './show.ts';

type Done = (code: ExitCode) => void;

export function sessionsCommand(done: Done): Command {
  const sessions = new Command('sessions').description(
    'list, show, resume, fork, rename, archive, delete, export and import sessions',
  );
  addReadingCommands(sessions, done);
  addContinuingCommands(sessions, done);
  addKeepingCommands(sessions, done);
  return sessions;
}

function addReadingCommands(sessions: Command, done: Done): void {
  sessions
    .command('list')
    .description('list the sessions of this folder, newest first')
    .option('-s, --search <words>', 'only those in which all these words were said')
    .option('-a, --all', 'of all folders')
    .option('--archived', 'those that are archived')
    .option('--tasks', 'also the sessions of tasks, below the ones that asked for them')
    .option('-n, --limit <n>', 'at most so many (default: 50)')
    .option('--json', 'as JSON')
    .action(async (flags: ListFlags) => {
      const { listSessions } = await import('./list.ts');
      done(await listSessions(flags));
    });
  sessions
    .command('show')
    .description('show what was said and done in a session')
    .argument('<id>', 'its id, the beginning of it, or "latest"')
    .option('-n, --last <n>', 'the last so many messages, at most 100 (default: 20)')
    .option('--full', 'all of it: every message, thinking, arguments and results, with nothing cut')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: ShowFlags) => {
      const { showSession } = await import('./show.ts');
      done(await showSession(id, flags));
    });
}

/** Going on with a session, or with a copy of it. */
function addContinuingCommands(sessions: Command, done: Done): void {
  addRunOptions(
    sessions
      .command('resume')
      .description('go on with a session, as: pawl run --resume')
      .argument('<id>', 'its id, the beginning of it, or "latest"')
      .argument('[prompt...]', 'what to do; without, what is owed'),
  ).action(async (id: string, words: string[], flags: RunFlags) => {
    const { run } = await import('../run/run.ts');
    done(await run(words, { ...flags, resume: id }));
  });
  sessions
    .command('fork')
    .description('copy a session, whole or up to a message, into one that stands alone')
    .argument('<id>', 'its id, the beginning of it, or "latest"')
    .option('--before <message>', 'up to this message (m12, as shown by: pawl sessions show)')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: { before?: string; json?: true }) => {
      const { forkSession } = await import('./fork.ts');
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
    const { rewind } = await import('../rewind/rewind.ts');
    done(await rewind(id, flags));
  });
}

/** What becomes of the record of a session. */
function addKeepingCommands(sessions: Command, done: Done): void {
  sessions
    .command('rename')
    .description('give a session a name, which lists show in place of its first input')
    .argument('<id>', 'its id, the beginning of it, or "latest"')
    .argument('<name...>', 'its name')
    .action(async (id: string, words: string[]) => {
      const { renameSession } = await import('./listing.ts');
      done(await renameSession(id, words));
    });
  sessions
    .command('archive')
    .description('leave a session out of the list; nothing of it is lost')
    .argument('<id>', 'its id, the beginning of it, or "latest"')
    .option('--undo', 'bring it back')
    .action(async (id: string, flags: { undo?: true }) => {
      const { archiveSession } = await import('./listing.ts');
      done(await archiveSession(id, flags));
    });
  sessions
    .command('delete')
    .description('delete sessions and all that only they hold')
    .argument('<id...>', 'their ids, or the beginnings of them')
    .option('-y, --yes', 'without asking')
    .action(async (ids: string[], flags: { yes?: true }) => {
      const { deleteSessions } = await import('./delete.ts');
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
      const { exportSession } = await import('./export.ts');
      done(await exportSession(id, flags));
    });
  sessions
    .command('import')
    .description('read a session that was exported as JSON')
    .argument('<file>', 'the file; - reads standard input')
    .action(async (file: string) => {
      const { importSession } = await import('./import.ts');
      done(await importSession(file));
    });
}
