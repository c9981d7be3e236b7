import { describe, expect, it } from 'vitest';
import { isFinal } from '../../src/model/items.ts';
import { answer, ended, finished, folded, started, streaming, text, thinking } from './events.ts';

const bash = { id: 'c1', tool: 'bash', input: { command: 'npm test' } };
const kinds = (model: ReturnType<typeof folded>) => model.items.map(({ kind }) => kind);

describe('the model of a session', () => {
  it('has what was said, the answer that streams, and the turn that runs', () => {
    const model = folded(...started, streaming, text('Hel'), text('lo'));
    expect(model.items).toEqual([
      { kind: 'said', id: 'e3', text: 'Do it', source: 'input' },
      { kind: 'answer', id: expect.any(String), text: 'Hello', isOpen: true },
    ]);
    expect(model.turn).toMatchObject({ turn: 1, step: 1, startedAt: 2000 });
    expect(model.queue).toEqual([]);
  });

  it('shows an answer once, whether it streamed or not, or was cut off in the middle', () => {
    for (const streamed of [[], [streaming, text('Hello')], [streaming, text('Hel')]]) {
      const model = folded(...started, ...streamed, answer('Hello'));
      expect(model.items.slice(1)).toEqual([expect.objectContaining({ kind: 'answer', text: 'Hello', isOpen: false })]);
    }
  });

  it('says that what was withdrawn does not count, and begins anew', () => {
    const withdrawn = { type: 'stream.withdrawn' as const, data: { turn: 1, step: 1, reason: 'cut' } };
    const model = folded(...started, streaming, text('Wrong'), withdrawn, streaming, text('Right'));
    expect(model.items.slice(1)).toEqual([
      expect.objectContaining({ kind: 'line', text: '↺ Withdrawn: cut' }),
      expect.objectContaining({ kind: 'answer', text: 'Right' }),
    ]);
  });

  it('ends a thought when words follow it', () => {
    const model = folded(...started, streaming, thinking('hm'), text('So'));
    expect(model.items[1]).toMatchObject({ kind: 'thought', text: 'hm', endedAt: 9000 });
  });

  it('follows a call from its first line to its outcome, keeping the end of what it puts out', () => {
    const open = folded(
      ...started,
      streaming,
      answer('', [bash]),
      { type: 'tool.started', data: { call: 'c1', effect: 'write' } },
      {
        type: 'tool.progress',
        data: { call: 'c1', state: 'running', text: `${'x'.repeat(5000)}\nlast` },
      },
    );
    const card = open.items.at(-1);
    expect(card).toMatchObject({ kind: 'call', state: 'running', input: bash.input });
    expect(card?.kind === 'call' && card.output.length).toBe(4000);
    const over = folded(...started, streaming, answer('', [bash]), finished('c1', 'ok'));
    expect(over.items.at(-1)).toMatchObject({ kind: 'call', state: 'over', finished: { content: 'ok' } });
  });

  it('drops a call that was begun and then not made', () => {
    const begun = { type: 'stream.input' as const, data: { call: 'c9', tool: 'write', text: '{' } };
    expect(kinds(folded(...started, streaming, begun))).toEqual(['said', 'call']);
    expect(kinds(folded(...started, streaming, begun, answer('No.')))).toEqual(['said', 'answer']);
  });

  it('leaves nothing open when the turn is over', () => {
    const model = folded(...started, streaming, thinking('hm'), answer('', [bash]), ended);
    expect(model.items.every(isFinal)).toBe(true);
    expect(model.turn).toBeNull();
  });

  it('knows what is queued, in its newest words, until it is taken or removed', () => {
    const queued = (input: string) => ({
      type: 'input.queued' as const,
      data: { input, delivery: 'queue' as const, content: [{ type: 'text' as const, text: input }] },
    });
    const edited = {
      type: 'input.edited' as const,
      data: { input: 'b', content: [{ type: 'text' as const, text: 'better' }] },
    };
    const model = folded(...started, queued('a'), queued('b'), edited, { type: 'input.removed', data: { input: 'a' } });
    expect(model.queue).toEqual([{ input: 'b', delivery: 'queue', text: 'better' }]);
  });

  it('tells the model that answers where it is another than the chosen one', () => {
    const created = {
      type: 'session.created' as const,
      data: {
        cwd: '/',
        model: 'a/b',
        modelInfo: { contextTokens: 1, outputTokens: 1 },
        agent: 'builder',
        mode: 'manual' as const,
        isAttended: true,
        rules: { deny: [], ask: [], allow: [] },
        limits: { steps: 1, durationMs: null, tokens: null, usd: null },
        metadata: {},
      },
    };
    expect(folded(created as never, streaming).runningModel).toBe('demo');
  });
});
