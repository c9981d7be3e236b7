import type { Fetched } from './fetch.ts';

const longestMs = 15 * 60_000;
const maxBytes = 32_000_000;
const maxPages = 100;

/** What was fetched, for a quarter of an hour: the same page in another form, or asked for again, costs no second visit. */
export class PageCache {
  readonly #pages = new Map<string, { page: Fetched; at: number }>();
  #bytes = 0;

  /** The page and how long ago it was fetched, ms; null if it is not here any more. */
  get(url: string, now: number): { page: Fetched; ageMs: number } | null {
    const held = this.#pages.get(url);
    if (held === undefined) return null;
    const ageMs = now - held.at;
    if (ageMs >= 0 && ageMs < longestMs) return { page: held.page, ageMs };
    this.#drop(url);
    return null;
  }

  set(url: string, page: Fetched, now: number): void {
    this.#drop(url);
    this.#pages.set(url, { page, at: now });
    this.#bytes += page.bytes.length;
    // A map keeps its order, so the first is the oldest.
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= maxBytes && this.#pages.size <= maxPages) break;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    this.#bytes -= this.#pages.get(url)?.page.bytes.length ?? 0;
    this.#pages.delete(url);
  }
}
