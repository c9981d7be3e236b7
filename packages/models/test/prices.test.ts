import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { createPricing } from '../src/index.ts';
import { pricesAt } from '../src/prices/pricing.ts';
import { priceTable } from '../src/prices/table.ts';
import { noUsage } from './support.ts';

const day = Date.parse('2026-10-01T12:00:00Z');
const anthropicUrl = 'https://api.anthropic.com/v1/messages';

describe('the cost of a call', () => {
  it('counts each bucket of the cache at its own price', () => {
    const pricing = createPricing('anthropic', anthropicUrl, 'claude-haiku-4-5-20251001');
    const million = 1_000_000;
    const cost = (usage: object) => pricing.cost({ ...noUsage, ...usage }, day);
    expect(cost({ inputTokens: million })).toBeCloseTo(1);
    expect(cost({ outputTokens: million })).toBeCloseTo(5);
    expect(cost({ cacheReadTokens: million })).toBeCloseTo(0.1);
    expect(cost({ cacheWriteTokens: million })).toBeCloseTo(1.25);
    expect(cost({ cacheWriteHourTokens: million })).toBeCloseTo(2);
    expect(cost({ reasoningTokens: 5, outputTokens: 0 })).toBe(0);
  });

  it('is unknown, not 0, for a model that no table knows', () => {
    const pricing = createPricing('openai', 'http://localhost:11434/v1/chat/completions', 'my-own-model');
    expect(pricing.cost({ ...noUsage, inputTokens: 1000 }, day)).toBeNull();
    expect(pricing.info({})).toEqual({ contextTokens: 128_000, outputTokens: 4096, isPriceKnown: false });
  });

  it('is that of the provider at the address, or of the wire’s own behind a gateway', () => {
    const usage = { ...noUsage, inputTokens: 1_000_000 };
    const deepseek = createPricing('openai', 'https://api.deepseek.com/chat/completions', 'deepseek-chat');
    expect(deepseek.cost(usage, day)).toBeGreaterThan(0);
    expect(createPricing('openai', 'https://api.deepseek.com/chat/completions', 'gpt-4o').cost(usage, day)).toBeNull();
    expect(createPricing('openai', 'https://gateway.local/v1/chat/completions', 'gpt-4o').cost(usage, day)).toBeCloseTo(
      2.5,
    );
  });

  it('is what the package that the table was made from says, for every model of the table', () => {
    const usage = { ...noUsage, inputTokens: 1000, outputTokens: 500, cacheReadTokens: 300, cacheWriteTokens: 200 };
    let compared = 0;
    for (const { id, url } of priceTable().providers) {
      for (const model of findProvider({ providerId: id })?.models ?? []) {
        const name = model.id.toLowerCase();
        const theirs = calcPrice(
          { input_tokens: 1500, output_tokens: 500, cache_read_tokens: 300, cache_write_tokens: 200 },
          name,
          { providerId: id, timestamp: new Date(day) },
        );
        const sample = plainUrl(url);
        if (sample === null || theirs?.model_price.input_mtok === undefined) continue;
        if (theirs.model_price.output_mtok === undefined) continue;
        // Prices by request or by search are no part of ours.
        if (theirs.model_price.requests_kcount !== undefined) continue;
        const ours = createPricing(id, sample, name).cost(usage, day);
        expect([name, ours]).toEqual([name, expect.closeTo(theirs.total_price, 9)]);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(500);
  });

  it('is that of its day and its hour', () => {
    const entries = [
      { input: 1 },
      { input: 2, when: { start_date: '2026-06-01' } },
      { input: 3, when: { start_time: '23:00:00Z', end_time: '01:00:00Z' } },
    ];
    const at = (time: string) => pricesAt(entries, new Date(time))?.input;
    expect(at('2026-05-31T12:00:00Z')).toBe(1);
    expect(at('2026-06-01T00:30:00Z')).toBe(3);
    expect(at('2026-06-01T12:00:00Z')).toBe(2);
    expect(at('2026-06-01T23:00:00Z')).toBe(3);
  });

  it('is higher for the whole of a request beyond a tier', () => {
    const pricing = createPricing('openai', 'https://api.openai.com/v1/chat/completions', 'gpt-5.4');
    const short = pricing.cost({ ...noUsage, inputTokens: 271_999 }, day);
    const long = pricing.cost({ ...noUsage, inputTokens: 72_000, cacheReadTokens: 200_000 }, day);
    expect(short).toBeCloseTo((271_999 * 2.5) / 1e6);
    expect(long).toBeCloseTo((72_000 * 5 + 200_000 * 0.5) / 1e6);
  });
});

describe('the limits of a model', () => {
  it('are those of the table, where the user does not know better', () => {
    const pricing = createPricing('anthropic', anthropicUrl, 'claude-sonnet-4-5');
    expect(pricing.info({})).toEqual({ contextTokens: 200_000, outputTokens: 64_000, isPriceKnown: true });
    expect(pricing.info({ contextTokens: 5, maxOutputTokens: 6 })).toMatchObject({ contextTokens: 5, outputTokens: 6 });
  });
});

/** An address that a pattern of the table matches, for patterns that are plain addresses. */
function plainUrl(pattern: string): string | null {
  const url = pattern
    .replace(/\(\?:\/\|\$\)|\(\/\|\$\)/g, '/')
    .replace(/\\/g, '')
    .replace(/\((?:api\.|\.\*\\\.)\)\?/g, '');
  return /[()*|?]/.test(url) ? null : `${url}/v1/x`;
}
