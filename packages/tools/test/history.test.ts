import type { ToolContext } from '@pawl/engine';
import type { DurableEvent } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { historyTool } from '../src/work/history.ts';

const by = { kind: 'human', id: 'ann' } as const;
const said = { role: 'user', source: 'input', content: [{ type: 'text', text: 'Find the fig tree.' }] };
const answered = {
  role: 'assistant',
  content: [
    { type: 'thinking', text: 'secret thought about figs' },
    { type: 'tool_call', id: 't1_s1_c1', tool: 'read', input: { path: 'garden.txt' } },
  ],
};
const log = [
  { type: 'message.added', data: { message: said } },
  { type: 'message.added', data: { message: answered } },
  { type: 'tool.finished', data: { call: 't1_s1_c1', status: 'ok', content: `A fig tree. ${'leaf '.repeat(8000)}` } },
].map((event, index) => ({ seq: index + 1, at: 0, session: 's', by, ...event })) as unknown as DurableEvent[];

const read = async (input: { search?: string; id?: string; offset?: number }) => {
  const context = { history: async () => log } as unknown as ToolContext;
  return (await historyTool().run(input, context)).content;
};

describe('X4: the history tool', () => {
  it('finds words in all that was said and done, the latest first, and not in thinking', async () => {
    const found = await read({ search: 'fig TREE' });
    expect(found.split('\n').map((line) => line.split(' ')[0])).toEqual(['t1_s1_c1', 'm1']);
    expect(await read({ search: 'secret' })).toBe('Nothing was found.');
  });

  it('reads a result whole, in parts', async () => {
    const first = await read({ id: 't1_s1_c1' });
    expect(first).toContain('read on with offset 20000');
    expect(first.length).toBeLessThan(20_100);
    expect(await read({ id: 't1_s1_c1', offset: 40_000 })).not.toContain('read on');
  });

  it('reads a message, and says where there is none', async () => {
    expect(await read({ id: 'm2' })).toBe('call t1_s1_c1: read {"path":"garden.txt"}');
    await expect(read({ id: 'm9' })).rejects.toMatchObject({ code: 'no_entry' });
    await expect(historyTool().run({}, {} as ToolContext)).rejects.toMatchObject({ code: 'no_history' });
  });
});
