import type { Memory } from '../ports.ts';

/** Notes that are recalled at once, at most. */
const most = 10;

/** Searches notes of earlier sessions; one line each, the closest first. */
export function recallFrom(memory: Memory): (query: string, cwd?: string) => Promise<readonly string[]> {
  return async (query, cwd = '/') => {
    const notes = await memory.search(query, { cwd, limit: most });
    return notes.map(({ text, at }) => `${text} (noted ${new Date(at).toISOString().slice(0, 10)})`);
  };
}
