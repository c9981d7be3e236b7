/** `pawl memory`: what is remembered beyond sessions. */

import type { Memory, MemoryNote } from '@pawl/engine';
import { visible } from '@pawl/engine/readers/visible';
import { projectOf } from '@pawl/tools/memory';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { usageError } from '../usage-error.ts';
import { parseFolder } from '../values.ts';
import { openMemory } from './open.ts';

export type MemoryFlags = { everywhere?: true; cwd?: string; json?: true };

const maxFound = 50;

export async function listNotes(flags: MemoryFlags): Promise<ExitCode> {
  await show(await withMemory((memory) => memory.list()), flags, 'Nothing is remembered yet.');
  return exitCodes.completed;
}

export async function searchNotes(words: readonly string[], flags: MemoryFlags): Promise<ExitCode> {
  const cwd = parseFolder('-C/--cwd', flags.cwd ?? '.');
  const notes = await withMemory((memory) => memory.search(words.join(' '), { cwd, limit: maxFound }));
  await show(notes, flags, 'Nothing is remembered of that here.');
  return exitCodes.completed;
}

/** @throws `usage`. */
export async function addNote(words: readonly string[], flags: MemoryFlags): Promise<ExitCode> {
  const text = words.join(' ');
  if (text.trim() === '') throw usageError('The note is empty. Say what is to be remembered.');
  const cwd = parseFolder('-C/--cwd', flags.cwd ?? '.');
  const folder = flags.everywhere === true ? null : await projectOf(cwd);
  const by = { kind: 'human' as const, id: 'local' };
  const note = await withMemory((memory) => memory.add({ text, folder, by, session: null, call: null, source: null }));
  await show([note], flags, '');
  return exitCodes.completed;
}

/** @throws `no_note`. */
export async function removeNotes(ids: readonly string[]): Promise<ExitCode> {
  await withMemory(async (memory) => {
    for (const id of ids) await memory.remove(id);
  });
  const output = openOutput(process.stdout);
  await output.write(ids.map((id) => `removed ${visible(id)}\n`).join(''));
  await output.flush();
  return exitCodes.completed;
}

async function withMemory<Value>(use: (memory: Memory) => Promise<Value>): Promise<Value> {
  const memory = openMemory();
  try {
    return await use(memory);
  } finally {
    await memory.close();
  }
}

async function show(notes: readonly MemoryNote[], { json }: MemoryFlags, none: string): Promise<void> {
  const output = openOutput(process.stdout);
  if (json === true) await output.write(`${JSON.stringify(notes, null, 2)}\n`);
  else await output.write(notes.map((note) => `${visible(linesOf(note))}\n`).join(''));
  await output.flush();
  if (notes.length === 0 && json !== true) printNotice(`${none}`);
}

/** The note, and on a line of its own where it is from. */
function linesOf({ id, text, at, by, folder, session, call, source }: MemoryNote): string {
  const where = folder === null ? 'everywhere' : `in ${folder}`;
  const from = session === null ? by.id : `${by.id} in session ${session}${call === null ? '' : `, call ${call}`}`;
  const rests = source === null ? '' : `\n          from: ${source}`;
  return `${id}  ${text}\n          ${where}, ${new Date(at).toISOString().slice(0, 10)}, by ${from}${rests}`;
}
