import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isTransientFailure } from '@pawl/models';
import { type WireAnswer, type WireServer, wireServer } from '@pawl/models/testing';
import type { Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { answerOf, assistant, call, request, results, thrownBy, user } from '../../models/test/support.ts';
import { fromAiSdk } from '../src/index.ts';

let server: WireServer;
afterEach(() => server?.close());

async function claudeOn(script: WireAnswer[]) {
  server = await wireServer(script);
  return fromAiSdk(createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'secret-key' })('claude-x'));
}

async function chatOn(script: WireAnswer[]) {
  server = await wireServer(script);
  const provider = createOpenAICompatible({ name: 'local', baseURL: `${server.url}/v1`, includeUsage: true });
  return fromAiSdk(provider('m'));
}

const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object', properties: {} } }];
const answer: WireAnswer = {
  thinking: 'Let me see.',
  text: ['Hel', 'lo'],
  calls: [{ tool: 'read', input: { path: 'a' } }, { tool: 'read' }],
  usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2 },
};

describe('M1: a model of the AI SDK', () => {
  it('streams over Anthropic’s wire, and ends with the whole message', async () => {
    const model = await claudeOn([answer]);
    expect(model.id).toBe('anthropic/claude-x');
    const events = await call(model, request([user('Hi')], { tools }));
    expect(events).toMatchObject([
      { type: 'activity', activity: 'waiting_headers' },
      { type: 'activity', activity: 'waiting_first_token' },
      { type: 'thinking', text: 'Let me see.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'input', call: 1, tool: 'read', text: '{"path' },
      { type: 'input', call: 1, tool: 'read', text: '":"a"}' },
      { type: 'input_complete', call: 1, tool: 'read', input: { path: 'a' } },
      { type: 'input', call: 2, tool: 'read' },
      { type: 'input', call: 2, tool: 'read' },
      { type: 'input_complete', call: 2, tool: 'read', input: {} },
      {
        type: 'finished',
        message: {
          content: [
            { type: 'thinking', text: 'Let me see.', signature: '{"anthropic":{"signature":"c2lnbmF0dXJl"}}' },
            { type: 'text', text: 'Hello' },
            { type: 'tool_call', tool: 'read', input: { path: 'a' } },
            { type: 'tool_call', tool: 'read', input: {} },
          ],
          stopReason: 'tool_calls',
          usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2 },
        },
      },
    ]);
  });

  it('streams over the Chat Completions wire', async () => {
    const model = await chatOn([answer]);
    expect(model.id).toBe('local/m');
    const message = await answerOf(model, request([user('Hi')], { tools }));
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', text: 'Let me see.' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_call', tool: 'read', input: { path: 'a' } },
        { type: 'tool_call', tool: 'read', input: {} },
      ],
      stopReason: 'tool_calls',
      usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 3 },
    });
  });

  it('is asked with the conversation, and shown its own thoughts with their signature (M3)', async () => {
    const model = await claudeOn([answer, { text: 'ok' }, { text: 'ok' }]);
    const first = await answerOf(model, request([user('Read a.')], { tools }));
    let calls = 0;
    const content = first.content.map((part) => (part.type === 'tool_call' ? { ...part, id: `c${++calls}` } : part));
    const messages: Message[] = [
      user('Read a.'),
      assistant(content, model.id),
      results(
        { call: 'c1', tool: 'read', content: 'the text' },
        { call: 'c2', tool: 'read', content: 'no', status: 'denied' },
      ),
    ];
    await answerOf(model, request(messages, { system: 'Be brief.', tools, tail: 'Step 2 of 9.' }));
    const asked = server.requests[1];
    expect(asked?.system).toBe('Be brief.');
    expect(asked?.tools).toEqual(['read']);
    expect(asked?.messages.map(({ role, results: got }) => [role, got])).toEqual([
      ['user', []],
      ['assistant', []],
      [
        'tool',
        [
          { call: 'c1', content: 'the text', isError: false },
          { call: 'c2', content: 'no', isError: true },
        ],
      ],
    ]);
    expect(asked?.raw).toContain('{"type":"thinking","thinking":"Let me see.","signature":"c2lnbmF0dXJl"}');
    expect(asked?.raw).toContain('Step 2 of 9.');
    // Where the history that was signed has changed, and where another model thought.
    await answerOf(model, request(messages, { signedFrom: 2, tools }));
    expect(server.requests[2]?.raw).not.toContain('Let me see.');
  });

  it('is asked for a tool, an object, and with the parameters that the SDK has', async () => {
    server = await wireServer([{ text: 'ok' }, { text: 'ok' }]);
    const local = createOpenAICompatible({
      name: 'local',
      baseURL: `${server.url}/v1`,
      supportsStructuredOutputs: true,
    });
    const model = fromAiSdk(local('m'), {
      parameters: { temperature: 0.5, topP: 0.9, stopSequences: ['END'], effort: 'high' },
      providerOptions: { local: { extra: 1 } },
    });
    const outputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    await answerOf(model, request([user('?')], { tools, toolChoice: { tool: 'read' } }));
    await answerOf(model, request([user('?')], { outputSchema }));
    expect(server.requests[0]?.body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      reasoning_effort: 'high',
      extra: 1,
      max_tokens: 1000,
      tool_choice: { type: 'function', function: { name: 'read' } },
    });
    expect(server.requests[1]?.body.response_format).toMatchObject({ json_schema: { schema: outputSchema } });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('satisfies this JSON Schema');
  });

  it('is given files, also those of results (M13)', async () => {
    const model = await claudeOn([{ text: 'ok' }]);
    const image = { type: 'file' as const, mediaType: 'image/png', digest: 'd', sizeBytes: 3 };
    const messages: Message[] = [
      { role: 'user', source: 'input', content: [image, { ...image, digest: 'lost', name: 'b.png' }] },
      assistant([{ type: 'tool_call', id: 'c1', tool: 'shoot', input: {} }]),
      { role: 'tool', results: [{ call: 'c1', tool: 'shoot', status: 'ok', content: 'Done.', files: [image] }] },
    ];
    await answerOf(model, request(messages, { file: (digest) => (digest === 'd' ? Buffer.from('abc') : null) }));
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YWJj' } };
    expect(server.requests[0]?.body.messages).toMatchObject([
      { content: [block, { type: 'text', text: '[file b.png: its bytes are lost]' }] },
      {},
      { content: [{ type: 'tool_result', content: [{ type: 'text', text: 'Done.' }, block] }] },
    ]);
  });

  it('may answer in one piece', async () => {
    const whole = {
      type: 'message',
      id: 'x',
      model: 'claude-x',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'x', name: 'read', input: { path: 'a' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 4 },
    };
    server = await wireServer([{ body: JSON.stringify(whole), headers: { 'content-type': 'application/json' } }]);
    const claude = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'secret-key' })('claude-x');
    const message = await answerOf(fromAiSdk(claude, { isStreaming: false }), request([user('Hi')]));
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', text: 'Hm.', signature: '{"anthropic":{"signature":"sig"}}' },
        { type: 'text', text: 'Hi' },
        { type: 'tool_call', tool: 'read', input: { path: 'a' } },
      ],
      stopReason: 'tool_calls',
      usage: { inputTokens: 3, outputTokens: 4 },
    });
  });
});

describe('M6: a failure of a model of the AI SDK', () => {
  it.each([
    [429, 'rate_limit_error', { 'retry-after': '7' }, { code: 'rate_limited', details: { retryAfterMs: 7000 } }],
    [529, 'overloaded_error', {}, { code: 'overloaded', details: { status: 529 } }],
    [401, 'authentication_error', {}, { code: 'unauthorized' }],
    [404, 'not_found_error', {}, { code: 'not_found' }],
    [400, 'invalid_request_error', {}, { code: 'bad_request' }],
  ])('HTTP %i %s has Pawl’s code', async (status, type, headers, expected) => {
    const model = await claudeOn([{ status, error: { type, message: 'Oh.' }, headers }]);
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  it('that echoes the key says it without the key', async () => {
    const error = { type: 'authentication_error', message: 'invalid x-api-key: secret-key, of org.' };
    for (const status of [401, 400]) {
      const model = await claudeOn([{ status, error }]);
      const thrown = await thrownBy(answerOf(model, request([user('?')])));
      expect(thrown).toMatchObject({ message: expect.stringContaining('invalid x-api-key: [key], of org.') as string });
      await server.close();
    }
  });

  it('that echoes the key of a wrapped model, or a part of it, says it without', async () => {
    const message = 'Incorrect API key provided: sk-proj-Ab12Cd34Ef56Gh78. Or was it sk-proj-********************Gh78?';
    const error = { statusCode: 401, responseBody: JSON.stringify({ error: { message } }) };
    const wrapped = { ...mock('v3', () => []), doStream: () => Promise.reject(error) };
    expect(await thrownBy(call(fromAiSdk(wrapped), request([user('?')])))).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('Incorrect API key provided: [key]. Or was it [key]?') as string,
    });
  });

  it('that says that the prompt is too long is an overflow', async () => {
    const error = { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' };
    const model = await claudeOn([{ status: 400, error }]);
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'context_overflow' });
  });

  it('in mid-stream has Pawl’s code', async () => {
    const model = await claudeOn([
      { body: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy."}}\n\n' },
    ]);
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'overloaded' });
  });

  it('is a lost connection where it breaks', async () => {
    const model = await chatOn([{ text: 'a long text', cut: { atByte: 200, how: 'break' } }]);
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'connection_lost' });
  });

  it('may be gone at the next try where the stream ends without its end (M2)', async () => {
    const begun = { choices: [{ index: 0, delta: { content: 'a long text' }, finish_reason: null }] };
    const model = await chatOn([{ body: `data: ${JSON.stringify(begun)}\n\n` }]);
    expect(isTransientFailure(await thrownBy(answerOf(model, request([user('?')]))))).toBe(true);
  });

  it('is a failed connection where nobody listens', async () => {
    const model = await chatOn([]);
    await server.close();
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'connection_failed' });
  });

  it('is silence where nothing comes, or nothing more', async () => {
    server = await wireServer([
      { after: new Promise(() => {}) },
      { text: 'x', pause: { atByte: 250, until: new Promise(() => {}) } },
      { text: ['x', 'y'], pause: { atByte: 450, until: new Promise(() => {}) } },
    ]);
    const local = createOpenAICompatible({ name: 'local', baseURL: `${server.url}/v1` })('m');
    const model = fromAiSdk(local, { timeouts: { firstByteMs: 40, idleMs: 40 } });
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'first_byte_timeout' });
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'idle_timeout' });
    const patient = fromAiSdk(local, { timeouts: { idleMs: 40 } });
    expect(await thrownBy(answerOf(patient, request([user('?')])))).toMatchObject({
      message: expect.stringContaining('timeouts.idleMs') as string,
    });
  });
});

describe('a call of a model of the AI SDK that is cancelled', () => {
  it('ends at once, before and in the middle of the answer', async () => {
    const never = new Promise(() => {});
    const model = await chatOn([{ after: never }, { text: 'x', pause: { atByte: 250, until: never } }]);
    for (const stopAt of ['waiting_headers', 'waiting_first_token']) {
      const controller = new AbortController();
      const work = (async () => {
        for await (const event of model.stream(request([user('?')]), controller.signal)) {
          if (event.type === 'activity' && event.activity === stopAt) setImmediate(() => controller.abort());
        }
      })();
      expect(await thrownBy(work)).toMatchObject({ code: 'cancelled' });
    }
  });

  it('before it began never begins', async () => {
    const model = await chatOn([]);
    const failed = answerOf(model, request([user('?')]), AbortSignal.abort());
    expect(await thrownBy(failed)).toMatchObject({ code: 'cancelled' });
    expect(server.requests).toHaveLength(0);
  });

  it('by leaving aborts what the SDK does', async () => {
    let aborted = false;
    const model = fromAiSdk(
      mock('v3', ({ abortSignal }) => {
        abortSignal.addEventListener('abort', () => {
          aborted = true;
        });
        return [
          { type: 'text-delta', id: '0', delta: 'x' },
          { type: 'text-delta', id: '0', delta: 'y' },
        ];
      }),
    );
    for await (const event of model.stream(request([user('?')]), new AbortController().signal)) {
      if (event.type === 'text') break;
    }
    expect(aborted).toBe(true);
  });

  it('ends even if the SDK does not hear of it', async () => {
    const controller = new AbortController();
    const deaf = { ...mock('v4', () => []), doStream: () => new Promise<never>(() => {}) };
    const work = answerOf(fromAiSdk(deaf), request([user('?')]), controller.signal);
    setImmediate(() => controller.abort());
    expect(await thrownBy(work)).toMatchObject({ code: 'cancelled' });
  });
});

type Asked = { abortSignal: AbortSignal; prompt: unknown };

/** A model of the SDK by hand: the parts of its answer, by the call. */
function mock(specificationVersion: string, parts: (options: Asked) => object[]) {
  return {
    specificationVersion,
    provider: 'mock.chat',
    modelId: 'm',
    doStream: (options: Asked) =>
      Promise.resolve({
        stream: new ReadableStream<unknown>({
          start(controller) {
            for (const part of parts(options)) controller.enqueue(part);
            controller.close();
          },
        }),
      }),
    doGenerate: () => Promise.reject(new Error('It only streams.')),
  };
}

describe('what the provider keeps of a conversation', () => {
  const end = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} };
  /** The options of providers that a model gets. */
  async function optionsFor(provider: string, providerOptions?: Parameters<typeof fromAiSdk>[1]) {
    let options: unknown = null;
    const model = {
      ...mock('v3', (asked) => {
        options = 'providerOptions' in asked ? asked.providerOptions : 'none';
        return [{ type: 'text-delta', id: '0', delta: 'x' }, end];
      }),
      provider,
    };
    await answerOf(fromAiSdk(model, providerOptions), request([user('?')]));
    return options;
  }

  it('is nothing at OpenAI, over both of its interfaces and at Azure', async () => {
    expect(await optionsFor('openai.responses')).toEqual({ openai: { store: false } });
    expect(await optionsFor('openai.chat')).toEqual({ openai: { store: false } });
    const azure = { azure: { store: false }, openai: { store: false } };
    expect(await optionsFor('azure.responses')).toEqual(azure);
    expect(await optionsFor('azure-openai.responses')).toEqual(azure);
  });

  it('is what the user says, beside all other options', async () => {
    const kept = { openai: { store: true, user: 'u' } };
    expect(await optionsFor('openai.responses', { providerOptions: kept })).toEqual(kept);
    const other = { openai: { user: 'u' }, x: { y: 1 } };
    expect(await optionsFor('openai.responses', { providerOptions: other })).toEqual({
      openai: { user: 'u', store: false },
      x: { y: 1 },
    });
  });

  it('is not spoken of to others', async () => {
    expect(await optionsFor('mistral.chat')).toBe('none');
  });
});

describe('every version of the AI SDK’s interface', () => {
  const usage = {
    v2: { inputTokens: 10, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 1 },
    v3: {
      inputTokens: { total: 10, noCache: 4, cacheRead: 6 },
      outputTokens: { total: 4, reasoning: 1 },
    },
  };
  const ends = {
    v2: (reason: string) => ({ type: 'finish', finishReason: reason, usage: usage.v2 }),
    v3: (reason: string) => ({ type: 'finish', finishReason: { unified: reason, raw: 'x' }, usage: usage.v3 }),
    v4: (reason: string) => ({ type: 'finish', finishReason: { unified: reason, raw: 'x' }, usage: usage.v3 }),
  };

  it.each(['v2', 'v3', 'v4'] as const)('is read: %s', async (version) => {
    const parts = [
      { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'topK', details: 'no' }] },
      { type: 'ping' },
      { type: 'text-start', id: '0', providerMetadata: { mock: { itemId: 'i' } } },
      { type: 'text-delta', id: '0', delta: 'a' },
      { type: 'text-end', id: '0', providerMetadata: { mock: { phase: 'p' } } },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'b' },
      { type: 'tool-input-start', id: 'p', toolName: 'search', providerExecuted: true },
      { type: 'tool-input-delta', id: 'p', delta: '{}' },
      { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: '{}', providerExecuted: true },
      { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{"a":1}', providerMetadata: { mock: { s: 1 } } },
      { type: 'source', id: 's' },
      ends[version]('tool-calls'),
    ];
    const model = fromAiSdk(mock(version, () => parts));
    const events = await call(model, request([user('?')]));
    expect(events.filter(({ type }) => type === 'notice')).toMatchObject([
      { message: 'mock/m passes over: topK (no)' },
    ]);
    expect(events.at(-1)).toMatchObject({
      message: {
        content: [
          { type: 'text', text: 'a', signature: '{"mock":{"itemId":"i","phase":"p"}}' },
          { type: 'text', text: 'b' },
          { type: 'tool_call', tool: 'read', input: { a: 1 }, signature: '{"mock":{"s":1}}' },
        ],
        stopReason: 'tool_calls',
        usage: { inputTokens: 4, cacheReadTokens: 6, outputTokens: 4, reasoningTokens: 1 },
      },
    });
    const again = await call(model, request([user('?')]));
    expect(again.filter(({ type }) => type === 'notice')).toEqual([]);
  });

  it.each([
    ['stop', 'end'],
    ['length', 'output_limit'],
    ['content-filter', 'refusal'],
    ['other', 'end'],
  ])('stops for %s as Pawl’s %s', async (theirs, ours) => {
    for (const version of ['v2', 'v3', 'v4'] as const) {
      const model = fromAiSdk(
        mock(version, () => [{ type: 'text-delta', id: '0', delta: 'x' }, ends[version](theirs)]),
      );
      expect(await answerOf(model, request([user('?')]))).toMatchObject({ stopReason: ours });
    }
  });

  it.each([
    ['v2', { type: 'finish', finishReason: 'unknown', usage: {} }],
    ['v3', { type: 'finish', finishReason: { unified: 'other' }, usage: {} }],
    ['v4', { type: 'finish', finishReason: { unified: 'interrupted' }, usage: {} }],
    ['v4', { type: 'text-end', id: '0' }],
  ])('is cut where no end came: %s', async (version, last) => {
    const model = fromAiSdk(mock(version, () => [{ type: 'text-delta', id: '0', delta: 'x' }, last]));
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'stream_cut' });
  });

  it('drops and names the call that the output limit cut (E11)', async () => {
    const parts = [
      { type: 'tool-input-start', id: 'c', toolName: 'write' },
      { type: 'tool-input-delta', id: 'c', delta: '{"content":"lon' },
      ends.v4('length'),
    ];
    const message = await answerOf(fromAiSdk(mock('v4', () => parts)), request([user('?')]));
    expect(message).toMatchObject({ content: [], cutCall: 'write', stopReason: 'output_limit' });
  });

  it.each([
    ['v2', 'YWJj', { type: 'media', mediaType: 'image/png', data: 'YWJj' }],
    ['v3', 'YWJj', { type: 'image-data', mediaType: 'image/png', data: 'YWJj' }],
    [
      'v4',
      { type: 'data', data: 'YWJj' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'YWJj' } },
    ],
  ])('has files in its own form: %s', async (version, data, inResult) => {
    let prompt: unknown;
    const model = fromAiSdk(
      mock(version, (options) => {
        prompt = options.prompt;
        return [{ type: 'text-delta', id: '0', delta: 'x' }, ends[version as 'v2']('stop')];
      }),
    );
    const image = { type: 'file' as const, mediaType: 'image/png', digest: 'd', sizeBytes: 3 };
    const messages: Message[] = [
      { role: 'user', source: 'input', content: [image] },
      assistant([{ type: 'tool_call', id: 'c', tool: 'shoot', input: {} }]),
      { role: 'tool', results: [{ call: 'c', tool: 'shoot', status: 'ok', content: '', files: [image] }] },
    ];
    await answerOf(model, request(messages, { file: () => Buffer.from('abc') }));
    expect(prompt).toMatchObject([
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] },
      { role: 'assistant' },
      { role: 'tool', content: [{ output: { type: 'content', value: [inResult] } }] },
    ]);
  });

  it.each([
    ['a text', 'Overloaded.', 'server_error'],
    ['an object', { type: 'rate_limit_error', message: 'Slow.' }, 'rate_limited'],
    ['an object with a status', { error: { code: 503, message: 'Busy.' } }, 'overloaded'],
    ['an error of unknown kind', new Error('Oh'), 'model_failed'],
    ['nothing', undefined, 'server_error'],
  ])('may say that it failed as %s', async (_what, error, code) => {
    const model = fromAiSdk(mock('v4', () => [{ type: 'error', error }]));
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code });
  });

  it('is refused where it is none that Pawl knows', () => {
    expect(() => fromAiSdk(mock('v1', () => []))).toThrow(/knows v2, v3 and v4/);
  });
});
