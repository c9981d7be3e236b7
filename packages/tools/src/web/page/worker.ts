/** A thread of its own that makes one page readable: whatever the page does to the parser, the thread can be ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { textOf } from './text.ts';

export type RenderRequest = { html: string; url: string; format: 'markdown' | 'text' };

const { html, url, format } = workerData as RenderRequest;
// The libraries of Markdown take long to load.
const page = format === 'text' ? textOf(html) : (await import('./markdown.ts')).markdownOf(html, url);
parentPort?.postMessage(page);
