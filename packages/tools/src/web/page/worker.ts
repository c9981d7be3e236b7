/** A process of its own that makes one page readable: whatever the page does to the parser, the process can be ended. */
import { Worker } from 'node:worker_threads';
import { textOf } from './text.ts';

export type RenderRequest = { html: string; url: string; format: 'markdown' | 'text' };

/**
 * Longer than twice the largest page that is fetched, in characters: links to a long base, or lines of deep lists, make
 * gigabytes of a small page.
 */
const maxCharacters = 10_000_000;

// Whoever asked may be killed, while the page keeps this thread from hearing of it.
const watch = `const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 500);`;
new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();

process.once('message', async (request) => {
  const { html, url, format } = request as RenderRequest;
  // The libraries of Markdown take long to load.
  const page = format === 'text' ? textOf(html) : (await import('./markdown.ts')).markdownOf(html, url);
  if (page.text.length > maxCharacters) throw new Error('It becomes too long.');
  process.send?.(page, () => process.disconnect());
});
