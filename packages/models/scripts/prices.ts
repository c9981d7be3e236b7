/**
 * Writes `src/prices/table.json` from `@pydantic/genai-prices`: `node packages/models/scripts/prices.ts`.
 * The package costs some 50 ms to import, the table 2, and only the prices of tokens are kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import type { Prices, PriceTable } from '../src/prices/table.ts';

/** Providers that a model can be reached at through one of our wires with a base URL and a key. */
const providers = [
  'anthropic',
  'openai',
  'avian',
  'baseten',
  'cerebras',
  'cohere',
  'deepseek',
  'fireworks',
  'google',
  'groq',
  'minimax',
  'mistral',
  'moonshotai',
  'novita',
  'openrouter',
  'ovhcloud',
  'perplexity',
  'together',
  'x-ai',
  'zai',
  'zhipuai',
];

const kept = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cacheRead',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWriteHour',
} as const;

function pricesOf(prices: ModelPrice): Prices {
  const result: Prices = {};
  for (const [theirs, ours] of Object.entries(kept)) {
    const price = prices[theirs];
    if (price !== undefined)
      result[ours] = typeof price === 'number' ? price : { base: price.base, tiers: price.tiers };
  }
  return result;
}

const manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.resolve('@pydantic/genai-prices')), 'utf8'),
) as { version: string };
const table: PriceTable = {
  source: `@pydantic/genai-prices ${manifest.version}`,
  date: new Date().toISOString().slice(0, 10),
  providers: providers.map((id) => {
    const provider = findProvider({ providerId: id });
    if (provider === undefined) throw new Error(`The package knows no provider "${id}".`);
    return {
      id,
      url: provider.api_pattern,
      models: provider.models.map(({ match, context_window, prices }) => ({
        match,
        ...(context_window === undefined ? {} : { contextTokens: context_window }),
        prices: (Array.isArray(prices) ? prices : [{ prices }]).map((entry) => ({
          ...('constraint' in entry && entry.constraint !== undefined ? { when: entry.constraint } : {}),
          ...pricesOf(entry.prices),
        })),
      })),
    };
  }),
};
// One model a line, so that an update reads well as a diff.
const json = JSON.stringify(table).replaceAll('{"match"', '\n{"match"').replaceAll('{"id"', '\n{"id"');
writeFileSync(new URL('../src/prices/table.json', import.meta.url), `${json}\n`);
