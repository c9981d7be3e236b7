import type { ModelEvent } from '@pawl/engine';
import { isPawlError, type PawlError } from '@pawl/protocol';
import { secretsIn, withoutSecrets } from '../http/headers.ts';
import { type Post, type PostHandle, post } from '../http/post.ts';
import { EventQueue } from './queue.ts';
import { badStream, createStreamReader, createWholeReader, type Decoder, type Reader } from './reader.ts';

/** Sends one request and reads its answer: from bytes to events in one go, with no layer that waits in between. */
export function callWire(
  request: Post,
  createDecoder: (emit: (event: ModelEvent) => void) => Decoder,
): AsyncIterable<ModelEvent> {
  const queue = new EventQueue({
    pause: (isPaused) => (isPaused ? handle.pause() : handle.resume()),
    leave() {
      // After the end the connection is kept; see `finish`.
      if (isOver) return;
      isOver = true;
      handle.abort();
    },
  });
  const emit = (event: ModelEvent) => {
    if (event.type === 'text' || event.type === 'input') handle.writes();
    queue.push(event);
  };
  const decoder = createDecoder(emit);
  let reader: Reader = createStreamReader(decoder);
  let isOver = false;

  function fail(error: PawlError): void {
    // Some providers echo the key that they refuse.
    error.message = withoutSecrets(error.message, secretsIn(request.headers));
    isOver = true;
    handle.abort();
    queue.fail(error, error.code === 'cancelled');
  }
  function finish(): void {
    const message = decoder.finish();
    isOver = true;
    queue.push({ type: 'finished', message });
    queue.end();
    handle.release();
  }
  /** Whatever reading throws becomes the call's outcome. */
  function attempt(step: () => void): void {
    if (isOver) return;
    try {
      step();
    } catch (error) {
      fail(isPawlError(error) ? error : badStream(error));
    }
  }

  const handle: PostHandle = post(request, {
    connecting() {
      const { proxy } = request.connection;
      emit({ type: 'activity', activity: 'connecting', ...(proxy === null ? {} : { detail: `through ${proxy}` }) });
    },
    sent: () => emit({ type: 'activity', activity: 'waiting_headers' }),
    headers(headers) {
      emit({ type: 'activity', activity: 'waiting_first_token' });
      if (headers['content-type']?.includes('json') === true) reader = createWholeReader(decoder);
    },
    data(chunk) {
      attempt(() => {
        if (reader.feed(chunk)) finish();
      });
    },
    end() {
      attempt(() => {
        reader.end();
        finish();
      });
    },
    error(error) {
      attempt(() => {
        // Only the goodbye was missing.
        if (error.code !== 'cancelled' && decoder.isWhole()) finish();
        else throw error;
      });
    },
  });
  return queue;
}
