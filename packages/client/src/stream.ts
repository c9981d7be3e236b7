import type { PawlError } from '@pawl/protocol';
import { tookEvents } from './lines.ts';

type Waiting<Item> = { resolve(result: IteratorResult<Item>): void; reject(error: unknown): void };

/** Items that come over a connection, for one reader, who takes them in its own time. */
export class RemoteStream<Item> implements AsyncIterableIterator<Item> {
  readonly #line: { took(count: number): void; leave(): void };
  #queue: Item[] = [];
  #head = 0;
  #taken = 0;
  #waiting: Waiting<Item> | null = null;
  #end: { error: PawlError | null } | null = null;

  /** `took` is told how many more were taken; `leave` that no more are wanted. */
  constructor(line: { took(count: number): void; leave(): void }) {
    this.#line = line;
  }

  give(item: Item): void {
    if (this.#end !== null) return;
    const waiting = this.#waiting;
    if (waiting === null) {
      this.#queue.push(item);
      return;
    }
    this.#waiting = null;
    this.#count();
    waiting.resolve({ done: false, value: item });
  }

  /** What came is still given. */
  finish(): void {
    this.#close(null);
  }

  fail(error: PawlError): void {
    this.#close(error);
  }

  next(): Promise<IteratorResult<Item>> {
    if (this.#head < this.#queue.length) {
      const value = this.#queue[this.#head] as Item;
      this.#head += 1;
      if (this.#head === this.#queue.length) {
        this.#queue = [];
        this.#head = 0;
      }
      this.#count();
      return Promise.resolve({ done: false, value });
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#answerEnd();
    });
  }

  return(): Promise<IteratorResult<Item>> {
    this.#queue = [];
    this.#head = 0;
    this.#close(null);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #count(): void {
    this.#taken += 1;
    if (this.#taken < tookEvents || this.#end !== null) return;
    this.#line.took(this.#taken);
    this.#taken = 0;
  }

  #close(error: PawlError | null): void {
    if (this.#end !== null) return;
    this.#end = { error };
    this.#line.leave();
    this.#answerEnd();
  }

  #answerEnd(): void {
    const waiting = this.#waiting;
    if (waiting === null || this.#end === null) return;
    this.#waiting = null;
    if (this.#end.error === null) waiting.resolve({ done: true, value: undefined });
    else waiting.reject(this.#end.error);
  }
}
