/** The search services that we know, and which of them the environment has the means for. */
import { type JsonObject, PawlError } from '@pawl/protocol';
import type { JsonAnswer } from '../json-request.ts';
import type { WebOptions } from '../options.ts';
import type { SearchProvider, SearchResult } from './provider.ts';

type Query = { query: string; count: number };

/** How one service is asked, and where its hits stand in what it answers. */
type Service = {
  name: string;
  /** The variable that holds its key, or for SearXNG its URL. */
  variable: string;
  request(query: Query, means: string): { url: URL; headers: Readonly<Record<string, string>>; body: string | null };
  hits(answer: unknown): unknown;
  snippet: string;
};

/** What is shown of a service's own words, characters. */
const longestReason = 200;
/** Longer ones nobody could fetch, and they would leave no room for others. */
const longestUrl = 2000;

const none = { headers: {}, body: null };

const services: readonly Service[] = [
  {
    // https://api-dashboard.search.brave.com/app/documentation/web-search
    name: 'Brave',
    variable: 'BRAVE_API_KEY',
    request: ({ query, count }, key) => ({
      ...none,
      url: withQuery('https://api.search.brave.com/res/v1/web/search', { q: query, count: String(count) }),
      headers: { 'x-subscription-token': key },
    }),
    hits: (answer) => field(field(answer, 'web'), 'results'),
    snippet: 'description',
  },
  {
    // https://docs.tavily.com/documentation/api-reference/endpoint/search
    name: 'Tavily',
    variable: 'TAVILY_API_KEY',
    request: ({ query, count }, key) => ({
      url: new URL('https://api.tavily.com/search'),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, max_results: count }),
    }),
    hits: (answer) => field(answer, 'results'),
    snippet: 'content',
  },
  {
    // https://docs.searxng.org/dev/search_api.html
    name: 'SearXNG',
    variable: 'SEARXNG_URL',
    request: ({ query }, address) => ({
      ...none,
      url: withQuery(searchAddress(address), { q: query, format: 'json' }),
    }),
    hits: (answer) => field(answer, 'results'),
    snippet: 'content',
  },
];

/** The first service, in the order Brave, Tavily, SearXNG, that the environment has a key or a URL for; else null. */
export function searchProviderFor(options: WebOptions, endpoint?: URL): SearchProvider | null {
  const service = services.find(({ variable }) => options.environment[variable]?.trim());
  const means = options.environment[service?.variable ?? '']?.trim();
  return service === undefined || means === undefined ? null : providerOf(service, means, options, endpoint);
}

/** `endpoint` stands in for the service's own origin, in tests. */
function providerOf(service: Service, means: string, options: WebOptions, endpoint?: URL): SearchProvider {
  return {
    name: service.name,
    async search(query, signal) {
      const asked = service.request(query, means);
      const url = endpoint === undefined ? asked.url : new URL(asked.url.pathname + asked.url.search, endpoint);
      const { requestJson } = await import('../json-request.ts');
      const answer = await requestJson({ ...asked, url }, options, signal);
      if (answer.status !== 200) throw refusal(service, answer, means);
      const hits = service.hits(answer.value);
      if (Array.isArray(hits)) return hits.flatMap((hit) => resultOf(hit, service)).slice(0, query.count);
      // Brave leaves the list out where there is nothing.
      if (service.name === 'Brave' && typeof answer.value === 'object' && answer.value !== null) return [];
      throw new PawlError('search_failed', `${service.name} answered in a form that is not understood.`);
    },
  };
}

function refusal({ name, variable }: Service, { status, value }: JsonAnswer, means: string): PawlError {
  // Before it is cut: half of a key would not be known for one.
  const said = reasonIn(value).replaceAll(means, '***').slice(0, longestReason);
  const because = said === '' ? '' : ` It says: ${JSON.stringify(said)}.`;
  const refused = (code: string, sentence: string) => new PawlError(code, `${name} ${sentence}${because}`);
  // 402, 432 and 433: nothing is left to spend (Brave, Tavily).
  if (status === 429 || status === 402 || status === 432 || status === 433)
    return refused(
      'search_quota',
      `has had enough searches for now (HTTP ${status}). Wait, or raise the quota of the key.`,
    );
  if (name === 'SearXNG' && status === 403)
    return refused('search_failed', 'does not give JSON: add json to search.formats in its settings.yml.');
  if (status === 401 || status === 403 || (status === 422 && /token|key/i.test(said)))
    return refused('search_key', `refuses the key (HTTP ${status}). Check ${variable}.`);
  return refused('search_failed', `could not search (HTTP ${status}). Try again later.`);
}

/** The first sentence that an error's body holds. */
function reasonIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.replace(/\p{Cc}/gu, ' ');
  if (depth > 3 || typeof value !== 'object' || value === null) return '';
  for (const name of ['message', 'detail', 'error', 'errors']) {
    const found = reasonIn(field(value, name), depth + 1);
    if (found !== '') return found;
  }
  return '';
}

function resultOf(hit: unknown, { snippet }: Service): SearchResult[] {
  const text = (name: string) => {
    const value = field(hit, name);
    return typeof value === 'string' ? value : '';
  };
  const url = URL.parse(text('url'));
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > longestUrl) return [];
  return [{ title: text('title'), url: url.href, snippet: text(snippet) }];
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;

function withQuery(address: string | URL, query: { [name: string]: string }): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** @throws `search_failed` for what is no URL. */
function searchAddress(address: string): URL {
  const url = URL.parse(address.endsWith('/') ? `${address}search` : `${address}/search`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new PawlError('search_failed', 'SEARXNG_URL is no URL. Write it like https://search.example.org.');
  return url;
}
