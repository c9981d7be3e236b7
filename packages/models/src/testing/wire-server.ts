import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@pawl/protocol';
import { type ScriptedAnswer, scriptDrift } from './script.ts';
import { formAt } from './wire-forms.ts';
import type { WireForm, WireRequest } from './wire-request.ts';

/** How an answer travels, and how it fails. */
export type WireAnswer = ScriptedAnswer & {
  /** An error in place of an answer: this status, with `error` as the provider's message. */
  status?: number;
  error?: { type: string; message: string };
  headers?: { readonly [name: string]: string };
  /** Bytes to send in place of what the answer would be on its wire. */
  body?: string | Uint8Array;
  /** Nothing is sent, not even headers, before this resolves. */
  after?: PromiseLike<unknown>;
  /** The stream stops before this byte until the promise resolves. */
  pause?: { atByte: number; until: PromiseLike<unknown> };
  /** The body is written in pieces of this many bytes. */
  pieceBytes?: number;
  /** The body ends at this byte: as if it were complete (`end`), or with the connection broken (`break`). */
  cut?: { atByte: number; how: 'end' | 'break' };
};

export type WireServer = {
  /** Base URL for the Messages wire; OpenAI's wires have it with `/v1` after it. */
  url: string;
  /** What came so far. */
  requests: readonly WireRequest[];
  /** Connections made so far. */
  connections(): number;
  /** @throws `script_drift` if answers are left. */
  done(): void;
  close(): Promise<void>;
};

/**
 * A server on a free port of this machine that speaks every wire of `wire-forms.ts` over SSE. Answers come from a list,
 * one a request, or from a function of the request: then it needs no memory, and a client may die and come again.
 * A request beyond the list is answered with status 400 and remembered by `done`.
 */
export async function wireServer(
  script: readonly WireAnswer[] | ((request: WireRequest) => WireAnswer | PromiseLike<WireAnswer>),
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  let connections = 0;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const raw = await readBody(incoming);
    const path = (incoming.url ?? '').replace(/\?.*$/, '');
    const form = incoming.method === 'POST' ? formAt(path) : null;
    if (form === null) {
      outgoing.writeHead(404, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ error: { type: 'not_found_error', message: `There is no ${incoming.url}.` } }));
      return;
    }
    const request = parseRequest(form, path, incoming, raw, requests.length + 1);
    requests.push(request);
    const scripted = typeof script === 'function' ? await script(request) : script[request.number - 1];
    const drift = {
      status: 400,
      error: { type: 'script_drift', message: `The script has no answer ${request.number}.` },
    };
    await send(scripted ?? drift, form, request, outgoing);
  }

  const server = createServer((incoming, outgoing) => {
    // A client that leaves in mid-answer is part of many tests.
    outgoing.on('error', () => outgoing.destroy());
    answer(incoming, outgoing).catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy();
      else {
        outgoing.writeHead(500, { 'content-type': 'application/json' });
        outgoing.end(JSON.stringify({ error: { type: 'api_error', message: messageOf(error) } }));
      }
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    done() {
      if (typeof script !== 'function' && requests.length !== script.length) {
        throw scriptDrift(`The server was asked ${requests.length} times; the script has ${script.length} answers.`);
      }
    },
    close: () => close(server),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parseRequest(
  form: WireForm,
  path: string,
  incoming: IncomingMessage,
  raw: string,
  number: number,
): WireRequest {
  const body = JSON.parse(raw) as { [key: string]: unknown };
  return { wire: form.wire, number, ...form.read(body, path), headers: incoming.headers, raw, body };
}

async function send(answer: WireAnswer, form: WireForm, request: WireRequest, outgoing: ServerResponse): Promise<void> {
  await answer.after;
  const { status = 200 } = answer;
  const isError = status < 200 || status > 299;
  const bytes = Buffer.from(answer.body ?? (isError ? errorBody(answer) : form.stream(answer, request.model)));
  const type = isError ? 'application/json' : 'text/event-stream';
  outgoing.writeHead(status, { 'content-type': type, ...answer.headers });
  const end = Math.min(bytes.length, answer.cut?.atByte ?? bytes.length);
  const piece = answer.pieceBytes ?? bytes.length;
  let position = 0;
  while (position < end) {
    const pause = answer.pause;
    const isBefore = pause !== undefined && position <= pause.atByte;
    if (isBefore && position === pause.atByte) await pause.until;
    const limit = isBefore && position < pause.atByte ? pause.atByte : end;
    const next = Math.min(position + Math.max(1, piece), limit, end);
    await write(outgoing, bytes.subarray(position, next));
    position = next;
  }
  if (answer.pause !== undefined && answer.pause.atByte >= end) await answer.pause.until;
  if (answer.cut?.how === 'break') outgoing.destroy();
  else outgoing.end();
}

/** Each piece goes out on its own: the next is written when the system has taken it. */
function write(outgoing: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('close', resolve);
    outgoing.write(piece, () => {
      outgoing.off('close', resolve);
      setImmediate(resolve);
    });
  });
}

function errorBody({ status, error = { type: 'api_error', message: `Status ${status}` } }: WireAnswer): string {
  return JSON.stringify({ type: 'error', error });
}

/** Twice does no harm. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
