/**
 * A local model server in a process of its own, speaking Anthropic Messages and OpenAI Chat Completions.
 * It knows a run's step from the tool results in the request, counted in the raw bytes without parsing them.
 * Prints its port; `GET /seen/<key>` tells what it saw, `/forget/<key>` makes it forget that. Ends when its standard input does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as rest } from 'node:timers/promises';
import { lastChunk, renderAnswer, resultMarker, type Wire } from './answers.ts';
import { prompt } from './runner.ts';
import { type Script, type Seen, scriptOf } from './script.ts';

const seen = new Map<string, Seen>();
const answers = new Map<string, Buffer[]>();

const seenOf = (key: string): Seen => {
  const known = seen.get(key);
  if (known) return known;
  const fresh = { requests: 0, streamed: 0, finished: 0, mostResults: 0, largestBytes: 0, firstRequestAt: null };
  seen.set(key, fresh);
  return fresh;
};

const answerOf = (wire: Wire, step: number | null, deltas: number): Buffer[] => {
  const name = `${wire} ${step} ${deltas}`;
  const known = answers.get(name);
  if (known) return known;
  const chunks = renderAnswer(wire, step, deltas);
  const middle = chunks.length >> 1;
  const halves = [Buffer.concat(chunks.slice(0, middle)), Buffer.concat([...chunks.slice(middle), lastChunk])];
  answers.set(name, halves);
  return halves;
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const occurrences = (bytes: Buffer, marker: string): number => {
  let count = 0;
  for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + marker.length)) count++;
  return count;
};

const respond = async (response: ServerResponse, script: Script, halves: readonly Buffer[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
  // The bytes are in chunks already; Node is not to wrap them once more.
  response.chunkedEncoding = false;
  const [first, second] = halves;
  if (script.restMs === 0) {
    response.end(Buffer.concat(halves));
    return;
  }
  response.write(first);
  await rest(script.restMs);
  response.end(second);
};

const handle = async (request: IncomingMessage, response: ServerResponse) => {
  const arrivedAt = performance.timeOrigin + performance.now();
  const path = request.url ?? '';
  if (path.startsWith('/seen/')) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(seenOf(path.slice('/seen/'.length))));
    return;
  }
  if (path.startsWith('/forget/')) {
    seen.delete(path.slice('/forget/'.length));
    response.end();
    return;
  }
  const script = scriptOf(path);
  if (!script) {
    response.writeHead(404).end();
    return;
  }
  const record = seenOf(script.key);
  record.firstRequestAt ??= arrivedAt;
  record.requests++;
  const wire: Wire = path.endsWith('/messages') ? 'anthropic' : 'openai-chat';
  const body = await bodyOf(request);
  const results = occurrences(body, resultMarker[wire]);
  if (body.includes('"stream":true')) record.streamed++;
  record.largestBytes = Math.max(record.largestBytes, body.length);
  record.mostResults = Math.max(record.mostResults, results);
  // A session may have had turns before, of as many steps each.
  const isLast = results >= script.steps * occurrences(body, prompt);
  if (isLast) record.finished++;
  await respond(response, script, answerOf(wire, isLast ? null : results + 1, script.deltas));
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
