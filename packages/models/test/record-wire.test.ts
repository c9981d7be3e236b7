import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelEvent } from '@pawl/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireTap } from '../src/http/connection.ts';
import { readWireCassette } from '../src/record/wire-cassette.ts';
import { recordWire } from '../src/record/wire-record.ts';
import { replayWire } from '../src/record/wire-replay.ts';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { anthropic } from '../src/wires/anthropic/index.ts';
import { google } from '../src/wires/google/index.ts';
import { openaiChat } from '../src/wires/openai-chat/index.ts';
import { answerOf, assistant, request, results, temporaryFolder, thrownBy, user } from './support.ts';

let folder: string;
let remove: () => Promise<void>;
let path: string;
let server: WireServer;
beforeEach(async () => {
  const temporary = await temporaryFolder();
  folder = temporary.path;
  remove = temporary.remove;
  path = join(folder, 'bug.jsonl');
});
afterEach(async () => {
  await server?.close();
  await remove();
});

const apiKey = 'sk-very-secret';
const question = request([user('Grüße 👋')]);
const longer = request([
  user('Grüße 👋'),
  assistant([{ type: 'tool_call', id: 'c1', tool: 'read', input: { path: 'a' } }]),
  results({ call: 'c1', tool: 'read', content: 'x'.repeat(5000) }),
]);

function modelAt(baseUrl: string, tap: WireTap) {
  return google({ model: 'm', apiKey, baseUrl, environment: {}, tap });
}

async function recordOf(script: WireAnswer[]) {
  server = await wireServer(script);
  return modelAt(server.url, recordWire(path));
}

/** Where nobody listens. */
const nowhere = 'http://127.0.0.1:1';

/** All that a call brought, but how it connected; and what it threw. */
async function outcomeOf(model: ReturnType<typeof google>, asked = question, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(asked, signal)) if (event.type !== 'activity') events.push(event);
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}

const answer: WireAnswer = { text: ['Grü', 'ße 👋'], calls: [{ tool: 'read', input: { path: 'a' } }], pieceBytes: 3 };

describe('a recording of the wire', () => {
  it.each([
    ['anthropic', (url: string, tap: WireTap) => anthropic({ model: 'm', apiKey, baseUrl: url, environment: {}, tap })],
    [
      'openai-chat',
      (url: string, tap: WireTap) => openaiChat({ model: 'm', apiKey, baseUrl: `${url}/v1`, environment: {}, tap }),
    ],
    ['google', modelAt],
  ])('of %s is replayed to the same events, with no server', async (_name, open) => {
    server = await wireServer([answer, { text: 'Done.' }]);
    const recorded = open(server.url, recordWire(path));
    const before = [await outcomeOf(recorded), await outcomeOf(recorded, longer)];
    await server.close();
    const replayed = open(nowhere, replayWire(path));
    expect([await outcomeOf(replayed), await outcomeOf(replayed, longer)]).toEqual(before);
  });

  it('has the bytes of the answer as they came, chunk by chunk, with their time', async () => {
    await outcomeOf(await recordOf([{ ...answer, body: Buffer.from([0x64, 0xc3, 0xff, 0x0a]), pieceBytes: 2 }]));
    const [exchange] = readWireCassette(path).exchanges;
    expect(Buffer.concat(exchange?.chunks.map(({ bytes }) => bytes) ?? [])).toEqual(
      Buffer.from([0x64, 0xc3, 0xff, 0x0a]),
    );
    expect(exchange?.response?.status).toBe(200);
    expect(exchange?.chunks.every(({ atMs }) => atMs >= (exchange.response?.atMs ?? 0))).toBe(true);
  });

  it('can be read by its owner alone, even where another file was', async () => {
    await writeFile(path, 'what was here', { mode: 0o644 });
    await outcomeOf(await recordOf([answer]));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain('what was here');
  });

  it('has no key and no cookie, wherever they stood', async () => {
    const error = { type: 'x', message: `The key ${apiKey} is not allowed.` };
    const model = await recordOf([
      { status: 403, error, headers: { 'set-cookie': 'session=1', 'x-ratelimit-limit-tokens': '9' }, pieceBytes: 4 },
      { text: `It is ${apiKey}.` },
    ]);
    await outcomeOf(model);
    await outcomeOf(model, request([user(`My key is ${apiKey}.`)]));
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain('session=1');
    expect(readWireCassette(path).exchanges[0]?.response?.headers['x-ratelimit-limit-tokens']).toBe('9');
    // And is replayed all the same.
    const replayed = modelAt(nowhere, replayWire(path));
    expect((await outcomeOf(replayed)).error).toMatchObject({ code: 'unauthorized' });
    expect((await outcomeOf(replayed, request([user(`My key is ${apiKey}.`)]))).error).toBeNull();
  });

  it('grows by what is new, not by the whole conversation', async () => {
    const model = await recordOf([{ text: 'ok' }, { text: 'ok' }, { text: 'ok' }]);
    await outcomeOf(model);
    await outcomeOf(model, longer);
    const before = (await stat(path)).size;
    await outcomeOf(model, request([...longer.messages, user('more')]));
    expect((await stat(path)).size - before).toBeLessThan(2500);
    expect(readWireCassette(path).exchanges[2]?.body).toBe(server.requests[2]?.raw);
  });

  it.each<[string, WireAnswer]>([
    ['an error', { status: 429, error: { type: 'x', message: 'Slow.' }, headers: { 'retry-after': '7' } }],
    ['a broken connection', { ...answer, cut: { atByte: 120, how: 'break' } }],
    ['a connection that broke at once', { ...answer, cut: { atByte: 0, how: 'break' } }],
    ['a stream without its end', { ...answer, cut: { atByte: 120, how: 'end' } }],
    ['a stream that cannot be read', { body: 'data: {"oh": no}\n\n' }],
  ])('of %s fails as it did', async (_what, script) => {
    const before = await outcomeOf(await recordOf([script]));
    expect(before.error).toMatchObject({ code: expect.any(String) as string });
    await server.close();
    const after = await outcomeOf(modelAt(nowhere, replayWire(path)));
    expect(after.events).toEqual(before.events);
    expect(after.error).toMatchObject({
      code: (before.error as { code: string }).code,
      details: (before.error as { details: object }).details,
    });
  });

  it('of a server that was not there fails as it did', async () => {
    expect((await outcomeOf(modelAt(nowhere, recordWire(path)))).error).toMatchObject({ code: 'connection_failed' });
    const replayed = await outcomeOf(modelAt(nowhere, replayWire(path)));
    expect(replayed.error).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('REFUSED') as string,
    });
  });

  it('that was cut off by a crash fails where it ends', async () => {
    await outcomeOf(await recordOf([answer]));
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, `${lines.slice(0, 9).join('\n')}\n${lines[9]?.slice(0, 10)}`);
    expect((await outcomeOf(modelAt(nowhere, replayWire(path)))).error).toMatchObject({ code: 'connection_lost' });
  });

  it('that can no longer be written ends the call', async () => {
    await mkdir(join(folder, 'inner'));
    path = join(folder, 'inner', 'bug.jsonl');
    const model = await recordOf([answer, answer]);
    await rm(join(folder, 'inner'), { recursive: true });
    expect((await outcomeOf(model)).error).toMatchObject({ code: 'record_failed' });
    expect(() => recordWire(path)).toThrow(/cannot be written/);
  });

  it('of a call that was cancelled is no hang', async () => {
    const model = await recordOf([{ ...answer, pause: { atByte: 300, until: new Promise(() => {}) } }]);
    const controller = new AbortController();
    for await (const event of model.stream(question, controller.signal)) if (event.type === 'text') break;
    await expect.poll(async () => readFile(path, 'utf8')).toContain('"type":"end"');
    expect((await outcomeOf(modelAt(nowhere, replayWire(path)))).error).toMatchObject({ code: 'connection_lost' });
  });
});

describe('a replay of the wire', () => {
  it('refuses a request that is not the recorded one, and says where they differ', async () => {
    await outcomeOf(await recordOf([answer]));
    const { error } = await outcomeOf(modelAt(nowhere, replayWire(path)), request([user('Grüße 🎈')]));
    expect(error).toMatchObject({ code: 'replay_diverged', message: expect.stringContaining('Grüße') as string });
  });

  it.each([
    ['a date', 'It is Sunday, 2026-11-22.', 'It is Monday, 2027-01-04.'],
    ['a time stamp', 'at 2026-11-22T14:30:01.123Z', 'at 2026-11-23T01:02:03Z'],
    ['a day as ls and git write it', 'Nov 22 14:33 a.txt', 'Jan  3 09:01 a.txt'],
    ['how long it took', '12 files in 80 ms, or 1 min 2 s', '12 files in 1.2 s, or 3 s'],
    ['a budget', '$0.1234 and 12k tokens are left', '$1 and 9 500 tokens are left'],
    ['an id', 'session 01m81tqcgh3az2v36s7p8f, process 12', 'session 01m81tgdbbrn8v7p78fex2, process 4711'],
    ['the folder', `in ${process.cwd()}/src`, 'in /elsewhere/src'],
  ])('takes %s for what may differ', async (_what, before, now) => {
    const recorded = await outcomeOf(await recordOf([answer]), request([user(before)]));
    const tap = replayWire(path, { places: now.includes('/elsewhere') ? { folder: '/elsewhere' } : {} });
    // Without places of its own, a folder is a text like any other.
    expect(await outcomeOf(modelAt(nowhere, tap), request([user(now)]))).toEqual(recorded);
  });

  it('names the place and both texts of the first real difference, in the request that is most like it', async () => {
    const model = await recordOf([{ text: 'one' }, { text: 'two' }]);
    const [first, second] = [request([user('First, on 2026-11-22.')]), longer];
    await outcomeOf(model, first);
    await outcomeOf(model, second);
    const replayed = modelAt(nowhere, replayWire(path));
    await outcomeOf(replayed, first);
    const other = request([
      ...longer.messages.slice(0, 2),
      results({ call: 'c1', tool: 'read', content: `${'x'.repeat(4000)}y` }),
    ]);
    const { error } = await outcomeOf(replayed, other);
    expect(error).toMatchObject({
      code: 'replay_diverged',
      message: expect.stringMatching(/^Request 2 of .*: contents\[2\]\S* was “…x+…” and is “…x+y”\./) as string,
    });
  });

  it('may leave the bodies uncompared', async () => {
    const before = await outcomeOf(await recordOf([answer]));
    const replayed = modelAt(nowhere, replayWire(path, { compare: 'none' }));
    expect(await outcomeOf(replayed, request([user('other')]))).toEqual(before);
  });

  it('finds requests of sessions that come in another order', async () => {
    const model = await recordOf([{ text: 'one' }, { text: 'two' }]);
    await outcomeOf(model, request([user('1')]));
    await outcomeOf(model, request([user('2')]));
    const replayed = modelAt(nowhere, replayWire(path));
    expect(await answerOf(replayed, request([user('2')]))).toMatchObject({ content: [{ text: 'two' }] });
    expect(await answerOf(replayed, request([user('1')]))).toMatchObject({ content: [{ text: 'one' }] });
    expect(await thrownBy(answerOf(replayed, request([user('1')])))).toMatchObject({ code: 'replay_exhausted' });
  });

  it('keeps the recorded time where it is asked to', async () => {
    await outcomeOf(await recordOf([answer]));
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replace(/"type":"end","exchange":1,"atMs":\d+/, '"type":"end","exchange":1,"atMs":100000'),
    );
    const controller = new AbortController();
    const replayed = modelAt(nowhere, replayWire(path, { timing: 'recorded' }));
    const call = outcomeOf(replayed, question, controller.signal);
    const first = await Promise.race([call, new Promise((resolve) => setTimeout(() => resolve('still waiting'), 50))]);
    expect(first).toBe('still waiting');
    controller.abort();
    expect((await call).error).toMatchObject({ code: 'cancelled' });
  });

  it.each([
    ['', 'bad_cassette'],
    ['{"type":"cassette"}\n', 'bad_cassette'],
    ['{"type":"wire_cassette","version":1}\n{"type":"data","exchange":1}\n', 'bad_cassette'],
    ['{"type":"wire_cassette","version":1}\nno\n{}\n', 'bad_cassette'],
    ['{"type":"wire_cassette","version":99}\n', 'cassette_too_new'],
  ])('of a file that is none, %j, says so', async (text, code) => {
    await writeFile(path, text);
    expect(await thrownBy((async () => replayWire(path))())).toMatchObject({ code });
  });

  it('of no file says so', async () => {
    expect(await thrownBy((async () => replayWire(path))())).toMatchObject({ code: 'no_cassette' });
  });
});
