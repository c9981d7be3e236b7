/** One hit. Everything in it was written by strangers. */
export type SearchResult = { title: string; url: string; snippet: string };

/** A service that searches the web. */
export interface SearchProvider {
  /** For people: `Brave`. */
  readonly name: string;
  /**
   * The best hits first, at most `count`.
   * @throws `search_key` when the key is refused, `search_quota` when it is used up, `search_failed` for the rest.
   */
  search(query: { query: string; count: number }, signal: AbortSignal): Promise<readonly SearchResult[]>;
}
