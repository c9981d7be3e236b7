/**
 * Writes `src/catalogue/catalogue.json`: `node packages/models/scripts/catalogue.ts`. Two packages on npm are its source:
 *
 * - `@earendil-works/pi-ai` (MIT): limits, input types, reasoning and today's prices of the models that providers offer
 *   now, from https://models.dev and the providers' own lists, made anew every few days. It is fetched by `npm pack`,
 *   because of all that it brings along only some JSON is wanted.
 * - `@pydantic/genai-prices` (MIT): prices by day and by time of day, of older models too, and the patterns of names.
 *
 * Where both know a model and agree on its price, the second one's dated entries are kept; where they do not, the first
 * one's price holds from its own day on, until the next day for which a price is announced. What providers publish
 * otherwise stands in `corrections.ts`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import { pricesAt } from '../src/catalogue/cost.ts';
import { matches } from '../src/catalogue/find.ts';
import type { Catalogue, CatalogueProvider, DatedPrices, ModelFacts, Price, Prices } from '../src/catalogue/table.ts';
import { announcedPrices, publishedEfforts, windowOf } from './corrections.ts';
import { outputLimit } from './output-limits.ts';

/** Providers that can be reached by one of our wires with a base URL and a key, and what each source calls them. */
const providers: readonly { id: string; current?: string; dated?: string; url?: string }[] = [
  { id: 'anthropic', current: 'anthropic', dated: 'anthropic' },
  { id: 'openai', current: 'openai', dated: 'openai' },
  { id: 'google', current: 'google', dated: 'google' },
  { id: 'openrouter', current: 'openrouter', url: 'https://openrouter\\.ai/' },
  { id: 'avian', dated: 'avian' },
  { id: 'baseten', current: 'baseten', dated: 'baseten', url: 'https://(inference|[\\w-]+\\.api)\\.baseten\\.co' },
  { id: 'cerebras', current: 'cerebras', dated: 'cerebras' },
  { id: 'cohere', dated: 'cohere' },
  { id: 'deepseek', current: 'deepseek', dated: 'deepseek' },
  { id: 'fireworks', current: 'fireworks', dated: 'fireworks' },
  { id: 'groq', current: 'groq', dated: 'groq' },
  { id: 'huggingface', current: 'huggingface', url: 'https://router\\.huggingface\\.co/' },
  { id: 'meta', current: 'meta', url: 'https://api\\.meta\\.ai/' },
  { id: 'minimax', current: 'minimax', dated: 'minimax' },
  { id: 'mistral', current: 'mistral', dated: 'mistral' },
  { id: 'moonshotai', current: 'moonshotai', dated: 'moonshotai' },
  { id: 'novita', dated: 'novita' },
  { id: 'nvidia', current: 'nvidia', url: 'https://integrate\\.api\\.nvidia\\.com/' },
  { id: 'ovhcloud', dated: 'ovhcloud' },
  { id: 'perplexity', dated: 'perplexity' },
  { id: 'together', current: 'together', dated: 'together', url: 'https://api\\.together\\.(xyz|ai)/' },
  { id: 'vercel', current: 'vercel-ai-gateway', url: 'https://ai-gateway\\.vercel\\.sh/' },
  { id: 'xai', current: 'xai', dated: 'x-ai' },
  { id: 'xiaomi', current: 'xiaomi', url: 'https://api\\.xiaomimimo\\.com/' },
  { id: 'zai', current: 'zai', dated: 'zai' },
  { id: 'zhipuai', dated: 'zhipuai' },
];

/**
 * Makers whose models that see images read PDFs too; the sources do not tell. Every Gemini and Claude does:
 * https://docs.claude.com/en/docs/build-with-claude/pdf-support, https://ai.google.dev/gemini-api/docs/document-processing,
 * https://platform.openai.com/docs/guides/pdf-files (models with vision).
 */
const readsPdfs = /^(?:claude|gpt-|o[134]|chat-latest|gemini|~?(?:anthropic|openai|google)\/(?!gemma))/;

/** A model as the first source has it. Prices of 0 stand for unknown ones as well. */
type Offered = {
  type: string;
  id: string;
  reasoning: boolean;
  input: string[];
  contextWindow: number;
  maxTokens: number;
  /** The provider's word for each level, null for none; what is missing is as usual. */
  thinkingLevelMap?: { readonly [level: string]: string | null };
  compat?: { forceAdaptiveThinking?: boolean };
  cost: Buckets & { tiers?: (Buckets & { inputTokensAbove: number })[] };
};
type Buckets = { input: number; output: number; cacheRead: number; cacheWrite: number };

function readOffered(): { version: string; date: string; models(provider: string): Offered[]; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-catalogue-'));
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' });
  const version = run('npm', 'view', '@earendil-works/pi-ai', 'dist-tags.latest').trim();
  const file = run('npm', 'pack', '--silent', `@earendil-works/pi-ai@${version}`).trim();
  run('tar', 'xzf', file, 'package/dist/providers/data');
  const read = (name: string) => JSON.parse(readFileSync(join(folder, 'package/dist/providers/data', name), 'utf8'));
  const { generatedAt } = read('.manifest.json') as { generatedAt: string };
  return {
    version,
    date: generatedAt.slice(0, 10),
    models: (provider) =>
      Object.values<Record<string, Offered>>(read(`${provider}.json`))
        .flatMap((models) => Object.values(models))
        .filter(({ type }) => type === 'chat'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const kept = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cacheRead',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWriteHour',
} as const;

function datedPricesOf(prices: ModelPrice): Prices {
  const result: Prices = {};
  for (const [theirs, ours] of Object.entries(kept)) {
    const price = prices[theirs];
    if (price !== undefined)
      result[ours] = typeof price === 'number' ? price : { base: price.base, tiers: price.tiers };
  }
  return result;
}

const rounded = (price: number) => Number(price.toFixed(6));

/** Prices of a model that is offered now; null where they are not known. */
function currentPricesOf({ id, cost }: Offered): Prices | null {
  const isFree = id.endsWith(':free');
  if (cost.input === 0 && cost.output === 0 && !isFree) return null;
  if (cost.input < 0 || cost.output < 0) return null;
  const price = (bucket: keyof Buckets): Price | undefined => {
    if (cost[bucket] === 0 && !isFree) return undefined;
    const tiers = (cost.tiers ?? []).map((tier) => ({ start: tier.inputTokensAbove, price: rounded(tier[bucket]) }));
    return tiers.length === 0 ? rounded(cost[bucket]) : { base: rounded(cost[bucket]), tiers };
  };
  const buckets = { input: price('input'), output: price('output') };
  const cache = isFree ? {} : { cacheRead: price('cacheRead'), cacheWrite: price('cacheWrite') };
  const known = Object.entries({ ...buckets, ...cache }).filter(([, value]) => value !== undefined);
  const prices: Prices = Object.fromEntries(known);
  // An hour's write costs twice the input: https://docs.claude.com/en/docs/build-with-claude/prompt-caching#pricing.
  if (/^(?:~?anthropic\/)?claude/.test(id) && prices.input !== undefined) prices.cacheWriteHour = doubled(prices.input);
  return prices;
}

function doubled(price: Price): Price {
  if (typeof price === 'number') return rounded(price * 2);
  return {
    base: rounded(price.base * 2),
    tiers: price.tiers.map((tier) => ({ ...tier, price: rounded(tier.price * 2) })),
  };
}

const base = (price: Price | undefined) => (typeof price === 'object' ? price.base : price);

/** Whether two sources agree; a bucket that one of them does not have tells nothing. */
function isSame(left: Prices, right: Prices): boolean {
  const buckets = ['input', 'output', 'cacheRead'] as const;
  return buckets.every((bucket) => {
    const [one, other] = [base(left[bucket]), base(right[bucket])];
    return one === undefined || other === undefined || Math.abs(one - other) < 1e-9;
  });
}

function merged(current: Prices | null, dated: readonly DatedPrices[], date: string): readonly DatedPrices[] {
  if (current === null) return dated;
  const now = pricesAt(dated, new Date(date));
  const isKnown = now !== undefined && dated.some((entry) => isSame(entry, current));
  if (isKnown && isSame(now, current)) return dated;
  // It may be the price of another hour of the day.
  if (isKnown && dated.some(({ when }) => when !== undefined && 'start_time' in when)) return dated;
  if (dated.length === 0) return [current];
  const isLater = ({ when }: DatedPrices) => when !== undefined && 'start_date' in when && when.start_date > date;
  const from = { ...current, when: { start_date: date } };
  return [...dated.filter((entry) => !isLater(entry)), from, ...dated.filter(isLater)];
}

const levels = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** The effort words that a model takes, from the least; undefined where the source does not tell. */
function effortsOf(provider: string, { id, reasoning, thinkingLevelMap: map, compat }: Offered): ModelFacts['efforts'] {
  const own = publishedEfforts(provider, id);
  if (own !== undefined || !reasoning) return own;
  if (provider === 'anthropic') {
    // Those without adaptive thinking have budgets of tokens instead.
    if (compat?.forceAdaptiveThinking !== true) return undefined;
    const more = (['xhigh', 'max'] as const).filter((level) => typeof map?.[level] === 'string');
    return [...(map?.off === null ? [] : ['none']), 'low', 'medium', 'high', ...more];
  }
  if (map === undefined || !levels.some((level) => map[level] !== undefined)) return undefined;
  const words = levels.flatMap((level) => {
    const word = map[level];
    const isUsual = word === undefined && level !== 'xhigh' && level !== 'max';
    return isUsual ? [level] : (word?.toLowerCase() ?? []);
  });
  return [...new Set([...(map.off === null ? [] : ['none']), ...words])];
}

function takes({ id, input }: Offered): readonly ('image' | 'pdf')[] {
  if (!input.includes('image')) return [];
  return readsPdfs.test(id) ? ['image', 'pdf'] : ['image'];
}

const offered = readOffered();
const manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.resolve('@pydantic/genai-prices')), 'utf8'),
) as { version: string };

function providerOf({ id, current, dated, url }: (typeof providers)[number]): CatalogueProvider {
  const source = dated === undefined ? undefined : findProvider({ providerId: dated });
  if (dated !== undefined && source === undefined) throw new Error(`The package knows no provider "${dated}".`);
  const patterns = (source?.models ?? []).map(({ match, context_window, prices }) => ({
    match,
    ...(context_window === undefined ? {} : { context: context_window }),
    ...outputOf(id, match),
    prices: (Array.isArray(prices) ? prices : [{ prices }]).map((entry) => ({
      ...('constraint' in entry && entry.constraint !== undefined ? { when: entry.constraint } : {}),
      ...datedPricesOf(entry.prices),
    })),
  }));
  const models = (current === undefined ? [] : offered.models(current)).map((model) => {
    const known = patterns.find(({ match }) => matches(match, model.id.toLowerCase()));
    const now = merged(currentPricesOf(model), known?.prices ?? [], offered.date);
    const prices = [...now, ...announcedPrices(id, model.id)];
    const efforts = effortsOf(id, model);
    const facts: ModelFacts = {
      context: windowOf(id, model.id, model.contextWindow),
      output: model.maxTokens,
      takes: takes(model),
      thinks: model.reasoning,
      ...(efforts === undefined ? {} : { efforts }),
      ...(prices.length === 0 ? {} : { prices }),
    };
    return { id: model.id, ...facts };
  });
  const pattern = url ?? source?.api_pattern;
  if (pattern === undefined) throw new Error(`No address of ${id} is known.`);
  return { id, url: pattern, models, patterns };
}

/** The longest answer of older models, which neither source has; by the first name that the pattern begins with. */
function outputOf(provider: string, match: object): { output?: number } {
  const name = /"(?:equals|starts_with)":"([^"]+)"/.exec(JSON.stringify(match))?.[1];
  const output = name === undefined ? null : outputLimit(provider, name);
  return output === null ? {} : { output };
}

const table: Catalogue = {
  date: offered.date,
  sources: [`@earendil-works/pi-ai ${offered.version}`, `@pydantic/genai-prices ${manifest.version}`],
  providers: providers.map(providerOf),
};
offered.remove();
// One model a line, so that an update reads well as a diff.
const json = JSON.stringify(table).replaceAll(/\{"(?:match|id)"/g, '\n$&');
writeFileSync(new URL('../src/catalogue/catalogue.json', import.meta.url), `${json}\n`);
