import type { Tool } from '@pawl/engine';
import { escapeInvisible } from '../../escape.ts';
import { defineTool, objectSchema } from '../../tool.ts';
import { type WebOptions, withWebDefaults } from '../options.ts';
import { outsideText } from '../outside.ts';
import type { SearchProvider, SearchResult } from './provider.ts';
import { searchProviderFor } from './services.ts';

type SearchInput = { query: string; count?: number };

const usualCount = 8;
const maxCount = 20;
const longestQuery = 400;
const longestTitle = 200;
const longestSnippet = 500;

/** Searches the web, or null where no service is at hand: a tool that cannot work is not offered. */
export function webSearchTool(
  options: Partial<WebOptions> = {},
  provider: SearchProvider | null = searchProviderFor(withWebDefaults(options)),
): Tool | null {
  if (provider === null) return null;
  return defineTool<SearchInput>({
    name: 'web_search',
    description: 'Searches the web. Gives titles, URLs and excerpts; read a page with web_fetch.',
    input: objectSchema(
      {
        query: { type: 'string', minLength: 1, maxLength: longestQuery },
        count: { type: 'integer', minimum: 1, maximum: maxCount, description: `Most results, default ${usualCount}` },
      },
      ['query'],
    ),
    effect: 'read',
    subject: ({ query }) => query,
    plan: async ({ query }) => ({
      preview: { kind: 'text', text: escapeInvisible(`Search ${provider.name}: ${query}`) },
    }),
    async run({ query, count = usualCount }, { signal }) {
      const results = await provider.search({ query, count }, signal);
      const content =
        results.length === 0
          ? 'Nothing was found. Try other words.'
          : outsideText(provider.name, results.map(show).join('\n\n'));
      return { content, details: { provider: provider.name, count: results.length } };
    },
  });
}

function show({ title, url, snippet }: SearchResult, index: number): string {
  const heading = `${index + 1}. ${plain(title).slice(0, longestTitle) || '(no title)'}\n   ${url}`;
  const excerpt = plain(snippet).slice(0, longestSnippet);
  return excerpt === '' ? heading : `${heading}\n   ${excerpt}`;
}

/** Services mark the words that they found with tags, and escape the rest. */
const plain = (text: string) =>
  text
    .replace(/<\/?(?:strong|b|em|mark|i)>/gi, '')
    .replace(/&(?:quot|amp|lt|gt|#39|#x27);/g, (entity) => entities[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

const entities: { [entity: string]: string } = {
  '&quot;': '"',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
  '&#x27;': "'",
};
