import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isPawlError, PawlError, toPawlError } from '@pawl/protocol';
import { modelError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { networkError, responseError } from './failure.ts';
import { headerError } from './headers.ts';
import { contentLimit, type SilenceLimit, silenceLimit, type Timeouts } from './timeouts.ts';
import { createWatch } from './watch.ts';

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

/** What happens, in this order; exactly one of `end` and `error` comes last, and nothing after it. */
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
  /** Ends it now; the handler hears no more. */
  abort(): void;
  /**
   * What the last chunk held: `isThinking` if the model does not write, so that a silence is a thought and no fault;
   * `hasContent` if a piece of the answer came, and not only a sign of life.
   */
  follow(isThinking: boolean, hasContent: boolean): void;
  /** The handler has all it needs. What is left of the answer is read, so that the connection can serve again. */
  release(): void;
};

/** Most of an error's body that is read. */
const errorBodyBytes = 65_536;
/** How long the rest of an error's body is waited for: what it says is worth less than that it came. */
const errorBodyMs = 2000;
/** How long a released answer may take to end before its connection is given up. */
const releaseMs = 1000;

/** Hosts that answered this process: that their name is not known now is a trouble of the network, and passes. */
const answered = new Set<string>();

/** Posts `body` and hands the answer to `handler` as it comes, without a stream or a promise in between. */
export function post(request: Post, handler: PostHandler): PostHandle {
  const { connection, timeouts, signal } = request;
  /** What is asked, for sentences. */
  const host = connection.proxy === null ? connection.host : `${connection.host} through the proxy ${connection.proxy}`;
  const size = request.body.reduce((sum, piece) => sum + piece.length, 0);
  let current: ClientRequest | null = null;
  let response: IncomingMessage | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let hasConnected = false;
  let hasBody = false;
  let isThinking = true;
  let isPaused = false;

  function finish(): boolean {
    if (isOver) return false;
    isOver = true;
    clearTimeout(timer);
    bytes.stop();
    content.stop();
    signal.removeEventListener('abort', onAbort);
    return true;
  }
  function fail(error: PawlError): void {
    if (!finish()) return;
    current?.destroy();
    handler.error(error);
  }
  function onAbort(): void {
    fail(new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason }));
  }
  function limit(milliseconds: number, code: string, sentence: string): void {
    clearTimeout(timer);
    timer = undefined;
    if (milliseconds > 0) timer = setTimeout(() => fail(modelError(code, sentence)), milliseconds);
  }
  function onConnected(): void {
    hasConnected = true;
    handler.sent();
    limit(
      timeouts.firstByteMs,
      'first_byte_timeout',
      `${host} sent nothing for ${timeouts.firstByteMs} ms. Try again, or raise timeouts.firstByteMs.`,
    );
  }

  const bytes = createWatch(
    () => silenceLimit(timeouts, isThinking),
    ({ milliseconds, setting }) => failSilent(`fell silent for ${milliseconds} ms in mid-answer`, setting),
  );
  const content = createWatch(
    () => contentLimit(timeouts, isThinking),
    ({ milliseconds, setting }) =>
      failSilent(`sent signs of life, but nothing of its answer for ${milliseconds} ms`, setting),
  );
  function failSilent(what: string, setting: SilenceLimit['setting']): void {
    fail(modelError('idle_timeout', `${host} ${what}. Try again, or raise ${setting}.`));
  }
  function limitSilence(): void {
    clearTimeout(timer);
    bytes.begin();
    content.begin();
  }

  function onSocket(socket: Socket): void {
    if (isOver) return;
    if (current?.reusedSocket !== true) handler.connecting();
    const isSecuring = 'secureConnecting' in socket && socket.secureConnecting === true;
    if (!socket.connecting && !isSecuring) onConnected();
    else {
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        if (!isOver) onConnected();
      });
    }
  }

  function onResponse(answer: IncomingMessage): void {
    response = answer;
    answered.add(connection.host);
    const status = answer.statusCode ?? 0;
    answer.on('error', (error) => fail(networkError(error, host, { hasConnected: true })));
    // Some breaks end an answer without an error event.
    answer.once('close', () => {
      if (!isOver) fail(networkError(new Error('closed in mid-answer'), host, { hasConnected: true }));
    });
    if (!showHeaders(answer.headers)) return;
    if (status < 200 || status > 299) {
      readError(answer, status);
      return;
    }
    handler.headers(answer.headers);
    answer.on('readable', readAll);
    answer.once('end', () => {
      if (finish()) handler.end();
    });
  }

  /** What has come, in one piece: providers send each event as a chunk of its own, and several arrive together. */
  function readAll(): void {
    while (!isPaused) {
      const chunk: Buffer | null = response?.read() ?? null;
      if (chunk === null) return;
      if (isOver) continue;
      bytes.heard();
      handler.data(chunk);
      if (hasBody) continue;
      hasBody = true;
      // Not for an answer that came as a whole.
      if (!isOver && !isPaused) limitSilence();
    }
  }

  /** False if whoever looked at them threw, which ends the call. */
  function showHeaders(headers: IncomingHttpHeaders): boolean {
    try {
      request.onHeaders?.(headers);
      return true;
    } catch (error) {
      fail(toPawlError(error, 'model_failed'));
      return false;
    }
  }

  function readError(answer: IncomingMessage, status: number): void {
    const chunks: Buffer[] = [];
    let size = 0;
    const report = () =>
      fail(responseError(status, answer.headers, Buffer.concat(chunks).toString('utf8'), Date.now()));
    clearTimeout(timer);
    timer = setTimeout(report, errorBodyMs);
    answer.on('data', (chunk: Buffer) => {
      if (isOver) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > errorBodyBytes) report();
    });
    answer.once('end', () => {
      if (!isOver && finish()) {
        handler.error(responseError(status, answer.headers, Buffer.concat(chunks).toString('utf8'), Date.now()));
      }
    });
  }

  function send(isSecondTry: boolean): void {
    const { options } = connection;
    const headers = { ...request.headers, ...(options.headers as OutgoingHttpHeaders), 'content-length': size };
    let attempt: ClientRequest;
    try {
      attempt = connection.request({ ...options, headers });
    } catch (error) {
      // Nobody has the handle yet.
      queueMicrotask(() => fail(headerError(headers) ?? toPawlError(error, 'bad_request')));
      return;
    }
    current = attempt;
    attempt.once('socket', onSocket);
    attempt.once('response', onResponse);
    attempt.on('error', (error) => {
      if (isOver) return;
      if (isPawlError(error)) fail(error);
      // The server closed an idle connection just as it was taken up again: it has not read the request.
      else if (attempt.reusedSocket && response === null && !isSecondTry) send(true);
      else fail(networkError(error, host, { hasConnected, hasAnswered: answered.has(connection.host) }));
    });
    attempt.cork();
    for (const piece of request.body) attempt.write(piece);
    attempt.end();
    attempt.uncork();
  }

  if (signal.aborted) {
    queueMicrotask(() =>
      handler.error(new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason })),
    );
    return { pause() {}, resume() {}, abort() {}, follow() {}, release() {} };
  }
  signal.addEventListener('abort', onAbort, { once: true });
  limit(
    timeouts.connectMs,
    'connect_timeout',
    `No connection to ${host} within ${timeouts.connectMs} ms. Check the network, or raise timeouts.connectMs.`,
  );
  send(false);

  return {
    pause() {
      isPaused = true;
      // Silence is now of our own making.
      clearTimeout(timer);
      bytes.stop();
      content.stop();
    },
    resume() {
      isPaused = false;
      if (!isOver) limitSilence();
      readAll();
    },
    abort() {
      if (finish()) current?.destroy();
    },
    follow(thinks, hasContent) {
      if (hasContent) content.heard();
      if (thinks === isThinking) return;
      isThinking = thinks;
      if (hasBody && !isOver && !isPaused) limitSilence();
    },
    release() {
      if (!finish()) return;
      isPaused = false;
      readAll();
      if (response?.complete === true) return;
      const drain = setTimeout(() => current?.destroy(), releaseMs).unref();
      response?.once('close', () => clearTimeout(drain));
    },
  };
}
