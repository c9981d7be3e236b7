import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costAt, minInputPrice, pricesAt } from '../src/catalogue/cost.ts';
import { findAt, providerAt, providerCalled } from '../src/catalogue/find.ts';
import { infoOf } from '../src/catalogue/pricing.ts';
import { type CatalogueProvider, catalogue, type DatedPrices } from '../src/catalogue/table.ts';
import { createPricing, google } from '../src/index.ts';
import { wireServer } from '../src/testing/index.ts';
import { answerOf, noUsage, request, user } from './support.ts';

const day = Date.parse('2026-11-12T12:00:00Z');
const million = 1_000_000;
const anthropicUrl = 'https://api.anthropic.com/v1/messages';

describe('the cost of a call (M4)', () => {
  it('counts each bucket of the cache at its own price', () => {
    const pricing = createPricing('anthropic', anthropicUrl, 'claude-haiku-4-5-20251001');
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
    expect(pricing.facts().thinks).toBeUndefined();
  });

  it('is that of the provider at the address, or of the wire’s own behind a gateway', () => {
    const usage = { ...noUsage, inputTokens: million };
    const deepseek = createPricing('openai', 'https://api.deepseek.com/chat/completions', 'deepseek-chat');
    expect(deepseek.cost(usage, day)).toBeGreaterThan(0);
    expect(createPricing('openai', 'https://api.deepseek.com/chat/completions', 'gpt-4o').cost(usage, day)).toBeNull();
    const gateway = createPricing('openai', 'https://gateway.local/v1/chat/completions', 'gpt-4o');
    expect(gateway.cost(usage, day)).toBeCloseTo(2.5);
  });

  it('is what whoever opens the model knows better', () => {
    const facts = { context: 1000, output: 100, prices: [{ input: 7, output: 8 }] };
    const pricing = createPricing('anthropic', anthropicUrl, { model: 'claude-haiku-4-5', facts });
    expect(pricing.cost({ ...noUsage, inputTokens: million }, day)).toBeCloseTo(7);
    expect(pricing.info({})).toMatchObject({ contextTokens: 1000, outputTokens: 100, leastInputUsdPerMillion: 7 });
  });

  it('is what the package with the dated prices says, for every model that only it knows', () => {
    const usage = { ...noUsage, inputTokens: 1000, outputTokens: 500, cacheReadTokens: 300, cacheWriteTokens: 200 };
    let compared = 0;
    for (const provider of catalogue().providers.filter(({ patterns }) => patterns.length > 0)) {
      for (const model of findProvider({ providerId: provider.id === 'xai' ? 'x-ai' : provider.id })?.models ?? []) {
        const name = model.id.toLowerCase();
        if (isOfferedNow(provider, name)) continue;
        const theirs = calcPrice(
          { input_tokens: 1500, output_tokens: 500, cache_read_tokens: 300, cache_write_tokens: 200 },
          name,
          { providerId: provider.id === 'xai' ? 'x-ai' : provider.id, timestamp: new Date(day) },
        );
        if (theirs?.model_price.input_mtok === undefined || theirs.model_price.output_mtok === undefined) continue;
        // Prices by request or by search are no part of ours.
        if (theirs.model_price.requests_kcount !== undefined) continue;
        const ours = costAt(findAt(provider, name)?.prices ?? [], usage, day);
        expect([name, ours]).toEqual([name, expect.closeTo(theirs.total_price, 9)]);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(250);
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

  it('that is announced for a later day holds from that day on, by the clock of the call, and not before', async () => {
    const entries = [
      { input: 2, output: 10 },
      { input: 4, output: 20, when: { start_date: '2026-12-01' } },
    ];
    const at = (time: string) => costAt(entries, { ...noUsage, inputTokens: million }, Date.parse(time));
    expect(at('2026-11-30T23:59:59Z')).toBe(2);
    expect(at('2026-12-01T00:00:00Z')).toBe(4);
    expect(costAt(entries.slice(1), { ...noUsage, inputTokens: million }, Date.parse('2026-11-30'))).toBeNull();

    const usage = { inputTokens: 1000, outputTokens: 10 };
    const server = await wireServer([
      { text: 'one', usage },
      { text: 'two', usage },
    ]);
    const model = google({ model: 'gemini-4-argon', baseUrl: server.url, environment: {} });
    const costOn = async (day: string) =>
      (await answerOf(model, request([user('?')], { at: Date.parse(day) }))).costUsd;
    const [before, after] = [await costOn('2026-11-30T23:00:00Z'), await costOn('2026-12-01T00:00:00Z')];
    await server.close();
    expect(before).toBeGreaterThan(0);
    expect(after).toBeCloseTo(2 * Number(before));
  });

  it('is higher for the whole of a request beyond a tier, cache and all', () => {
    const pricing = createPricing('openai', 'https://api.openai.com/v1/chat/completions', 'gpt-5.4');
    const short = pricing.cost({ ...noUsage, inputTokens: 271_999 }, day);
    const long = pricing.cost({ ...noUsage, inputTokens: 72_000, cacheReadTokens: 200_000 }, day);
    expect(short).toBeCloseTo((271_999 * 2.5) / 1e6);
    expect(long).toBeCloseTo((72_000 * 5 + 200_000 * 0.5) / 1e6);
    const claude = createPricing('anthropic', anthropicUrl, 'claude-haiku-5-5');
    expect(claude.cost({ ...noUsage, cacheWriteHourTokens: 200_000 }, day)).toBeCloseTo(0.2);
  });
});

describe('the least price of input', () => {
  const when = { start_date: '2026-06-01' };

  it('is that of a cache read where there is one, and never of prices that are past', () => {
    const least = (entries: DatedPrices[]) => minInputPrice(entries, new Date(day));
    expect(least([{ input: 3, output: 15, cacheRead: 0.3 }])).toBe(0.3);
    expect(least([{ input: 3, output: 15 }])).toBe(3);
    expect(
      least([
        { input: 1, output: 5 },
        { input: 3, output: 15, when },
      ]),
    ).toBe(3);
    expect(
      least([
        { input: 3, output: 15 },
        { input: 1, output: 5, when: { start_date: '2027-01-01' } },
      ]),
    ).toBe(1);
    expect(least([{ input: { base: 3, tiers: [{ start: 10, price: 2 }] }, output: 15 }])).toBe(2);
    expect(least([])).toBeNull();
    expect(least([{ input: 3 }])).toBeNull();
  });

  it('is at most what any call costs for its input, whatever the call, for every model', () => {
    const all = catalogue().providers.flatMap(({ models }) => models);
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.record({
          inputTokens: tokens,
          cacheReadTokens: tokens,
          cacheWriteTokens: tokens,
          cacheWriteHourTokens: tokens,
        }),
        fc.integer({ min: day, max: day + 86_400_000 * 300 }),
        ({ prices = [] }, input, at) => {
          const cost = costAt(prices, { ...noUsage, ...input }, at);
          const least = minInputPrice(prices, new Date(day));
          const whole = Object.values(input).reduce((sum, count) => sum + count, 0);
          expect(cost === null).toBe(least === null);
          if (cost !== null && least !== null) expect(cost).toBeGreaterThanOrEqual((least * whole) / million - 1e-9);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the catalogue (M10)', () => {
  it('tells its day and its sources', () => {
    expect(catalogue().date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(catalogue().sources).toHaveLength(2);
  });

  it('has limits, prices and input types of models of each kind', () => {
    const info = (url: string, model: string) => createPricing('openai', url, model).info({});
    expect(info(anthropicUrl, 'claude-sonnet-4-5')).toMatchObject({
      contextTokens: 200_000,
      outputTokens: 64_000,
      isPriceKnown: true,
      leastInputUsdPerMillion: 0.3,
      inputTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'],
    });
    expect(info('https://api.openai.com/v1/responses', 'gpt-5-mini').contextTokens).toBe(400_000);
    expect(info('https://generativelanguage.googleapis.com/v1beta/models/x', 'gemini-2.5-pro').contextTokens).toBe(
      1_048_576,
    );
    expect(info('https://api.groq.com/openai/v1/chat/completions', 'llama-3.3-70b-versatile').inputTypes).toEqual([]);
    expect(info('https://openrouter.ai/api/v1/chat/completions', 'anthropic/claude-opus-5').isPriceKnown).toBe(true);
  });

  it('knows a model by its name with a day, and an older one by its pattern', () => {
    const anthropic = providerCalled('anthropic');
    if (anthropic === null) throw new Error('There is no anthropic.');
    const context = (name: string) => findAt(anthropic, name)?.context;
    expect(context('claude-opus-5-20260801')).toBe(1_000_000);
    expect(context('claude-opus-5@20260801')).toBe(1_000_000);
    expect(context('Claude-Opus-5')).toBe(1_000_000);
    expect(findAt(anthropic, 'claude-3-5-sonnet-20241022')).toMatchObject({ context: 200_000, output: 8192 });
    expect(findAt(anthropic, 'gpt-5')).toBeNull();
  });

  it.each(['gpt-5.4', 'gpt-5.5', 'gpt-5.6-sol', 'gpt-5.6-luna', 'gpt-6-astra', 'gpt-6-sol', 'gpt-6.1-sol'])(
    'gives %s its window of 922 000 tokens of input: at 272 000 only the price steps',
    (model) => {
      const pricing = createPricing('openai', 'https://api.openai.com/v1/responses', model);
      expect(pricing.info({})).toMatchObject({ contextTokens: 1_050_000, outputTokens: 128_000 });
      const cost = (inputTokens: number) => pricing.cost({ ...noUsage, inputTokens }, day) ?? 0;
      expect(cost(300_000) / cost(150_000)).toBeCloseTo(4);
    },
  );

  it.each([
    ['openai', 'gpt-6.2-sol', 'gpt-6.1-sol', 1_050_000, 128_000],
    ['openai', 'gpt-6.2-sol-2026-11-20', 'gpt-6.1-sol', 1_050_000, 128_000],
    ['anthropic', 'claude-opus-6', 'claude-opus-5-5', 1_000_000, 128_000],
    ['google', 'gemini-4-carbon', 'gemini-4-argon', 1_048_576, 32_768],
    ['google', 'gemini-3.9-flash', 'gemini-3.8-flash', 1_048_576, 65_536],
    ['xai', 'grok-5', 'grok-4.7', 500_000, 500_000],
    ['openrouter', 'openai/gpt-6.2-sol', 'openai/gpt-6.1-sol', 1_050_000, 128_000],
  ])(
    'gives a new model of a family its limits, and no price: %s/%s is like %s',
    (home, name, like, context, output) => {
      const place = providerCalled(home);
      if (place === null) throw new Error(`There is no ${home}.`);
      const facts = findAt(place, name);
      expect(facts).toMatchObject({ like, context, output });
      expect(infoOf(facts ?? {}).isPriceKnown).toBe(false);
    },
  );

  it('takes no family for a name of another maker, an older version, or none', () => {
    const openai = providerCalled('openai');
    if (openai === null) throw new Error('There is no openai.');
    expect(findAt(openai, 'mistral-9')).toBeNull();
    expect(findAt(openai, 'gpt-2')).toBeNull();
    expect(findAt(openai, 'my-own-model')).toBeNull();
    expect(findAt(openai, 'gpt-5.5')?.like).toBeUndefined();
  });

  it('knows providers by their address, and not by something that looks like it', () => {
    expect(providerAt('https://api.anthropic.com/v1/messages')?.id).toBe('anthropic');
    expect(providerAt('https://openrouter.ai/api/v1')?.id).toBe('openrouter');
    expect(providerAt('https://openrouter.ai.evil.example/api/v1')).toBeNull();
    expect(providerAt('http://127.0.0.1:1234/v1')).toBeNull();
  });

  it('is sound: every limit and price is a number above nothing', () => {
    for (const { models, patterns } of catalogue().providers) {
      for (const { context = 1, output = 1, prices = [] } of [...models, ...patterns]) {
        expect(Math.min(context, output)).toBeGreaterThan(0);
        for (const { when: _, ...buckets } of prices) {
          for (const price of Object.values(buckets)) {
            expect(typeof price === 'number' ? price : price.base).toBeGreaterThanOrEqual(0);
          }
        }
      }
    }
  });

  it('leaves room for a question where the answer could be as long as the window', () => {
    const { contextTokens, outputTokens } = infoOf({ context: 131_072, output: 131_072 });
    expect(outputTokens).toBeLessThan(contextTokens / 2);
    expect(infoOf({ context: 1, output: 1 }).outputTokens).toBe(1);
    expect(infoOf({ context: 2000 })).toMatchObject({ contextTokens: 2000, outputTokens: 500 });
  });

  it('gives way to what the user knows', () => {
    const info = createPricing('anthropic', anthropicUrl, 'claude-sonnet-4-5').info({
      contextTokens: 5,
      maxOutputTokens: 6,
    });
    expect(info).toMatchObject({ contextTokens: 5, outputTokens: 6 });
  });
});

function isOfferedNow({ models }: CatalogueProvider, name: string): boolean {
  const undated = name.replace(/[-@]20\d\d-?[01]\d-?[0-3]\d(?=-|:|$)/, '');
  return models.some(({ id }) => [name, undated].includes(id.toLowerCase()));
}
