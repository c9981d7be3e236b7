import { EventEmitter } from 'node:events';
import type { RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { PawlError } from '@pawl/protocol';
import type { Connection, WireTap } from '../http/connection.ts';
import { type Exchange, readWireCassette } from './wire-cassette.ts';

export type ReplayWireOptions = {
  /** `body` (default) refuses a request whose body is not the recorded one; `none` plays the exchanges in their order. */
  compare?: 'body' | 'none';
  /** `none` (default) plays the chunks at once, each on its own; `recorded` with the waits between them. */
  timing?: 'none' | 'recorded';
};

/**
 * For `tap` of a wire's options: answers each request with what `recordWire` wrote down, through the same reading, so
 * that a fault in it shows again. Nothing goes over the network; any key will do.
 * @throws `no_cassette`, `bad_cassette`, `cassette_too_new`; when called, `replay_diverged` if a request is not the
 * recorded one, `replay_exhausted` if the recording has no more, and what was recorded as a failure.
 */
export function replayWire(path: string, { compare = 'body', timing = 'none' }: ReplayWireOptions = {}): WireTap {
  const left = readWireCassette(path);

  /** Sessions at the same time may come in another order, so the body decides. */
  function take(body: string): Exchange {
    const [next] = left;
    if (next === undefined) {
      throw new PawlError('replay_exhausted', `The recording ${path} has no further request. Record it again.`);
    }
    const found = compare === 'none' ? next : left.find((exchange) => isRecorded(exchange.body, body));
    if (found === undefined) throw diverged(path, next, body);
    left.splice(left.indexOf(found), 1);
    return found;
  }

  return (connection) => ({
    ...connection,
    request: ((_options: RequestOptions) =>
      new ReplayedRequest(take, timing === 'recorded')) as unknown as Connection['request'],
  });
}

/** As much of Node's `ClientRequest` as posting uses. */
class ReplayedRequest extends EventEmitter {
  reusedSocket = false;
  readonly #take: (body: string) => Exchange;
  readonly #keepsTime: boolean;
  readonly #body: Buffer[] = [];
  #answer: Readable | null = null;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #isDestroyed = false;

  constructor(take: (body: string) => Exchange, keepsTime: boolean) {
    super();
    this.#take = take;
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
      let exchange: Exchange;
      try {
        exchange = this.#take(Buffer.concat(this.#body).toString('utf8'));
      } catch (error) {
        this.emit('error', error);
        return;
      }
      this.#begin(exchange);
    });
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

/** Whether a body is the recorded one, in which a key is written as `[key]`. */
function isRecorded(recorded: string, body: string): boolean {
  if (recorded === body) return true;
  const pieces = recorded.split('[key]');
  if (pieces.length === 1) return false;
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const found = index === 0 ? (body.startsWith(piece) ? 0 : -1) : body.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at === body.length || pieces.at(-1) === '';
}

function diverged(path: string, { exchange, body: recorded }: Exchange, body: string): PawlError {
  let at = 0;
  while (at < recorded.length && recorded[at] === body[at]) at++;
  const shown = (text: string) => `“…${text.slice(Math.max(0, at - 40), at + 80)}…”`;
  return new PawlError(
    'replay_diverged',
    `Request ${exchange} of ${path} is not the recorded one: at character ${at + 1} it was ${shown(recorded)} and is ${shown(body)}. Restore what it was recorded with, or replay it without comparing bodies.`,
  );
}
