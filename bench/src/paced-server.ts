/**
 * A model that takes its time, in a process of its own: its first answer begins with calls and goes on with a text at
 * some tokens a second, the next ends the run. `GET /times/<key>` tells when what happened. Ends when its standard
 * input does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as rest } from 'node:timers/promises';
import { callsFirst, lastChunk, renderAnswer, renderBlocks, resultMarker, type Wire } from './answers.ts';

/** Milliseconds since the server began. */
export type Times = { requestAt: number; answeredAt: number; nextRequestAt: number };

const all = new Map<string, Times>();

/** `/<key>/<calls>/<deltas>/<tokensPerSecond>/v1/…` */
const path = /^\/([\w-]+)\/(\d+)\/(\d+)\/(\d+)\//;

const isToken = (chunk: Buffer) => chunk.includes('" word');

/** Each token of the text comes at its time, not after the one before; all else comes at once. */
const stream = async (response: ServerResponse, chunks: readonly Buffer[], tokensPerSecond: number) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
  response.chunkedEncoding = false;
  const beganAt = performance.now();
  let tokens = 0;
  for (const chunk of chunks) {
    if (isToken(chunk)) tokens++;
    const waitMs = beganAt + (tokens * 1000) / tokensPerSecond - performance.now();
    if (waitMs > 0) await rest(waitMs);
    response.write(chunk);
  }
  response.end(lastChunk);
};

const handle = async (request: IncomingMessage, response: ServerResponse) => {
  const arrivedAt = performance.now();
  const url = request.url ?? '';
  if (url.startsWith('/times/')) {
    response.end(JSON.stringify(all.get(url.slice('/times/'.length)) ?? null));
    return;
  }
  const [, key = '', calls = '0', deltas = '0', tokensPerSecond = '1'] = path.exec(url) ?? [];
  const wire: Wire = url.endsWith('/messages') ? 'anthropic' : 'openai-chat';
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (Buffer.concat(chunks).includes(resultMarker[wire])) {
    const times = all.get(key);
    if (times !== undefined) times.nextRequestAt = arrivedAt;
    await stream(response, renderAnswer(wire, null, 0), 1000);
    return;
  }
  const times: Times = { requestAt: arrivedAt, answeredAt: 0, nextRequestAt: 0 };
  all.set(key, times);
  const answer = renderBlocks(wire, 'msg_1', callsFirst(Number(calls), Number(deltas)));
  await stream(response, answer, Number(tokensPerSecond));
  times.answeredAt = performance.now();
};

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  process.stdout.write(`${address.port}\n`);
});
process.stdin.resume().on('end', () => process.exit(0));
