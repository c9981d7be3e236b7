/** What a page becomes for the model: fetched or remembered, made readable, and marked as from outside. */
import type { ToolContext, ToolOutcome } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { decodePage } from './charset.ts';
import { contentKind, mediaTypeIn } from './content-type.ts';
import { type Fetched, fetchPage } from './fetch.ts';
import type { Network } from './network.ts';
import type { WebOptions } from './options.ts';
import { outsideText } from './outside.ts';
import { renderPage } from './page/render.ts';
import { PageCache } from './pages-cache.ts';
import { targetOf } from './target.ts';

export type Format = 'markdown' | 'text' | 'raw';

/** Reads pages, and remembers them for a while. */
export type Reader = {
  /** The URL that will be asked. @throws `bad_url`, `forbidden_address`. */
  check(url: string): string;
  read(url: string, format: Format, context: ToolContext): Promise<ToolOutcome>;
};

/** What is shown of the page that comes with an error, characters. */
const longestErrorPage = 4000;
const progressIntervalMs = 250;

export function createReader(options: WebOptions, network: Network): Reader {
  const cache = new PageCache();
  const check = (url: string) => targetOf(url, { ports: options.ports, permits: network.permits }).href;
  return {
    check,
    async read(url, format, context) {
      const key = check(url);
      const held = cache.get(key, network.now());
      const page = held?.page ?? (await fetchPage(key, options, network, watching(context)));
      if (held === null && page.isStorable) cache.set(key, page, network.now());
      return show(page, { format, ageMs: held?.ageMs ?? null, renderMs: options.renderMs }, context);
    },
  };
}

function watching({ signal, progress }: ToolContext): { signal: AbortSignal; onBytes(totalBytes: number): void } {
  let last = 0;
  return {
    signal,
    onBytes(totalBytes) {
      if (performance.now() - last < progressIntervalMs) return;
      last = performance.now();
      progress({ text: `${totalBytes} bytes`, done: totalBytes });
    },
  };
}

type View = { format: Format; ageMs: number | null; renderMs: number };

async function show(page: Fetched, view: View, context: ToolContext): Promise<ToolOutcome> {
  const { status, contentType, bytes, elsewhere, url, proxy, redirects } = page;
  const details = { url, status, contentType, bytes: bytes.length, redirects, proxy, isCached: view.ageMs !== null };
  if (elsewhere !== null) {
    const content = `${url} redirects elsewhere, and that was not asked:\n${elsewhere}\nCall web_fetch with that URL if it is what you want.`;
    return { content, details: { ...details, elsewhere } };
  }
  const kind = bytes.length === 0 ? 'text' : contentKind(contentType, bytes);
  switch (kind) {
    case 'media':
      return { ...(await showMedia(page, context)), details };
    case 'unknown':
      throw new PawlError(
        'unsupported_content',
        `${url} is ${mediaTypeIn(contentType) || 'data of no known kind'} (${bytes.length} bytes), which cannot be shown as text.`,
      );
    case 'html':
    case 'text': {
      const source = decodePage(bytes, contentType);
      const isRendered = kind === 'html' && view.format !== 'raw';
      const body = isRendered ? await readable(source, url, view, context.signal) : { text: source, notes: [] };
      const isError = status >= 400;
      const text =
        isError && body.text.length > longestErrorPage ? `${body.text.slice(0, longestErrorPage)}…` : body.text;
      const head = headline(page, [...body.notes, ...(view.ageMs === null ? [] : [age(view.ageMs)])]);
      return { content: `${head}\n${text.trim() === '' ? '(empty)' : outsideText(url, text)}`, isError, details };
    }
    default:
      return kind satisfies never;
  }
}

function headline({ url, status, statusText, contentType, bytes, proxy }: Fetched, notes: readonly string[]): string {
  // The server's own words, so only what a reason can be made of.
  const reason = statusText.replace(/[^\x20-\x3b\x3f-\x7e]/g, '').slice(0, 60);
  const type = mediaTypeIn(contentType)
    .replace(/[^\w.+/-]/g, '')
    .slice(0, 60);
  const facts = [`HTTP ${status}${reason === '' ? '' : ` ${reason}`}`, type, `${bytes.length} bytes`];
  const route = proxy === null ? [] : [`through the proxy ${proxy}`];
  return `${url} (${[...facts, ...route, ...notes].filter((fact) => fact !== '').join(', ')})`;
}

const age = (ageMs: number) =>
  ageMs < 60_000 ? 'fetched just before' : `fetched ${Math.round(ageMs / 60_000)} min ago`;

async function readable(
  html: string,
  url: string,
  { format, renderMs }: View,
  signal: AbortSignal,
): Promise<{ text: string; notes: string[] }> {
  const request = { html, url, format: format === 'text' ? 'text' : 'markdown' } as const;
  const { title, text, isPlain } = await renderPage(request, { limitMs: renderMs, signal });
  const notes = isPlain ? ['too much for Markdown, so as plain text'] : [];
  const hasTitle = title === '' || text.slice(0, title.length + 20).includes(title);
  return { text: hasTitle ? text : `Title: ${title}\n\n${text}`, notes };
}

async function showMedia({ url, bytes }: Fetched, { blobs }: ToolContext): Promise<ToolOutcome> {
  const { prepareFile } = await import('@pawl/engine/media');
  const prepared = await prepareFile(bytes, url);
  const digest = await blobs.put(prepared.bytes);
  const name = (new URL(url).pathname.split('/').pop() ?? '').replace(/[^\w.-]/g, '_').slice(0, 100) || 'file';
  const { mediaType } = prepared;
  return {
    content: `${url}: ${prepared.summary}`,
    files: [{ type: 'file', mediaType, digest, sizeBytes: prepared.bytes.length, name }],
  };
}
