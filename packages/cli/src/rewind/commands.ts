/** `pawl undo` and `pawl redo`, with their flags and help. */
import { Command } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import type { UndoFlags } from './undo.ts';

type Done = (code: ExitCode) => void;

/** What taking back and doing again have in common. */
export function addReverseOptions(command: Command): Command {
  return command
    .option('-n, --dry-run', 'only show what would be done, as a diff')
    .option('--skip-changed', 'leave out files that were changed since, instead of doing nothing')
    .option('--outside', "also files outside of the session's folder")
    .option('--obeyed', 'also files that other programs obey, such as .git and .vscode')
    .option('--json', 'as JSON');
}

export function undoCommands(done: Done): Command[] {
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
      const { undo } = await import('./undo.ts');
      done(await undo(session, direction, flags));
    }),
  );
}
