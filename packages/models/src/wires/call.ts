import type { ModelEvent } from '@pawl/engine';
import { isPawlError, type PawlError } from '@pawl/protocol';
import { secretsIn, withoutSecrets } from '../http/headers.ts';
import { type Post, type PostHandle, post } from '../http/post.ts';
import { isPlainText, isWebPage, notAModel } from '../http/unusable.ts';
import { EventQueue } from './queue.ts';
import { badStream, createStreamReader, createWholeReader, type Decoder, type Reader } from './reader.ts';

/** So much of a body tells whether it is a web page, and which. */
const openingBytes = 2048;

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
    if (event.type === 'text' || event.type === 'thinking' || event.type === 'input') hasContent = true;
    queue.push(event);
  };
  const decoder = createDecoder(emit);
  let reader: Reader = createStreamReader(decoder);
  let isOver = false;
  /** The chunk that is read holds a piece of the answer. */
  let hasContent = false;
  let contentType: string | undefined;
  /** How the body begins. */
  let opening: string | null = null;

  /** @throws `not_a_model`: a web page has no event to wait for. */
  function begin(chunk: Uint8Array): void {
    opening = Buffer.from(chunk.subarray(0, openingBytes)).toString('utf8');
    if (isWebPage(contentType, opening)) throw notAModel(request.connection.host, opening);
  }
  /** @throws `not_a_model`: a text that holds no event at all was not cut. */
  function endReading(): void {
    try {
      reader.end();
    } catch (error) {
      const isStream = contentType?.includes('event-stream') === true;
      if (!isStream && isPawlError(error, 'stream_cut') && isPlainText(opening ?? '')) {
        throw notAModel(request.connection.host, opening ?? '');
      }
      throw error;
    }
  }
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
      contentType = headers['content-type'];
      if (contentType?.includes('json') === true) reader = createWholeReader(decoder);
    },
    data(chunk) {
      attempt(() => {
        if (opening === null) begin(chunk);
        hasContent = false;
        if (reader.feed(chunk)) finish();
        else handle.follow(decoder.isThinking(), hasContent);
      });
    },
    end() {
      attempt(() => {
        if (opening === null) begin(new Uint8Array());
        endReading();
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
