/** The commands about tasks, with their flags and help. */
import { Command } from 'commander';
import type { ExitCode } from '../exit-codes.ts';

type Done = (code: ExitCode) => void;

export function tasksCommand(done: Done): Command {
  const tasks = new Command('tasks').description('list, show and cancel the tasks of a session');
  const named = 'the session: its id, the beginning of it, or "latest"';
  tasks
    .command('list')
    .description('list what a session has delegated, and what its tasks have')
    .argument('<session>', named)
    .option('--json', 'as JSON')
    .action(async (session: string, flags: { json?: true }) => {
      const { listTasks } = await import('./command.ts');
      done(await listTasks(session, flags));
    });
  tasks
    .command('show')
    .description('show what a task was given, and what it gave')
    .argument('<session>', named)
    .argument('<task>', 'the task, such as builder-1')
    .option('--json', 'as JSON')
    .action(async (session: string, task: string, flags: { json?: true }) => {
      const { showTask } = await import('./command.ts');
      done(await showTask(session, task, flags));
    });
  tasks
    .command('cancel')
    .description('cancel a task of a session that nobody is running')
    .argument('<session>', named)
    .argument('<task>', 'the task, such as builder-1')
    .option('--reason <text>', 'why')
    .action(async (session: string, task: string, flags: { reason?: string }) => {
      const { cancelTask } = await import('./command.ts');
      done(await cancelTask(session, task, flags));
    });
  return tasks;
}
