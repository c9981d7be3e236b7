import type { Clock } from '@pawl/engine';
import { keepAlive } from '@pawl/engine/waiting';

export type GateLimits = { requestsPerMinute?: number | undefined; concurrency?: number | undefined };

const minuteMs = 60_000;

/**
 * Limits the requests to one provider: their number per minute and at once. Further requests wait in one queue. Each
 * request that has entered must leave once.
 */
export class Gate {
  limits: GateLimits = {};
  readonly #clock: Clock;
  readonly #queue: (() => void)[] = [];
  #starts: number[] = [];
  #underWay = 0;
  #callOff: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get underWay(): number {
    return this.#underWay;
  }
  get waiting(): number {
    return this.#queue.length;
  }

  /** Enters if nobody waits and no limit is reached. */
  tryEnter(): boolean {
    if (this.#queue.length > 0 || this.#opensAt() > this.#clock.now()) return false;
    this.#enter();
    return true;
  }

  /** Why there is a queue, as the end of a sentence. */
  describe(): string {
    const { concurrency = Number.POSITIVE_INFINITY, requestsPerMinute } = this.limits;
    if (this.#underWay >= concurrency) return `${this.#underWay} of ${concurrency} requests at once are under way`;
    return `it may be asked ${requestsPerMinute} times a minute`;
  }

  /**
   * Resolves to true when this call has entered, or to false as soon as `signal` aborts, and then it has not. The process
   * stays alive meanwhile.
   */
  enter(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve(false);
        return;
      }
      const letGo = keepAlive();
      const come = () => {
        letGo();
        signal.removeEventListener('abort', go);
        resolve(true);
      };
      const go = () => {
        letGo();
        this.#queue.splice(this.#queue.indexOf(come), 1);
        this.#admit();
        resolve(false);
      };
      signal.addEventListener('abort', go, { once: true });
      this.#queue.push(come);
      this.#admit();
    });
  }

  leave(): void {
    this.#underWay--;
    this.#admit();
  }

  #enter(): void {
    this.#underWay++;
    if (this.limits.requestsPerMinute !== undefined) this.#starts.push(this.#clock.now());
  }

  /** Lets in who may come in, and sees to it that the next is let in when it may. */
  #admit(): void {
    this.#callOff?.();
    this.#callOff = null;
    while (this.#queue.length > 0) {
      const opensAt = this.#opensAt();
      if (opensAt > this.#clock.now()) {
        if (opensAt < Number.POSITIVE_INFINITY) this.#callOff = this.#clock.at(opensAt, () => this.#admit());
        return;
      }
      this.#enter();
      this.#queue.shift()?.();
    }
  }

  /** When the next request may begin; never, as far as one can tell, while too many are under way. */
  #opensAt(): number {
    const { concurrency, requestsPerMinute } = this.limits;
    if (concurrency !== undefined && this.#underWay >= concurrency) return Number.POSITIVE_INFINITY;
    if (requestsPerMinute === undefined) return 0;
    const now = this.#clock.now();
    this.#starts = this.#starts.filter((start) => start > now - minuteMs);
    const blocking = this.#starts[this.#starts.length - requestsPerMinute];
    return blocking === undefined ? 0 : blocking + minuteMs;
  }
}
