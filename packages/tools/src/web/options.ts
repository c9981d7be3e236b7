/** What can be set about the web tools. Every part has a default. */
export type WebOptions = {
  /** Longest answer, unpacked; bytes, default 5 MB. */
  maxBodyBytes: number;
  /** How long a fetch may take with all its redirects; ms, default 30 000. */
  timeoutMs: number;
  /** How long a server may stay silent; ms, default 10 000. */
  idleMs: number;
  /** How long a page may take to be made readable; ms, default 8000. */
  renderMs: number;
  /** Ports that may be asked; default 80 and 443. */
  ports: readonly number[] | 'any';
  /** Where proxies and the keys of search services are looked for; default this process's environment. */
  environment: Readonly<Record<string, string | undefined>>;
};

export function withWebDefaults(options: Partial<WebOptions> = {}): WebOptions {
  return {
    maxBodyBytes: 5_000_000,
    timeoutMs: 30_000,
    idleMs: 10_000,
    renderMs: 8000,
    ports: [80, 443],
    environment: process.env,
    ...options,
  };
}
