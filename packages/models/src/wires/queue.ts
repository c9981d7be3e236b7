import type { ModelEvent } from '@pawl/engine';

/** Events wait here for a slow reader; beyond this many the connection is paused. */
const fullAt = 2048;

export type QueueOwner = {
  /** The reader fell behind (true) or caught up (false). */
  pause(isPaused: boolean): void;
  /** The reader left before the end. */
  leave(): void;
};

/**
 * The events of one answer, between the connection that brings them and the one reader that takes them.
 * By hand, because an async generator costs three promises an event where this costs one.
 */
export class EventQueue implements AsyncIterableIterator<ModelEvent> {
  readonly #owner: QueueOwner;
  #events: ModelEvent[] = [];
  #next = 0;
  #isPaused = false;
  #end: { error: unknown } | 'done' | null = null;
  #reader: PromiseWithResolvers<IteratorResult<ModelEvent>> | null = null;

  constructor(owner: QueueOwner) {
    this.#owner = owner;
  }

  push(event: ModelEvent): void {
    if (this.#end !== null) return;
    if (this.#reader !== null) {
      const reader = this.#reader;
      this.#reader = null;
      reader.resolve({ value: event, done: false });
      return;
    }
    this.#events.push(event);
    if (!this.#isPaused && this.#events.length - this.#next > fullAt) this.#setPaused(true);
  }

  /** No more events come; those that wait are still read. */
  end(): void {
    if (this.#end !== null) return;
    this.#end = 'done';
    this.#reader?.resolve({ value: undefined, done: true });
    this.#reader = null;
  }

  /** Ends with an error: after the events that wait, or at once. */
  fail(error: unknown, isAtOnce = false): void {
    if (this.#end !== null) return;
    if (isAtOnce) this.#clear();
    this.#end = { error };
    if (this.#reader !== null) {
      this.#reader.reject(error);
      this.#reader = null;
      this.#end = 'done';
    }
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    const event = this.#events[this.#next];
    if (event !== undefined) {
      this.#next++;
      if (this.#next === this.#events.length) {
        this.#clear();
        if (this.#isPaused) this.#setPaused(false);
      }
      return Promise.resolve({ value: event, done: false });
    }
    if (this.#end === 'done') return Promise.resolve({ value: undefined, done: true });
    if (this.#end !== null) {
      const { error } = this.#end;
      this.#end = 'done';
      return Promise.reject(error);
    }
    if (this.#reader !== null) return Promise.reject(new Error('An answer has one reader, which reads one at a time.'));
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  return(): Promise<IteratorResult<ModelEvent>> {
    this.#clear();
    this.end();
    this.#owner.leave();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #clear(): void {
    this.#events = [];
    this.#next = 0;
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#owner.pause(isPaused);
  }
}
