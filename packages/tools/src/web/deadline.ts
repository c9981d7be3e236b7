import { PawlError } from '@pawl/protocol';

/** How long an exchange with a server may take. */
export type Patience = {
  /** In all, with redirects; ms. */
  timeoutMs: number;
  /** Without a single byte; ms. */
  idleMs: number;
};

/** One signal for all that ends a fetch early: the caller, the whole time, and a server that falls silent. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #patience: Patience;
  readonly #outer: AbortSignal;
  readonly #whole: NodeJS.Timeout;
  #idle: NodeJS.Timeout;

  constructor(patience: Patience, outer: AbortSignal) {
    this.#patience = patience;
    this.#outer = outer;
    this.#whole = setTimeout(() => this.#end(`did not finish within ${patience.timeoutMs} ms`), patience.timeoutMs);
    this.#idle = this.#startIdle();
    outer.addEventListener('abort', this.#stop, { once: true });
    if (outer.aborted) this.#stop();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something came. */
  touch(): void {
    this.#idle.refresh();
  }

  close(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#idle);
    this.#outer.removeEventListener('abort', this.#stop);
  }

  /** The work's outcome, or the reason of the end that comes first. Work that is left behind fails unheard. */
  async race<Value>(work: Promise<Value>): Promise<Value> {
    work.catch(() => undefined);
    let onAbort: () => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      onAbort = () => reject(this.signal.reason);
      if (this.signal.aborted) onAbort();
      else this.signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      this.signal.removeEventListener('abort', onAbort);
    }
  }

  #startIdle(): NodeJS.Timeout {
    const { idleMs } = this.#patience;
    return setTimeout(() => this.#end(`sent nothing for ${idleMs} ms`), idleMs);
  }

  readonly #stop = () => this.#controller.abort(this.#outer.reason);

  #end(problem: string): void {
    this.#controller.abort(new PawlError('fetch_timeout', `The server ${problem}. Try again later, or another page.`));
  }
}
