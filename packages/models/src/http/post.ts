import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isPawlError, PawlError, toPawlError } from '@pawl/protocol';
import { modelError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { networkError, responseError } from './failure.ts';
import { headerError } from './headers.ts';
import { contentLimit, type SilenceLimit, silenceLimit, type Timeouts } from './timeouts.ts';
import { createWatch, type Watch } from './watch.ts';

export type Post = {
  connection: Connection;
  headers: OutgoingHttpHeaders;
  /** Sent one after the other. */
  body: readonly Buffer[];
  timeouts: Timeouts;
  signal: AbortSignal;
  /** Sees the head of the answer, also of one that is an error. */
  onHeaders?: ((headers: IncomingHttpHeaders) => void) | undefined;
};

/** Called in this order; exactly one of `end` and `error` is the last call. */
export type PostHandler = {
  /** A new connection is being made; not called when one is reused. */
  connecting(): void;
  /** The request is on its way. */
  sent(): void;
  /** The answer is a success and begins. */
  headers(headers: IncomingHttpHeaders): void;
  data(chunk: Buffer): void;
  end(): void;
  error(error: PawlError): void;
};

/** A request under way. */
export type PostHandle = {
  pause(): void;
  resume(): void;
  /** Ends the request now; the handler is not called any more. */
  abort(): void;
  /**
   * Tells what the last chunk held: `isThinking` while the model does not write, so that silence is no fault yet;
   * `hasContent` if it held a piece of the answer, and not only a ping.
   */
  follow(isThinking: boolean, hasContent: boolean): void;
  /** The handler needs no more. The rest of the answer is read, so that the connection can be reused. */
  release(): void;
};

/** Most of an error's body that is read. */
const errorBodyBytes = 65_536;
/** How long the rest of an error's body is waited for, before the error is reported without it. */
const errorBodyMs = 2000;
/** How long a released answer may take to end before its connection is given up. */
const releaseMs = 1000;

/** Hosts that have answered this process: if their name is unknown now, that is a temporary failure of DNS. */
const answered = new Set<string>();

/** Posts `body` and hands the answer to `handler` as it comes, without a stream or a promise in between. */
export function post(request: Post, handler: PostHandler): PostHandle {
  const call = new PostCall(request, handler);
  call.start();
  return call;
}

/** One request and its answer. Once it `isOver`, the handler has heard its last call. */
class PostCall implements PostHandle {
  readonly #request: Post;
  readonly #handler: PostHandler;
  /** The host and the proxy, for error messages. */
  readonly #host: string;
  /** Time limits of connecting, of the first byte, and of an error's body. */
  #timer: NodeJS.Timeout | undefined;
  /** Silence of the connection, and silence of the answer itself. */
  readonly #bytes: Watch;
  readonly #content: Watch;
  #sent: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #isOver = false;
  #hasConnected = false;
  #hasBody = false;
  #isThinking = true;
  #isPaused = false;

  constructor(request: Post, handler: PostHandler) {
    const { connection, timeouts } = request;
    this.#request = request;
    this.#handler = handler;
    this.#host =
      connection.proxy === null ? connection.host : `${connection.host} through the proxy ${connection.proxy}`;
    this.#bytes = createWatch(
      () => silenceLimit(timeouts, this.#isThinking),
      ({ milliseconds, setting }) => this.#failSilent(`fell silent for ${milliseconds} ms in mid-answer`, setting),
    );
    this.#content = createWatch(
      () => contentLimit(timeouts, this.#isThinking),
      ({ milliseconds, setting }) =>
        this.#failSilent(`sent signs of life, but nothing of its answer for ${milliseconds} ms`, setting),
    );
  }

  /** The handler hears nothing before this has returned. */
  start(): void {
    const { signal, timeouts } = this.#request;
    if (signal.aborted) {
      this.#isOver = true;
      queueMicrotask(() => this.#handler.error(cancelled(signal)));
      return;
    }
    signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#limit(
      timeouts.connectMs,
      'connect_timeout',
      `No connection to ${this.#host} within ${timeouts.connectMs} ms. Check the network, or raise timeouts.connectMs.`,
    );
    this.#send(false);
  }

  pause(): void {
    this.#isPaused = true;
    // From here on the silence is our own.
    clearTimeout(this.#timer);
    this.#bytes.stop();
    this.#content.stop();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isOver) this.#limitSilence();
    this.#readAll();
  }

  abort(): void {
    if (this.#finish()) this.#sent?.destroy();
  }

  follow(isThinking: boolean, hasContent: boolean): void {
    if (hasContent) this.#content.heard();
    if (isThinking === this.#isThinking) return;
    this.#isThinking = isThinking;
    if (this.#hasBody && !this.#isOver && !this.#isPaused) this.#limitSilence();
  }

  release(): void {
    if (!this.#finish()) return;
    this.#isPaused = false;
    this.#readAll();
    if (this.#response?.complete === true) return;
    const drain = setTimeout(() => this.#sent?.destroy(), releaseMs).unref();
    this.#response?.once('close', () => clearTimeout(drain));
  }

  /** False if it was over already. */
  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#bytes.stop();
    this.#content.stop();
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #fail(error: PawlError): void {
    if (!this.#finish()) return;
    this.#sent?.destroy();
    this.#handler.error(error);
  }

  readonly #onAbort = (): void => this.#fail(cancelled(this.#request.signal));

  #failSilent(what: string, setting: SilenceLimit['setting']): void {
    this.#fail(modelError('idle_timeout', `${this.#host} ${what}. Try again, or raise ${setting}.`));
  }

  #limit(milliseconds: number, code: string, sentence: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (milliseconds > 0) this.#timer = setTimeout(() => this.#fail(modelError(code, sentence)), milliseconds);
  }

  #limitSilence(): void {
    clearTimeout(this.#timer);
    this.#bytes.begin();
    this.#content.begin();
  }

  #send(isSecondTry: boolean): void {
    const { connection, body } = this.#request;
    const size = body.reduce((sum, piece) => sum + piece.length, 0);
    const { options } = connection;
    const headers = { ...this.#request.headers, ...(options.headers as OutgoingHttpHeaders), 'content-length': size };
    let attempt: ClientRequest;
    try {
      attempt = connection.request({ ...options, headers });
    } catch (error) {
      // Nobody has the handle yet.
      queueMicrotask(() => this.#fail(headerError(headers) ?? toPawlError(error, 'bad_request')));
      return;
    }
    this.#sent = attempt;
    attempt.once('socket', (socket) => this.#onSocket(socket));
    attempt.once('response', (response) => this.#onResponse(response));
    attempt.on('error', (error) => this.#onRequestError(attempt, error, isSecondTry));
    attempt.cork();
    for (const piece of body) attempt.write(piece);
    attempt.end();
    attempt.uncork();
  }

  #onRequestError(attempt: ClientRequest, error: Error, isSecondTry: boolean): void {
    if (this.#isOver) return;
    if (isPawlError(error)) this.#fail(error);
    // The server closed an idle connection just as it was reused: it has not read the request.
    else if (attempt.reusedSocket && this.#response === null && !isSecondTry) this.#send(true);
    else {
      const hasAnswered = answered.has(this.#request.connection.host);
      this.#fail(networkError(error, this.#host, { hasConnected: this.#hasConnected, hasAnswered }));
    }
  }

  #onSocket(socket: Socket): void {
    if (this.#isOver) return;
    if (this.#sent?.reusedSocket !== true) this.#handler.connecting();
    const isSecuring = 'secureConnecting' in socket && socket.secureConnecting === true;
    if (!socket.connecting && !isSecuring) this.#onConnected();
    else {
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        if (!this.#isOver) this.#onConnected();
      });
    }
  }

  #onConnected(): void {
    const { firstByteMs } = this.#request.timeouts;
    this.#hasConnected = true;
    this.#handler.sent();
    this.#limit(
      firstByteMs,
      'first_byte_timeout',
      `${this.#host} sent nothing for ${firstByteMs} ms. Try again, or raise timeouts.firstByteMs.`,
    );
  }

  #onResponse(response: IncomingMessage): void {
    this.#response = response;
    answered.add(this.#request.connection.host);
    const status = response.statusCode ?? 0;
    const broken = (error: Error) => this.#fail(networkError(error, this.#host, { hasConnected: true }));
    response.on('error', broken);
    // Some breaks end an answer without an error event.
    response.once('close', () => {
      if (!this.#isOver) broken(new Error('closed in mid-answer'));
    });
    if (!this.#showHeaders(response.headers)) return;
    if (status < 200 || status > 299) {
      this.#readError(response, status);
      return;
    }
    this.#handler.headers(response.headers);
    response.on('readable', () => this.#readAll());
    response.once('end', () => {
      if (this.#finish()) this.#handler.end();
    });
  }

  /** Everything that has arrived, in one piece: providers send each event as a chunk, and several arrive together. */
  #readAll(): void {
    while (!this.#isPaused) {
      const chunk: Buffer | null = this.#response?.read() ?? null;
      if (chunk === null) return;
      if (this.#isOver) continue;
      this.#bytes.heard();
      this.#handler.data(chunk);
      if (this.#hasBody) continue;
      this.#hasBody = true;
      // `data` may have ended or paused the call.
      if (!this.#isOver && !this.#isPaused) this.#limitSilence();
    }
  }

  /** False if the callback threw, which ends the call. */
  #showHeaders(headers: IncomingHttpHeaders): boolean {
    try {
      this.#request.onHeaders?.(headers);
      return true;
    } catch (error) {
      this.#fail(toPawlError(error, 'model_failed'));
      return false;
    }
  }

  #readError(response: IncomingMessage, status: number): void {
    const chunks: Buffer[] = [];
    let size = 0;
    const errorSoFar = () =>
      responseError(status, response.headers, Buffer.concat(chunks).toString('utf8'), Date.now());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(errorSoFar()), errorBodyMs);
    response.on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > errorBodyBytes) this.#fail(errorSoFar());
    });
    response.once('end', () => {
      // The whole error was read, so the connection can serve again.
      if (this.#finish()) this.#handler.error(errorSoFar());
    });
  }
}

function cancelled(signal: AbortSignal): PawlError {
  return new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason });
}
