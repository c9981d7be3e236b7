import { describe, expect, it } from 'vitest';
import type { Memory, MemoryNote } from '../../src/index.ts';
import { recallFrom } from '../../src/runtime/recall.ts';

describe('X8: what is brought back after a compaction', () => {
  it('are the closest notes that count in the folder, a line each with its day', async () => {
    const asked: unknown[] = [];
    const note = { id: 'n1', text: 'The tap is behind the shed.', at: Date.UTC(2026, 2, 1) } as MemoryNote;
    const memory = {
      search: async (query: string, options: unknown) => {
        asked.push([query, options]);
        return [note];
      },
    } as Memory;
    expect(await recallFrom(memory)('tap', '/w')).toEqual(['The tap is behind the shed. (noted 2026-03-01)']);
    expect(asked).toEqual([['tap', { cwd: '/w', limit: 10 }]]);
  });
});
