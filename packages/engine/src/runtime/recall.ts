import type { Memory } from '../ports.ts';

/** Notes that are brought back at once, at most. */
const most = 10;

/** What was noted in earlier sessions about something, a line each, the closest first. */
export function recallFrom(memory: Memory): (query: string, cwd?: string) => Promise<readonly string[]> {
  return async (query, cwd = '/') => {
    const notes = await memory.search(query, { cwd, limit: most });
    return notes.map(({ text, at }) => `${text} (noted ${new Date(at).toISOString().slice(0, 10)})`);
  };
}
