import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { Exchange } from './wire-cassette.ts';

/** What becomes of a request with this body. What it throws fails the request. */
export type Answerer = (body: string) => Exchange | Promise<Exchange>;

/** As much of Node's `ClientRequest` as posting uses. */
export class AnsweredRequest extends EventEmitter {
  reusedSocket = false;
  readonly #answerTo: Answerer;
  readonly #keepsTime: boolean;
  readonly #body: Buffer[] = [];
  #answer: Readable | null = null;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #isDestroyed = false;

  constructor(answerTo: Answerer, keepsTime = false) {
    super();
    this.#answerTo = answerTo;
    this.#keepsTime = keepsTime;
  }

  cork(): void {}
  uncork(): void {}

  write(chunk: Buffer): boolean {
    this.#body.push(chunk);
    return true;
  }

  end(): void {
    this.#after(0, () => {
      this.#answered().then(
        (exchange) => this.#begin(exchange),
        (error: unknown) => this.emit('error', error),
      );
    });
  }

  async #answered(): Promise<Exchange> {
    return this.#answerTo(Buffer.concat(this.#body).toString('utf8'));
  }

  destroy(): void {
    this.#isDestroyed = true;
    clearTimeout(this.#timer as NodeJS.Timeout);
    clearImmediate(this.#timer as NodeJS.Immediate);
    this.#answer?.destroy();
  }

  #begin(exchange: Exchange): void {
    const { response, end } = exchange;
    this.reusedSocket = end?.error?.isReused ?? false;
    const failure = failureOf(exchange);
    // What failed otherwise never connected.
    if (response !== null || /^(ECONNRESET|EPIPE|)$/.test(failure.code)) this.emit('socket', { connecting: false });
    if (response === null) {
      this.#after(end?.atMs ?? 0, () => this.emit('error', failure));
      return;
    }
    this.#after(response.atMs, () => {
      const answer = new Readable({ read() {} });
      this.#answer = answer;
      this.emit('response', Object.assign(answer, { statusCode: response.status, headers: response.headers }));
      this.#play(exchange, answer, 0, response.atMs);
    });
  }

  #play(exchange: Exchange, answer: Readable, index: number, beforeMs: number): void {
    const chunk = exchange.chunks[index];
    if (chunk !== undefined) {
      this.#after(chunk.atMs - beforeMs, () => {
        answer.push(chunk.bytes);
        this.#play(exchange, answer, index + 1, chunk.atMs);
      });
      return;
    }
    this.#after((exchange.end?.atMs ?? beforeMs) - beforeMs, () => {
      if (exchange.end !== null && exchange.end.error === undefined) answer.push(null);
      else answer.destroy(failureOf(exchange));
    });
  }

  #after(milliseconds: number, step: () => void): void {
    if (this.#isDestroyed) return;
    this.#timer = this.#keepsTime ? setTimeout(step, Math.max(0, milliseconds)) : setImmediate(step);
  }
}

/** As Node would report it. An exchange without an end was cut off while it was recorded. */
function failureOf({ end }: Exchange): Error & { code: string } {
  const { code, message } = end?.error ?? { code: '', message: 'the recording ends here' };
  return Object.assign(new Error(message), { code });
}
