import type { Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenaiChatOptions, openaiChat } from '../src/index.ts';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { readText, sse } from './streams.ts';
import { answerOf, assistant, call, request, results, thrownBy, uncounted, user } from './support.ts';

let server: WireServer;
afterEach(() => server?.close());

async function modelOn(script: WireAnswer[], options: Partial<OpenaiChatOptions> = {}) {
  server = await wireServer(script);
  return openaiChat({ model: 'm', apiKey: 'secret', baseUrl: `${server.url}/v1`, environment: {}, ...options });
}

const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];
const own = 'openai-chat/m';

describe('the body of a Chat Completions request', () => {
  it('is this, byte for byte', async () => {
    const model = await modelOn([{ text: 'ok' }]);
    const messages = [
      user('Read a.txt'),
      assistant(
        [
          { type: 'thinking', text: 'Hm.', signature: 'reasoning_content' },
          { type: 'tool_call', id: 't1_s1_c1', tool: 'read', input: { path: 'a.txt' } },
        ],
        own,
      ),
      results({ call: 't1_s1_c1', tool: 'read', content: 'Grüße' }),
      assistant(
        [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
        own,
      ),
      user('  '),
    ];
    await answerOf(model, request(messages, { system: 'Be brief.', tools, tail: 'Step 2 of 9.' }));
    expect(server.requests[0]?.raw).toBe(
      '{"model":"m","max_tokens":1000,"stream":true,"stream_options":{"include_usage":true},' +
        '"tools":[{"type":"function","function":{"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{}}}}],' +
        '"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Read a.txt"},' +
        '{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[{"id":"t1_s1_c1","type":"function",' +
        '"function":{"name":"read","arguments":"{\\"path\\":\\"a.txt\\"}"}}]},' +
        '{"role":"tool","tool_call_id":"t1_s1_c1","name":"read","content":"Grüße"},' +
        '{"role":"assistant","content":"One.\\n\\nTwo."},{"role":"user","content":"Step 2 of 9."}]}',
    );
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('has a prefix that stays the same to the byte while the conversation grows', async () => {
    const model = await modelOn(Array.from({ length: 4 }, () => ({ text: 'ok' })));
    const messages: Message[] = [user('start')];
    for (let step = 1; step <= 4; step++) {
      await answerOf(model, request([...messages], { system: 'Be brief.', tools }));
      messages.push(assistant([{ type: 'text', text: `answer ${step}` }], own), user(`question ${step}`));
    }
    const bodies = server.requests.map(({ raw }) => raw);
    for (let step = 1; step < bodies.length; step++) {
      expect(bodies[step]?.startsWith(bodies[step - 1]?.slice(0, -2) ?? '-')).toBe(true);
    }
  });

  it('is valid with a system prompt alone, and with nothing', async () => {
    const model = await modelOn([{ text: 'ok' }, { text: 'ok' }]);
    await answerOf(model, request([], { system: 'Be brief.' }));
    await answerOf(model, request([]));
    expect(server.requests.map(({ body }) => body.messages)).toEqual([[{ role: 'system', content: 'Be brief.' }], []]);
  });
});

describe('an answer of Chat Completions', () => {
  it('comes as deltas, and then as a whole', async () => {
    const model = await modelOn([
      {
        thinking: 'Hm.',
        text: ['Hel', 'lo'],
        calls: [{ tool: 'read', input: { path: 'a' } }, { tool: 'list' }],
        usage: { inputTokens: 5, cacheReadTokens: 3, outputTokens: 9, reasoningTokens: 4 },
      },
    ]);
    const events = await call(model, request([user('Hi')]));
    expect(uncounted(events).slice(3)).toEqual([
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'input', call: 1, tool: 'read', text: '{"path' },
      { type: 'input', call: 1, tool: 'read', text: '":"a"}' },
      { type: 'input_complete', call: 1, tool: 'read', input: { path: 'a' } },
      { type: 'input', call: 2, tool: 'list', text: '{' },
      { type: 'input', call: 2, tool: 'list', text: '}' },
      { type: 'input_complete', call: 2, tool: 'list', input: {} },
      {
        type: 'finished',
        message: {
          content: [
            { type: 'thinking', text: 'Hm.', signature: 'reasoning_content' },
            { type: 'text', text: 'Hello' },
            { type: 'tool_call', tool: 'read', input: { path: 'a' } },
            { type: 'tool_call', tool: 'list', input: {} },
          ],
          stopReason: 'tool_calls',
          usage: {
            inputTokens: 5,
            outputTokens: 9,
            cacheReadTokens: 3,
            cacheWriteTokens: 0,
            cacheWriteHourTokens: 0,
            reasoningTokens: 4,
          },
          costUsd: null,
        },
      },
    ]);
  });

  it.each([
    ['stop', 'end'],
    ['tool_calls', 'end'],
    ['length', 'output_limit'],
    ['content_filter', 'refusal'],
    ['something_new', 'end'],
  ])('that stopped for %s, without calls, stopped for %s', (theirs, ours) => {
    expect(readText('openai-chat', sse([finish(theirs), '[DONE]'])).message?.stopReason).toBe(ours);
  });

  it('that stopped with "stop" but calls, calls', () => {
    const { message } = read([
      calling({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      finish('stop'),
    ]);
    expect(message?.stopReason).toBe('tool_calls');
  });

  it('is whole without [DONE] once it has a reason to stop, and cut without one', () => {
    expect(read([chunk({ content: 'Hi' }), finish('stop')]).message?.content).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(read([chunk({ content: 'Hi' })]).error).toBe('stream_cut');
    expect(read([chunk({ content: 'Hi' }), '[DONE]']).error).toBe('stream_cut');
  });

  it.each([
    [
      'without an index',
      [
        { id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', function: { name: 'g', arguments: '{"x":2}' } },
      ],
    ],
    [
      'all of index 0',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
        { index: 0, id: 'b', function: { name: 'g', arguments: '{"x":2}' } },
      ],
    ],
    [
      'without ids',
      [
        { index: 0, function: { name: 'f', arguments: '{"x":' } },
        { index: 0, function: { arguments: '1}' } },
        { index: 1, function: { name: 'g', arguments: '{"x":2}' } },
      ],
    ],
    [
      'without index and ids',
      [
        { function: { name: 'f', arguments: '{"x":' } },
        { function: { arguments: '1}' } },
        { function: { name: 'g', arguments: '{"x":2}' } },
      ],
    ],
    [
      'with arguments as an object',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } },
        { index: 1, id: 'b', function: { name: 'g', arguments: { x: 2 } } },
      ],
    ],
    [
      'with the name again in each delta',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } },
        { index: 0, id: 'a', function: { name: 'f', arguments: '1}' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"x":2}' } },
      ],
    ],
    [
      'mixed',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"x"' } },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
    ],
  ])('may have calls %s', (_dialect, deltas) => {
    const { message } = read([...deltas.map((delta) => calling(delta)), finish('tool_calls')]);
    expect(message?.content).toEqual([
      { type: 'tool_call', tool: 'f', input: { x: 1 } },
      { type: 'tool_call', tool: 'g', input: { x: 2 } },
    ]);
  });

  it('keeps the raw text of a call that is no JSON object, and loses one that the limit cut', () => {
    const delta = calling({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } });
    expect(read([delta, finish('tool_calls')]).message?.content).toEqual([
      { type: 'tool_call', tool: 'f', input: {}, malformed: '{"x":' },
    ]);
    expect(read([delta, finish('length')]).message).toMatchObject({ content: [], stopReason: 'output_limit' });
  });

  it('takes no arguments for an empty object', () => {
    for (const empty of ['', null]) {
      const delta = calling({ index: 0, id: 'a', function: { name: 'f', arguments: empty } });
      const { message, events } = read([delta, finish('tool_calls')]);
      expect(message?.content).toEqual([{ type: 'tool_call', tool: 'f', input: {} }]);
      expect(events).toEqual([{ type: 'input_complete', call: 1, tool: 'f', input: {} }]);
    }
  });

  it.each([
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.', reasoning_content: null }],
    ['reasoning_content', { reasoning: 'Hm.', reasoning_content: 'Hm.' }],
  ])('may think in the field %s', (field, delta) => {
    expect(read([chunk(delta), chunk({ content: 'Yes.' }), finish('stop')]).message?.content).toEqual([
      { type: 'thinking', text: 'Hm.', signature: field },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('may think in parts of its content', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Yes.' },
    ];
    expect(read([chunk({ content }), finish('stop')]).message?.content).toEqual([
      { type: 'thinking', text: 'Hm.', signature: 'content' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('that refuses says so', () => {
    expect(read([chunk({ refusal: 'No.' }), finish('stop')]).message).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stopReason: 'refusal',
    });
  });

  it.each([
    [{ error: { message: 'Slow down.', code: 429 } }, 'rate_limited'],
    [{ error: { message: 'Busy.', type: 'overloaded_error' } }, 'overloaded'],
    [{ error: { message: 'Upstream broke.', code: 502 }, choices: [{ finish_reason: 'error' }] }, 'server_error'],
    [{ error: { message: 'too long', code: 'context_length_exceeded' } }, 'context_overflow'],
    [{ error: { message: 'No credit.', type: 'insufficient_quota' } }, 'quota_exceeded'],
  ])('that breaks off with %j fails with %s', (event, code) => {
    expect(read([chunk({ content: 'Hi' }), JSON.stringify(event)]).error).toBe(code);
  });

  it.each([
    [{ prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } }, [6, 4, 0, 5, 0]],
    [{ prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 4 }, [6, 4, 0, 5, 0]],
    [{ prompt_tokens: 10, completion_tokens: 5, cached_tokens: 4 }, [6, 4, 0, 5, 0]],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
      [3, 4, 3, 5, 0],
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 2 } },
      [10, 0, 0, 5, 2],
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 17, completion_tokens_details: { reasoning_tokens: 2 } },
      [10, 0, 0, 7, 2],
    ],
    [{ prompt_tokens: 3, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 99 } }, [0, 3, 0, 1, 0]],
  ])('with usage %j counts each token once', (usage, expected) => {
    const { message } = read([finish('stop'), JSON.stringify({ choices: [], usage })]);
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = message?.usage ?? {};
    expect([inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens]).toEqual(expected);
    expect((inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)).toBe(usage.prompt_tokens);
  });

  it('that came in one piece is read like a stream', async () => {
    const whole = {
      choices: [
        {
          message: {
            content: 'Hi',
            tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    };
    const model = await modelOn([{ body: JSON.stringify(whole), headers: { 'content-type': 'application/json' } }]);
    expect(await answerOf(model, request([user('Hi')]))).toMatchObject({
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_call', tool: 'f', input: { x: 1 } },
      ],
      stopReason: 'tool_calls',
      usage: { inputTokens: 3, outputTokens: 4 },
    });
  });
});

describe('the address and key of a Chat Completions model', () => {
  it('come from the environment, and no key is needed for another address than OpenAI’s', async () => {
    server = await wireServer([{ text: 'ok' }]);
    await answerOf(
      openaiChat({ model: 'm', environment: { OPENAI_BASE_URL: `${server.url}/v1` } }),
      request([user('Hi')]),
    );
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('say what to do when the key is missing', async () => {
    const model = openaiChat({ model: 'm', environment: {} });
    const error = await thrownBy((async () => answerOf(model, request([user('Hi')])))());
    expect(error).toMatchObject({ code: 'no_key', message: expect.stringContaining('OPENAI_API_KEY') as string });
  });
});

function read(events: readonly string[]) {
  return readText('openai-chat', sse(events));
}
function chunk(delta: object): string {
  return JSON.stringify({ choices: [{ index: 0, delta }] });
}
function calling(delta: object): string {
  return chunk({ tool_calls: [delta] });
}
function finish(finish_reason: string): string {
  return JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason }] });
}
