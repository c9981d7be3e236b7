import type { OutgoingHttpHeaders } from 'node:http';
import { PawlError } from '@pawl/protocol';
import { modelError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { networkError, responseError } from './failure.ts';
import { secretsIn, withoutSecrets } from './headers.ts';

/** A longer answer is refused. */
const maxBytes = 65_536;

/** Sends a GET request and parses the JSON answer. @throws the typed errors of a model's call. */
export function getJson(connection: Connection, headers: OutgoingHttpHeaders, signal: AbortSignal): Promise<unknown> {
  return new Promise<string>((resolve, refuse) => {
    // Some providers echo the key that they refuse.
    const reject = (error: PawlError) => {
      error.message = withoutSecrets(error.message, secretsIn(headers));
      refuse(error);
    };
    const options = { ...connection.options, method: 'GET', headers: { ...connection.options.headers, ...headers } };
    const request = connection.request({ ...options, signal });
    const fail = (error: Error) => {
      const isAborted = signal.aborted;
      const cancelled = new PawlError('cancelled', `${connection.host} was asked no longer.`, { cause: signal.reason });
      reject(isAborted ? cancelled : networkError(error, connection.host, { hasConnected: request.reusedSocket }));
    };
    request.once('error', fail);
    request.once('response', (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('error', fail);
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size <= maxBytes) pieces.push(piece);
        else response.destroy(new Error(`its answer has more than ${maxBytes} bytes`));
      });
      response.once('end', () => {
        const body = Buffer.concat(pieces).toString('utf8');
        const status = response.statusCode ?? 0;
        if (status < 200 || status > 299) reject(responseError(status, response.headers, body, Date.now()));
        else resolve(body);
      });
    });
    request.end();
  }).then((body) => parsed(body, connection.host));
}

function parsed(body: string, host: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw modelError('bad_stream', `${host} answered with something that is no JSON.`, {}, { cause });
  }
}
