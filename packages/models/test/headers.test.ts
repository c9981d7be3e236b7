import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { pool, recordWire } from '../src/index.ts';
import { wireServer } from '../src/testing/index.ts';
import { anthropic } from '../src/wires/anthropic/index.ts';
import { google } from '../src/wires/google/index.ts';
import { openaiChat } from '../src/wires/openai-chat/index.ts';
import { openai } from '../src/wires/openai-responses/index.ts';
import { call, request, temporaryFolder, thrownBy, user } from './support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(script: Parameters<typeof wireServer>[0]) {
  const server = await wireServer(script);
  closing.push(() => server.close());
  return server;
}

const ask = request([user('Hi')]);
const wires = { anthropic, openai, openaiChat, google };

describe('M1: a header that cannot be sent', () => {
  it.each(Object.entries(wires))('fails a call over the wire %s by its name, never its value', async (_wire, open) => {
    const server = await serve([]);
    const options = { model: 'm', baseUrl: server.url, environment: {}, timeouts: { connectMs: 20 } };
    const model = open({ ...options, headers: { 'x-team': 'blue…team' } });
    const error = await thrownBy(call(model, ask));
    expect(error).toMatchObject({ code: 'bad_header', message: expect.stringContaining('"x-team"') as string });
    expect((error as Error).message).not.toContain('blue');
    expect(await thrownBy(call(pool([model]), ask))).toMatchObject({ code: 'bad_header' });
    expect(server.requests).toEqual([]);
  });

  it('names the header of a key, and one whose name is none', async () => {
    const options = { model: 'm', baseUrl: 'http://127.0.0.1:9', environment: {} };
    const ofKey = await thrownBy(call(anthropic({ ...options, apiKey: 'sk-ant-…abcd' }), ask));
    expect(ofKey).toMatchObject({ code: 'bad_header', message: expect.stringContaining('"x-api-key"') as string });
    const named = await thrownBy(call(anthropic({ ...options, headers: { 'two words': 'x' } }), ask));
    expect(named).toMatchObject({ code: 'bad_header', message: expect.stringContaining('"two words"') as string });
  });

  it('is heard by nobody who has left before', async () => {
    const model = anthropic({ model: 'm', baseUrl: 'http://127.0.0.1:9', environment: {}, apiKey: '…' });
    const events = model.stream(ask, new AbortController().signal)[Symbol.asyncIterator]();
    await events.return?.();
    expect(await events.next()).toMatchObject({ done: true });
  });
});

describe('scenario 54: a header of the user is a secret, whatever its name', () => {
  const headers = { 'x-auth': 'SUPERSECRETVALUE', authorization: 'Basic dXNlcjpodW50ZXIy', 'x-team': 'blue' };
  const echoed = { status: 401, error: { type: 'authentication_error', message: '' } };

  it('and is in no error and no recording, echoed or not', async () => {
    const folder = await temporaryFolder();
    closing.push(() => folder.remove());
    const path = join(folder.path, 'wire.jsonl');
    const server = await serve(({ headers: sent }) => ({
      ...echoed,
      error: { ...echoed.error, message: `bad: ${sent['x-auth']} / ${sent.authorization} / ${sent['x-team']}` },
      headers: { 'x-echo': String(sent['x-auth']) },
    }));
    for (const [name, open] of Object.entries(wires)) {
      const model = open({ model: 'm', baseUrl: server.url, environment: {}, headers, tap: recordWire(path) });
      const error = await thrownBy(call(model, ask));
      const recorded = await readFile(path, 'utf8');
      for (const secret of ['SUPERSECRETVALUE', 'dXNlcjpodW50ZXIy']) {
        expect((error as Error).message, name).not.toContain(secret);
        expect(recorded, name).not.toContain(secret);
      }
      // A short word is in many a text; as a header's value it is left out all the same.
      expect(recorded, name).toContain('/ blue');
      expect(recorded, name).not.toContain('"x-team":"blue"');
      expect(recorded, name).toContain('application/json');
    }
  });
});
