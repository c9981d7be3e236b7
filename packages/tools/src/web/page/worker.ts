/** A process of its own that makes one page readable: whatever the page does to the parser, the process can be ended. */
import { textOf } from './text.ts';

export type RenderRequest = { html: string; url: string; format: 'markdown' | 'text' };

process.once('message', async (request) => {
  const { html, url, format } = request as RenderRequest;
  // The libraries of Markdown take long to load.
  const page = format === 'text' ? textOf(html) : (await import('./markdown.ts')).markdownOf(html, url);
  process.send?.(page, () => process.disconnect());
});
