import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { isPawlError } from '@pawl/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { responseError, retryAfter } from '../src/http/failure.ts';
import { contentLimit, silenceLimit } from '../src/http/timeouts.ts';
import { anthropic, failureDetails, isTransientFailure, openaiChat, type WireOptions } from '../src/index.ts';
import { type WireAnswer, wireServer } from '../src/testing/index.ts';
import { anthropicStream } from '../src/testing/wire-anthropic.ts';
import { answerOf, call, request, thrownBy, user } from './support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(script: Parameters<typeof wireServer>[0]) {
  const server = await wireServer(script);
  closing.push(() => server.close());
  return server;
}

async function listen(server: Server | NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

function modelAt(url: string, options: Partial<WireOptions> = {}) {
  return anthropic({ model: 'm', apiKey: 'k', baseUrl: url, environment: {}, ...options });
}

const ask = request([user('Hi')]);

describe('a failed request', () => {
  it.each([
    [400, 'invalid_request_error', 'bad', 'bad_request', false],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_overflow', false],
    [401, 'authentication_error', 'no', 'unauthorized', false],
    [402, 'billing', 'pay', 'quota_exceeded', false],
    [403, 'permission_error', 'no', 'unauthorized', false],
    [404, 'not_found_error', 'no model', 'not_found', false],
    [408, 'timeout', 'slow', 'server_error', true],
    [409, 'conflict', 'twice', 'server_error', true],
    [413, 'request_too_large', 'big', 'request_too_large', false],
    [425, '', 'early', 'server_error', true],
    [429, 'rate_limit_error', 'slow down', 'rate_limited', true],
    [429, 'insufficient_quota', 'pay', 'quota_exceeded', false],
    [500, 'api_error', 'oh', 'server_error', true],
    [503, '', 'busy', 'overloaded', true],
    [529, 'overloaded_error', 'busy', 'overloaded', true],
  ])('with status %i (%s: %s) is %s', async (status, type, message, code, isTransient) => {
    const server = await serve([{ status, error: { type, message }, headers: { 'request-id': 'r1' } }]);
    const error = await thrownBy(call(modelAt(server.url), ask));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
    expect(failureDetails(error)).toEqual({ status, requestId: 'r1' });
    expect(isTransientFailure(error)).toBe(isTransient);
  });

  it.each([
    [
      'Anthropic',
      400,
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ],
    ['Kimi', 400, 'Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)'],
    ['z.ai', 400, 'Prompt exceeds max length'],
    [
      'TGI',
      422,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 6000 `inputs` tokens and 16 `max_new_tokens`',
    ],
    ['Qwen', 400, 'Range of input length should be [1, 129024]'],
    ['xAI', 400, "This model's maximum prompt length is 131072 but the request contains 133000 tokens."],
    ['llama.cpp', 400, 'the request exceeds the available context size, try increasing it'],
    [
      'vLLM',
      400,
      'The decoder prompt (length 21535) is longer than the maximum model length of 16384. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ],
    ['vLLM behind a proxy', 500, 'The decoder prompt (length 66501) is longer than the maximum model length of 65536.'],
    ['a later vLLM', 400, 'Prompt length of 5016 is longer than the maximum model length of 4096.'],
    ["vLLM's scheduler", 400, 'Input prompt (35247 tokens) is too long and exceeds limit of 1000'],
    [
      'vLLM with images',
      400,
      'The prompt (total length 25938) is too long to fit into the model (context length 4096).',
    ],
    ['TGI, of the input alone', 422, 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1168'],
    ['SGLang', 400, "The input (61709 tokens) is longer than the model's context length (40960 tokens)."],
    ["SGLang's scheduler", 400, 'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).'],
    ['TensorRT-LLM', 400, 'Prompt length (8200) exceeds maximum input length (8192).'],
    ['Copilot', 400, 'prompt token count of 93854 exceeds the limit of 90000'],
    [
      'Vertex',
      400,
      'Unable to submit request because the input token count is 1251952 but model only supports up to 1048576. Reduce the input token count and try again.',
    ],
    [
      'OpenAI',
      400,
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens.',
    ],
    [
      'Nova on Bedrock',
      400,
      'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    ],
  ])('is context_overflow where %s says with %i that the conversation is too long', (_provider, status, message) => {
    const body = JSON.stringify({ error: { type: 'invalid_request_error', message } });
    expect(responseError(status, {}, body, 0)).toMatchObject({ code: 'context_overflow' });
  });

  it.each([
    [
      'Groq',
      413,
      'Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.',
    ],
    [
      'OpenAI',
      429,
      'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully.',
    ],
  ])(
    'E12: of %s with %i that is larger than a minute may be is too long, and no rate',
    (_provider, status, message) => {
      const body = JSON.stringify({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } });
      expect(responseError(status, {}, body, 0)).toMatchObject({ code: 'context_overflow' });
    },
  );

  it('for a rate that others used up is a rate', () => {
    const message =
      'Rate limit reached for model `llama` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. Too many tokens.';
    const body = JSON.stringify({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } });
    expect(responseError(429, {}, body, 0)).toMatchObject({ code: 'rate_limited' });
    expect(responseError(413, {}, body, 0)).toMatchObject({ code: 'rate_limited' });
  });

  it('E12: is context_overflow where a router hides what the provider behind it said', () => {
    const raw = '{"message":"input length and `max_tokens` exceed context limit: 149674 + 64000 > 204658"}';
    const body = JSON.stringify({
      error: { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'Amazon Bedrock' } },
    });
    expect(responseError(400, {}, body, 0)).toMatchObject({
      code: 'context_overflow',
      message: expect.stringContaining('exceed context limit') as string,
    });
  });

  it('E12: is context_overflow by the code alone, as Copilot says it', () => {
    const body = JSON.stringify({ error: { message: 'no', code: 'model_max_prompt_tokens_exceeded' } });
    expect(responseError(400, {}, body, 0)).toMatchObject({ code: 'context_overflow' });
  });

  it('for one content that is too large says so', () => {
    const message = "Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760.";
    const body = JSON.stringify({
      error: { message, type: 'invalid_request_error', code: 'string_above_max_length' },
    });
    expect(responseError(400, {}, body, 0)).toMatchObject({ code: 'request_too_large' });
  });

  it('says when to try again', async () => {
    const server = await serve([{ status: 429, headers: { 'retry-after': '7' } }]);
    expect(failureDetails(await thrownBy(call(modelAt(server.url), ask))).retryAfterMs).toBe(7000);
    const now = Date.parse('2030-01-01T00:00:00Z');
    expect(retryAfter({ 'retry-after': 'Tue, 01 Jan 2030 00:01:00 GMT' }, now)).toBe(60_000);
    expect(retryAfter({ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }, now)).toBe(0);
    expect(retryAfter({ 'retry-after-ms': '250', 'retry-after': '1' }, now)).toBe(250);
    expect(retryAfter({ 'retry-after': 'soon' }, now)).toBeNull();
    expect(retryAfter({}, now)).toBeNull();
  });

  it.each([
    ['{"error":"model not loaded"}', 'model not loaded'],
    ['{"message":"no such route"}', 'no such route'],
    ['{"detail":"not here"}', 'not here'],
    ['<html><style>b{}</style><h1>502 Bad Gateway</h1></html>', '502 Bad Gateway'],
    ['', 'no reason was given'],
  ])('tells what %s says', async (body, said) => {
    const server = await serve([{ status: 502, body }]);
    expect(await thrownBy(call(modelAt(server.url), ask))).toMatchObject({
      code: 'server_error',
      message: expect.stringContaining(said) as string,
    });
  });

  it('that was sent elsewhere says where to', async () => {
    const server = await serve([{ status: 308, headers: { location: 'https://elsewhere/v1' } }]);
    expect(await thrownBy(call(modelAt(server.url), ask))).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('moved to https://elsewhere/v1') as string,
    });
  });

  it('to nobody is connection_failed', async () => {
    const gone = await wireServer([]);
    await gone.close();
    const error = await thrownBy(call(modelAt(gone.url), ask));
    expect(error).toMatchObject({ code: 'connection_failed' });
    expect(isTransientFailure(error)).toBe(true);
  });

  it('does not hide that the server closed without an answer', async () => {
    const net = createNetServer((socket) => socket.once('data', () => socket.destroy()));
    const port = await listen(net);
    expect(await thrownBy(call(modelAt(`http://127.0.0.1:${port}`), ask))).toMatchObject({ code: 'connection_lost' });
  });
});

describe('a stream', () => {
  const whole = anthropicStream({ text: ['one ', 'two ', 'three'] }, 'm');

  it('is read the same however it is split on its way', async () => {
    const sizes = [1, 2, 7, 100];
    const server = await serve(sizes.map((pieceBytes) => ({ text: ['Grüße ', '👋'], pieceBytes })));
    for (const _size of sizes) {
      expect((await answerOf(modelAt(server.url), ask)).content).toEqual([{ type: 'text', text: 'Grüße 👋' }]);
    }
  });

  it('that ends too early is cut, and one that breaks is lost, each after what it said', async () => {
    const atByte = whole.indexOf('three') - 40;
    const server = await serve([
      { body: whole, cut: { atByte, how: 'end' } },
      { body: whole, cut: { atByte, how: 'break' } },
    ]);
    for (const code of ['stream_cut', 'connection_lost']) {
      const heard: string[] = [];
      const error = await thrownBy(
        (async () => {
          for await (const event of modelAt(server.url).stream(ask, new AbortController().signal)) {
            if (event.type === 'text') heard.push(event.text);
          }
        })(),
      );
      expect(error).toMatchObject({ code });
      expect(isTransientFailure(error)).toBe(true);
      expect(heard).toEqual(['one ', 'two ']);
    }
  });

  it('that lacks only its goodbye is whole', async () => {
    const atByte = whole.indexOf('event: message_stop');
    const server = await serve([
      { body: whole, cut: { atByte, how: 'end' } },
      { body: whole, cut: { atByte, how: 'break' } },
    ]);
    for (let n = 0; n < 2; n++) {
      expect((await answerOf(modelAt(server.url), ask)).content).toEqual([{ type: 'text', text: 'one two three' }]);
    }
  });

  it('does not outrun a slow reader without end, and loses nothing', async () => {
    const text = Array.from({ length: 20_000 }, (_, n) => `${n} ${'x'.repeat(500)}`);
    const server = await serve([{ text }]);
    const heard: string[] = [];
    let turns = 0;
    for await (const event of modelAt(server.url).stream(ask, new AbortController().signal)) {
      if (event.type === 'text') heard.push(event.text);
      if (turns++ % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(heard).toEqual(text);
  });
});

describe('a cancelled call', () => {
  it.each([
    ['before it is made', -1],
    ['while it waits for headers', 0],
    ['in mid-answer', 1],
  ])('ends at once %s', async (_when, point) => {
    const forever = new Promise(() => {});
    const answer: WireAnswer =
      point === 0 ? { after: forever } : { text: ['a', 'b'], pause: { atByte: 600, until: forever } };
    const server = await serve([answer]);
    const controller = new AbortController();
    if (point === -1) controller.abort(new Error('not now'));
    const error = await thrownBy(
      (async () => {
        for await (const event of modelAt(server.url).stream(ask, controller.signal)) {
          const isThere =
            event.type === 'activity' && event.activity === (point === 0 ? 'waiting_headers' : 'waiting_first_token');
          if (isThere) controller.abort(new Error('not now'));
        }
      })(),
    );
    expect(error).toMatchObject({ code: 'cancelled', cause: expect.objectContaining({ message: 'not now' }) as Error });
    expect(isTransientFailure(error)).toBe(false);
  });

  it('closes its connection, as does a reader that leaves', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write(': hello\n\n');
    });
    const closed: Promise<void>[] = [];
    server.on('connection', (socket) => {
      sockets.add(socket);
      closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
    });
    const model = modelAt(`http://127.0.0.1:${await listen(server)}`);
    for await (const event of model.stream(ask, new AbortController().signal)) {
      if (event.type === 'activity' && event.activity === 'waiting_first_token') break;
    }
    await closed[0];
    const controller = new AbortController();
    const ended = thrownBy(
      (async () => {
        for await (const event of model.stream(ask, controller.signal)) {
          if (event.type === 'activity' && event.activity === 'waiting_first_token') controller.abort();
        }
      })(),
    );
    await ended;
    await closed[1];
    expect(sockets.size).toBe(2);
  });
});

describe('a limit on waiting', () => {
  const forever = new Promise(() => {});
  const spoken = anthropicStream({ text: ['a', 'b'] }, 'm');
  /** Where the first word has come, and the second not. */
  const half = spoken.lastIndexOf('event: content_block_delta');

  it.each([
    ['first_byte_timeout', { firstByteMs: 50 }, { after: forever }],
    ['first_byte_timeout', { firstByteMs: 50 }, { text: 'a', pause: { atByte: 0, until: forever } }],
    ['idle_timeout', { idleMs: 50, firstByteMs: 50 }, { text: 'a', pause: { atByte: 100, until: forever } }],
    ['idle_timeout', { idleMs: 50 }, { text: ['a', 'b'], pause: { atByte: half, until: forever } }],
  ])('ends with %s (%j)', async (code, timeouts, answer) => {
    const server = await serve([answer]);
    const error = await thrownBy(call(modelAt(server.url, { timeouts }), ask));
    expect(error).toMatchObject({ code });
    expect(isTransientFailure(error)).toBe(true);
  });

  it('ends with connect_timeout where TLS is never finished', async () => {
    const sockets: Socket[] = [];
    const silent = createNetServer((socket) => sockets.push(socket));
    const port = await listen(silent);
    closing.unshift(() => {
      for (const socket of sockets) socket.destroy();
    });
    const error = await thrownBy(call(modelAt(`https://127.0.0.1:${port}`, { timeouts: { connectMs: 50 } }), ask));
    expect(error).toMatchObject({ code: 'connect_timeout' });
  });

  it('does not count while something comes, however long it takes in all', async () => {
    const server = await serve([{ text: Array.from({ length: 40 }, () => 'x'), pieceBytes: 20 }]);
    const message = await answerOf(modelAt(server.url, { timeouts: { idleMs: 500, firstByteMs: 500 } }), ask);
    expect(message.content).toEqual([{ type: 'text', text: 'x'.repeat(40) }]);
  });

  it('ends a refusal that never ends, with all that it said', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    closing.push(() => vi.useRealTimers());
    const body = '{"error":{"message":"Slow down."}}';
    const headers = { 'retry-after': '7' };
    const server = await serve([{ status: 429, headers, body, pause: { atByte: body.length, until: forever } }]);
    let heard = () => {};
    const head = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const error = thrownBy(call(modelAt(server.url, { onHeaders: () => heard() }), ask));
    await head;
    vi.advanceTimersByTime(2000);
    expect(await error).toMatchObject({ code: 'rate_limited' });
    expect(failureDetails(await error)).toMatchObject({ status: 429, retryAfterMs: 7000 });
  });

  it('is long while the model thinks, even if some thoughts are shown, and short once it writes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    closing.push(() => vi.useRealTimers());
    const body = anthropicStream({ thinking: 'Hm.', text: ['a', 'b'] }, 'm');
    const [thought, word] = ['content_block_stop', 'text":"b"'].map((text) => body.indexOf(text));
    let more = (_text: string | undefined): void => undefined;
    const server = createServer((_incoming, outgoing) => {
      more = (text) => outgoing.write(text);
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write(body.slice(0, thought));
    });
    closing.unshift(() => server.closeAllConnections());
    const model = modelAt(`http://127.0.0.1:${await listen(server)}`);
    const seen: string[] = [];
    const minutes = 60_000;
    const error = await thrownBy(
      (async () => {
        for await (const { type } of model.stream(ask, new AbortController().signal)) {
          if (type === 'thinking') {
            vi.advanceTimersByTime(25 * minutes);
            more(body.slice(thought, word));
          } else if (type === 'text') vi.advanceTimersByTime(5 * minutes);
          if (type !== 'activity' && type !== 'usage') seen.push(type);
        }
      })(),
    );
    expect(seen).toEqual(['thinking', 'text']);
    expect(error).toMatchObject({
      code: 'idle_timeout',
      message: expect.stringMatching(/300000 ms.*raise timeouts\.idleMs/) as string,
    });
  });

  it.each([
    [{ firstByteMs: 1000, idleMs: 300 }, false, 1000, 'timeouts.firstByteMs'],
    [{ firstByteMs: 1000, idleMs: 300 }, true, 300, 'timeouts.idleMs'],
    [{ firstByteMs: 100, idleMs: 300 }, false, 300, 'timeouts.idleMs'],
    [{ firstByteMs: 0, idleMs: 300 }, false, 0, 'timeouts.firstByteMs'],
    [{ firstByteMs: 100, idleMs: 0 }, false, 0, 'timeouts.idleMs'],
  ])('of %j on an answer that is written: %j, is %j ms, from %s', (timeouts, isWriting, milliseconds, setting) => {
    expect(silenceLimit(timeouts, !isWriting)).toEqual({ milliseconds, setting });
  });

  it.each([
    [{ firstByteMs: 1000, contentMs: 300 }, true, 1000, 'timeouts.firstByteMs'],
    [{ firstByteMs: 1000, contentMs: 300 }, false, 300, 'timeouts.contentMs'],
    [{ firstByteMs: 100, contentMs: 300 }, true, 300, 'timeouts.contentMs'],
    [{ firstByteMs: 0, contentMs: 300 }, true, 0, 'timeouts.firstByteMs'],
    [{ firstByteMs: 100, contentMs: 0 }, true, 0, 'timeouts.contentMs'],
  ])('of %j on content, while the model thinks: %j, is %j ms, from %s', (timeouts, thinks, milliseconds, setting) => {
    expect(contentLimit(timeouts, thinks)).toEqual({ milliseconds, setting });
  });

  describe('M2: on content', () => {
    const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
    const text = (word: string) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } });
    const opened = (index: number, block: object) =>
      event({ type: 'content_block_start', index, content_block: block });
    const begun = event({ type: 'message_start', message: { usage: {} } });
    const writing = begun + opened(0, { type: 'text', text: '' }) + text('Hel');
    const thinking = opened(1, { type: 'thinking', thinking: '', signature: '' });

    /** A server that says `body`, and then sends `ping` for ever. */
    async function pinging(body: string, ping: string) {
      const server = createServer((incoming, outgoing) => {
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
        outgoing.write(body);
        const timer = setInterval(() => outgoing.write(ping), 5);
        outgoing.once('close', () => clearInterval(timer));
        incoming.resume();
      });
      closing.unshift(() => server.closeAllConnections());
      return `http://127.0.0.1:${await listen(server)}`;
    }

    it.each([
      ['pings', event({ type: 'ping' })],
      ['comments', ': keep-alive\n\n'],
      ['empty deltas', text('')],
      ['events that nobody knows', event({ type: 'heartbeat' })],
    ])('%s do not hold an answer open that has stalled', async (_what, ping) => {
      const url = await pinging(writing, ping);
      const error = await thrownBy(call(modelAt(url, { timeouts: { contentMs: 100, idleMs: 60_000 } }), ask));
      expect(error).toMatchObject({
        code: 'idle_timeout',
        message: expect.stringMatching(/nothing of its answer for 100 ms.*raise timeouts\.contentMs/) as string,
      });
      expect(isTransientFailure(error)).toBe(true);
    });

    it('pings before the first word are given as long as a thought, and no longer', async () => {
      const url = await pinging(begun, event({ type: 'ping' }));
      const timeouts = { contentMs: 20, firstByteMs: 150 };
      expect(await thrownBy(call(modelAt(url, { timeouts }), ask))).toMatchObject({
        code: 'idle_timeout',
        message: expect.stringMatching(/nothing of its answer for 150 ms.*raise timeouts\.firstByteMs/) as string,
      });
    });

    it('a thought in the middle of an answer may be silent for as long as one before it', async () => {
      const url = await pinging(
        `${writing}${event({ type: 'content_block_stop', index: 0 })}${thinking}`,
        event({ type: 'ping' }),
      );
      const timeouts = { contentMs: 20, idleMs: 20, firstByteMs: 200 };
      expect(await thrownBy(call(modelAt(url, { timeouts }), ask))).toMatchObject({
        message: expect.stringMatching(/200 ms.*raise timeouts\.firstByteMs/) as string,
      });
    });

    it('what comes in small pieces is content, whatever comes between', async () => {
      const url = await pinging(writing, text('l') + event({ type: 'ping' }));
      const words: string[] = [];
      const timeouts = { contentMs: 400, idleMs: 400, firstByteMs: 400 };
      for await (const one of modelAt(url, { timeouts }).stream(ask, new AbortController().signal)) {
        if (one.type === 'text') words.push(one.text);
        if (words.length > 200) break;
      }
      expect(words.join('')).toMatch(/^Hell+$/);
    });
  });

  it('of 0 is none', async () => {
    const server = await serve([{ text: 'ok' }]);
    const timeouts = { connectMs: 0, firstByteMs: 0, idleMs: 0, contentMs: 0 };
    expect((await answerOf(modelAt(server.url, { timeouts }), ask)).stopReason).toBe('end');
  });
});

describe('a connection', () => {
  it('is kept and used again', async () => {
    const server = await serve(Array.from({ length: 10 }, () => ({ text: 'ok' })));
    const made: boolean[] = [];
    for (let n = 0; n < 10; n++) {
      const events = await call(modelAt(server.url), ask);
      made.push(events.some((event) => event.type === 'activity' && event.activity === 'connecting'));
    }
    // The server's last byte may come after the last event: then the next call finds that connection still busy.
    expect(server.connections()).toBeLessThanOrEqual(2);
    expect(made.filter((isMade) => isMade)).toHaveLength(server.connections());
  });

  it('that the server closed while it was idle is replaced without a word', async () => {
    let count = 0;
    const body = anthropicStream({ text: 'ok' }, 'm');
    const net = createNetServer((socket) => {
      let requests = 0;
      count++;
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        if (!chunk.includes('POST')) return;
        requests++;
        if (requests === 2) socket.resetAndDestroy();
        else
          socket.write(
            `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          );
      });
      closing.unshift(() => socket.destroy());
    });
    const model = modelAt(`http://127.0.0.1:${await listen(net)}`);
    await answerOf(model, ask);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await answerOf(model, ask)).content).toEqual([{ type: 'text', text: 'ok' }]);
    expect(count).toBe(2);
  });
});

describe('every failure', () => {
  it('is a PawlError with a sentence, on the other wire as well', async () => {
    const server = await serve([{ status: 500 }, { body: 'data: {oh\n\n' }, { body: '' }]);
    const model = openaiChat({ model: 'm', baseUrl: `${server.url}/v1`, environment: {} });
    for (const code of ['server_error', 'bad_stream', 'stream_cut']) {
      const error = await thrownBy(call(model, ask));
      expect(isPawlError(error, code)).toBe(true);
      expect((error as Error).message).toMatch(/\.$/);
    }
  });
});
