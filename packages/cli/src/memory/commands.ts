/** The commands about what is remembered, with their flags and help. */
import { Command } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import type { MemoryFlags } from './command.ts';

export function memoryCommand(done: (code: ExitCode) => void): Command {
  const memory = new Command('memory').description('list, add, remove and search notes that outlast sessions');
  memory
    .command('list')
    .description('list all notes, newest first')
    .option('--json', 'as JSON')
    .action(async (flags: MemoryFlags) => {
      const { listNotes } = await import('./command.ts');
      done(await listNotes(flags));
    });
  memory
    .command('search')
    .description('search the notes that count here, the closest first')
    .argument('<words...>', 'words of the note')
    .option('-C, --cwd <folder>', 'as if in this folder')
    .option('--json', 'as JSON')
    .action(async (words: string[], flags: MemoryFlags) => {
      const { searchNotes } = await import('./command.ts');
      done(await searchNotes(words, flags));
    });
  memory
    .command('add')
    .description('add a note of this project')
    .argument('<words...>', 'what is to be remembered')
    .option('--everywhere', 'for all projects')
    .option('-C, --cwd <folder>', 'the folder of the project, if not this one')
    .option('--json', 'as JSON')
    .action(async (words: string[], flags: MemoryFlags) => {
      const { addNote } = await import('./command.ts');
      done(await addNote(words, flags));
    });
  memory
    .command('remove')
    .description('remove notes')
    .argument('<id...>', 'their ids, as shown by: pawl memory list')
    .action(async (ids: string[]) => {
      const { removeNotes } = await import('./command.ts');
      done(await removeNotes(ids));
    });
  return memory;
}
