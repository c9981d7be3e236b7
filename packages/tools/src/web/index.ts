/** The web as tools: reading a page, and searching where a service is at hand. */
import type { Tool } from '@pawl/engine';
import type { WebOptions } from './options.ts';
import { webSearchTool } from './search/web-search.ts';
import { webFetchTool } from './web-fetch.ts';

/** `web_fetch`, and `web_search` if the environment holds a key or an address for it. */
export function webTools(options: Partial<WebOptions>): Tool[] {
  const search = webSearchTool(options);
  return [webFetchTool(options), ...(search === null ? [] : [search])];
}
