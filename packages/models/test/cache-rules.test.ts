import { describe, expect, it } from 'vitest';
import { promptCache } from '../src/testing/index.ts';

type Block = { type: string; text: string; cache_control?: { type: string; ttl?: string } };
const short = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };

/** A block of 100 tokens. */
function block(name: string, more: Partial<Block> = {}): Block {
  const text = name.padEnd(400 - JSON.stringify({ type: 'text', text: '' }).length, '.');
  return { type: 'text', text, ...more };
}
function blocks(from: number, to: number): Block[] {
  return Array.from({ length: to - from + 1 }, (_, index) => block(`block ${from + index}`));
}
function body(content: Block[], more: object = {}) {
  return { model: 'm', messages: [{ role: 'user', content }], ...more };
}

describe('M5: the model of a provider’s prompt cache', () => {
  it('reads what an earlier request marked, and writes what is new up to the last mark', () => {
    const cache = promptCache();
    expect(cache.use(body([...blocks(1, 19), block('20', short), block('tail')])).usage).toEqual({
      inputTokens: 100,
      cacheReadTokens: 0,
      cacheWriteTokens: 2000,
      cacheWriteHourTokens: 0,
    });
    const next = cache.use(body([...blocks(1, 19), block('20'), block('21', short), block('other tail')]));
    expect(next.usage).toMatchObject({ inputTokens: 100, cacheReadTokens: 2000, cacheWriteTokens: 100 });
    expect(next.readableTokens).toBe(2000);
  });

  it('looks back 20 places, its own among them, and no further', () => {
    const seenBy = (distance: number) => {
      const cache = promptCache();
      cache.use(body([...blocks(1, 19), block('20', short)]));
      const more = blocks(21, 20 + distance);
      return cache.use(
        body([...blocks(1, 19), block('20'), ...more.slice(0, -1), block(`block ${20 + distance}`, short)]),
      );
    };
    expect(seenBy(19).usage.cacheReadTokens).toBe(2000);
    expect(seenBy(20).usage.cacheReadTokens).toBe(0);
    expect(seenBy(20).readableTokens).toBe(2000);
  });

  it('keeps no prompt below the minimum of the model', () => {
    const cache = promptCache();
    const small = body([...blocks(1, 9), block('10', short)]);
    expect(cache.use(small).usage).toMatchObject({ inputTokens: 1000, cacheWriteTokens: 0 });
    expect(cache.use(small).usage.cacheReadTokens).toBe(0);
    const newer = { ...small, model: 'claude-opus-5' };
    cache.use(newer);
    expect(cache.use(newer).usage.cacheReadTokens).toBe(1000);
  });

  it('forgets after five minutes without use, or after an hour', () => {
    let time = 0;
    const minutes = (count: number) => {
      time += count * 60_000;
    };
    const cache = promptCache({ now: () => time });
    const asked = body([...blocks(1, 19), block('20', short)]);
    cache.use(asked);
    for (let use = 0; use < 3; use++) {
      minutes(4);
      expect(cache.use(asked).usage.cacheReadTokens).toBe(2000);
    }
    minutes(6);
    expect(cache.use(asked).usage).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 2000 });
    const long = body([...blocks(1, 19), block('x', hour)]);
    expect(cache.use(long).usage.cacheWriteHourTokens).toBe(2000);
    minutes(59);
    expect(cache.use(long).usage.cacheReadTokens).toBe(2000);
    minutes(61);
    expect(cache.use(long).usage.cacheReadTokens).toBe(0);
  });

  it('goes by tools, then system, then messages, and by how the model is to answer only for the last', () => {
    const cache = promptCache();
    const base = { tools: blocks(1, 10), system: [...blocks(1, 9), block('10', short)] };
    cache.use(body([block('question', short)], base));
    expect(cache.use(body([block('question', short)], { ...base, tool_choice: { type: 'any' } })).usage).toMatchObject({
      cacheReadTokens: 2000,
      cacheWriteTokens: 100,
    });
    expect(cache.use(body([block('question', short)], { ...base, tools: blocks(2, 11) })).usage.cacheReadTokens).toBe(
      0,
    );
  });

  it('refuses what the API refuses', () => {
    const cache = promptCache();
    expect(() => cache.use(body(Array.from({ length: 5 }, () => block('x', short))))).toThrow(/maximum of 4/);
    expect(() => cache.use(body([block('a', short), block('b', hour)]))).toThrow(/1h/);
    expect(() => cache.use(body([{ type: 'thinking', text: '', ...short }]))).toThrow(/thinking/);
  });
});
