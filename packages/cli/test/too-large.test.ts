/** Content that no request may hold: refused by the server over its wire, and what becomes of the session then. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { type WireAnswer, type WireRequest, wireServer } from '@pawl/models/testing';
import type { DurableEvent } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl } from './pawl.ts';

/** How providers and what stands before them say that a request is too long. */
const refusals: Record<string, { model: string; answer: WireAnswer }> = {
  'HTTP 413 of Anthropic': {
    model: 'anthropic/claude-sonnet-4-5',
    answer: {
      status: 413,
      error: { type: 'request_too_large', message: 'Request exceeds the maximum allowed number of bytes.' },
    },
  },
  'HTTP 413 of a proxy, in HTML': {
    model: 'anthropic/claude-sonnet-4-5',
    answer: { status: 413, body: '<html><h1>413 Request Entity Too Large</h1><hr>nginx</html>' },
  },
  'a prompt that is too long for Anthropic': {
    model: 'anthropic/claude-sonnet-4-5',
    answer: {
      status: 400,
      error: { type: 'invalid_request_error', message: 'prompt is too long: 214315 tokens > 200000 maximum' },
    },
  },
  'OpenAI’s context_length_exceeded': {
    model: 'openai/gpt-5',
    answer: {
      status: 400,
      body: JSON.stringify({
        error: {
          message: 'Your input exceeds the context window of this model.',
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      }),
    },
  },
};

async function serve(model: string, answer: (request: WireRequest) => WireAnswer) {
  const server = await wireServer(answer);
  onTestFinished(() => server.close());
  const env = {
    PAWL_MODEL: model,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: `${server.url}/v1`,
  };
  return { env, server };
}

async function logOf(place: Place): Promise<DurableEvent[]> {
  const log = sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
  const events = await log.read('main');
  await log.close();
  return events;
}

const begin = ['run', '--session-id', 'main', '--permission-mode', 'auto'];

describe.each(Object.entries(refusals))('E12: where the model refuses with %s', (_, { model, answer: refused }) => {
  it('a large image is taken out, and the session goes on', async () => {
    const place = makePlace();
    writeFileSync(join(place.folder, 'large.png'), noise(600));
    const { env } = await serve(model, ({ raw }) => (raw.length > 900_000 ? refused : { text: 'I see.' }));
    const run = await pawl(place, [...begin, '-a', 'large.png', 'What is on it?'], { env });
    expect(run).toMatchObject({ code: 0, stdout: 'I see.\n' });
    const removed = (await logOf(place)).flatMap((event) => (event.type === 'context.removed' ? [event.data] : []));
    expect(removed).toMatchObject([{ cause: 'overflow', parts: [{ text: expect.stringContaining('large.png') }] }]);
    expect(await pawl(place, ['run', '-c', 'And now?'], { env })).toMatchObject({ code: 0, stdout: 'I see.\n' });
  });

  it('a large result is taken out, what it said can be read again, and the session goes on', async () => {
    const place = makePlace({ 'large.txt': 'All the words of a book.\n'.repeat(1500) });
    const { env, server } = await serve(model, ({ messages }) => {
      if (JSON.stringify(messages).length > 12_000) return refused;
      return messages.some(({ role }) => role === 'tool')
        ? { text: 'It is a book.' }
        : { calls: [{ tool: 'read', input: { path: 'large.txt' } }] };
    });
    expect(await pawl(place, [...begin, 'What is in it?'], { env })).toMatchObject({
      code: 0,
      stdout: 'It is a book.\n',
    });
    const [result] = server.requests.at(-1)?.messages.flatMap(({ results }) => results) ?? [];
    expect(result?.content).toMatch(/All the words[\s\S]*were taken out of what you see[\s\S]*Read it with: history/);
    expect(await pawl(place, ['run', '-c', 'And now?'], { env })).toMatchObject({ code: 0, stdout: 'It is a book.\n' });
  });
});

it('E12: a person finds what keeps a session from going on, and takes it out by hand', async () => {
  const place = makePlace({ 'a.txt': 'THE STONE\n' });
  const stone = { status: 413, error: { type: 'request_too_large', message: 'Too large.' } };
  const { env } = await serve('anthropic/claude-sonnet-4-5', ({ messages }) => {
    if (JSON.stringify(messages).includes('THE STONE')) return stone;
    return messages.length === 1 ? { calls: [{ tool: 'read', input: { path: 'a.txt' } }] } : { text: 'Well.' };
  });
  const run = await pawl(place, [...begin, 'What is in it?'], { env });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('pawl context');
  // It is no question of size for us: asking again changes nothing.
  expect((await pawl(place, ['run', '-c', 'Again.'], { env })).code).toBe(1);
  const { stdout: listed } = await pawl(place, ['context', 'main', '--list']);
  const [, id = ''] = /^(\S+) +\d+ +read: 16 characters$/m.exec(listed) ?? [];
  expect(await pawl(place, ['context', 'main', '--remove', id])).toMatchObject({ code: 0 });
  expect(await pawl(place, ['run', '-c', 'And now?'], { env })).toMatchObject({ code: 0, stdout: 'Well.\n' });
});

/** A picture that no compression makes small. */
function noise(side: number): Buffer {
  const row = 1 + side * 3;
  const pixels = randomBytes(row * side);
  for (let y = 0; y < side; y++) pixels[y * row] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const edge = Buffer.alloc(8);
    edge.writeUInt32BE(data.length, 0);
    edge.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([edge.subarray(0, 4), body, edge.subarray(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
