import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { messageOf, PawlError } from '@pawl/protocol';
import type { Connection, WireTap } from '../http/connection.ts';
import { withoutSecrets } from '../http/headers.ts';
import { placesHere } from './places.ts';
import type { Places } from './volatile.ts';
import { type RecordedProviders, type WireHeader, type WireLine, wireCassetteVersion } from './wire-cassette.ts';
import { keepHeaders, keepResponseHeaders, keepUrl } from './wire-secrets.ts';

export type RecordWireOptions = {
  /** The name of the model, for `replay:<path>`. */
  model?: string;
  providers?: RecordedProviders;
  /** The folders of the run, which may be others in a replay. Default: the working directory and the home. */
  places?: Places;
};

/**
 * For `tap` of a wire's options: writes all that goes over the wire to a cassette at `path` as it happens, byte for byte,
 * for `replayWire`; so a report of a bug is a file. Keys and cookies are left out; what user, model and tools said is
 * in it, so only its owner may read it. What was in the file is replaced.
 * @throws `record_failed` if the file cannot be written; later, that ends the call.
 * @example
 * const model = openai({ model: 'gpt-5', tap: recordWire('/tmp/call.jsonl') });
 */
export function recordWire(path: string, { model, providers, places = placesHere() }: RecordWireOptions = {}): WireTap {
  let exchanges = 0;
  let lastBody = '';
  const header: WireHeader = {
    type: 'wire_cassette',
    version: wireCassetteVersion,
    recordedAt: new Date().toISOString(),
    ...(model !== undefined && { model }),
    ...(providers !== undefined && { providers }),
    places,
  };
  attempt(path, () => {
    writeFileSync(path, `${JSON.stringify(header)}\n`, { mode: 0o600 });
    // The mode counts only for a file that is new.
    chmodSync(path, 0o600);
  });

  function record(connection: Connection, options: RequestOptions): ClientRequest {
    const exchange = ++exchanges;
    const startedAt = performance.now();
    const atMs = () => Math.round(performance.now() - startedAt);
    const outgoing = connection.request(options);
    const { kept, secrets } = keepHeaders((options.headers ?? {}) as OutgoingHttpHeaders);
    const body: Buffer[] = [];
    let isOver = false;

    /** What cannot be recorded does not go on. */
    function write(line: WireLine): void {
      try {
        attempt(path, () => appendFileSync(path, `${JSON.stringify(line)}\n`));
      } catch (error) {
        isOver = true;
        outgoing.destroy(error as PawlError);
      }
    }
    function writeRequest(): void {
      const text = withoutSecrets(Buffer.concat(body).toString('utf8'), secrets);
      const same = sameStart(lastBody, text);
      lastBody = text;
      const url = keepUrl(new URL(`${options.protocol}//${options.host}:${options.port}${options.path}`));
      write({ type: 'request', exchange, url, headers: kept, same, rest: text.slice(same) });
    }
    function writeChunk(chunk: Buffer): void {
      const text = chunk.toString('utf8');
      const isText = Buffer.from(text).equals(chunk);
      const content = isText ? { text: withoutSecrets(text, secrets) } : { base64: chunk.toString('base64') };
      write({ type: 'data', exchange, atMs: atMs(), ...content });
    }
    function writeEnd(error?: Error): void {
      if (isOver) return;
      isOver = true;
      const code = error !== undefined && 'code' in error ? String(error.code) : '';
      if (error === undefined) write({ type: 'end', exchange, atMs: atMs() });
      else {
        const message = withoutSecrets(error.message, secrets);
        write({ type: 'end', exchange, atMs: atMs(), error: { code, message, isReused: outgoing.reusedSocket } });
      }
    }
    function onResponse(answer: IncomingMessage): void {
      const status = answer.statusCode ?? 0;
      write({
        type: 'response',
        exchange,
        atMs: atMs(),
        status,
        headers: keepResponseHeaders(answer.headers, secrets),
      });
      const isError = status < 200 || status > 299;
      const held: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => {
        // A refused key may be echoed across two chunks, so an error is written in one.
        if (isError) held.push(chunk);
        else if (!isOver) writeChunk(chunk);
      });
      const finish = (error?: Error) => {
        if (held.length > 0 && !isOver) writeChunk(Buffer.concat(held.splice(0)));
        writeEnd(error);
      };
      answer.once('end', () => finish());
      answer.once('error', finish);
      answer.once('close', () => finish(new Error('closed in mid-answer')));
    }

    const send = outgoing.write.bind(outgoing);
    outgoing.write = ((chunk: Buffer) => {
      body.push(chunk);
      return send(chunk);
    }) as typeof outgoing.write;
    const end = outgoing.end.bind(outgoing);
    outgoing.end = (() => {
      writeRequest();
      return end();
    }) as typeof outgoing.end;
    outgoing.once('response', onResponse);
    outgoing.once('error', writeEnd);
    return outgoing;
  }

  return (connection) => ({
    ...connection,
    request: ((options: RequestOptions) => record(connection, options)) as Connection['request'],
  });
}

/** How many characters two texts have in common at their start. */
function sameStart(before: string, text: string): number {
  const most = Math.min(before.length, text.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === text.charCodeAt(same)) same++;
  return same;
}

function attempt(path: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    throw new PawlError('record_failed', `${path} cannot be written: ${messageOf(error)}.`, { cause: error });
  }
}
