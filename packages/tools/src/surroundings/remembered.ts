/** What is remembered of earlier sessions, as far as it has room. */
import type { Memory, MemoryNote } from '@pawl/engine';
import { isInside } from '@pawl/policy';
import type { Fragment } from '@pawl/protocol';
import { untrusted } from '@pawl/protocol';
import { withoutDeceit } from '../escape.ts';

/** Some four characters make a token: these are 2000 tokens. */
const maxCharacters = 8000;
const maxNotes = 100;

/**
 * Notes about what the turn is about come first, then the newest, until the room is used up. The same notes and the
 * same task give the same text.
 */
export async function rememberedFor(memory: Memory, task: string, cwd: string): Promise<Fragment | null> {
  const close = task.trim() === '' ? [] : await memory.search(task, { cwd, limit: maxNotes });
  const closeIds = new Set(close.map(({ id }) => id));
  const others = (await memory.list()).filter(({ id, folder }) => !closeIds.has(id) && isOf(folder, cwd));
  const lines = fitting([...close, ...others]);
  if (lines.length === 0) return null;
  const text = `Notes of earlier sessions, which may be out of date:\n${memoryText(lines)}`;
  return { region: 'memory', name: 'memory', text };
}

/** Notes as a model is shown them. */
export const memoryText = (lines: readonly string[]): string =>
  untrusted('memory', {}, withoutDeceit(lines.join('\n')));

const isOf = (folder: string | null, cwd: string) => folder === null || isInside(folder, cwd);

function fitting(notes: readonly MemoryNote[]): string[] {
  const lines: string[] = [];
  let left = maxCharacters;
  for (const note of notes.slice(0, maxNotes)) {
    const line = lineOf(note);
    // One that is too long makes room for shorter ones after it.
    if (line.length + 1 > left) continue;
    left -= line.length + 1;
    lines.push(line);
  }
  return lines;
}

function lineOf({ id, text, at, folder }: MemoryNote): string {
  const where = folder === null ? '' : ', of this project';
  return `- ${text.replace(/\s*\n\s*/g, ' ')} (${id}, ${new Date(at).toISOString().slice(0, 10)}${where})`;
}
