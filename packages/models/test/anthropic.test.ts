import type { Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnthropicOptions, anthropic } from '../src/index.ts';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { readText, sse } from './streams.ts';
import { answerOf, assistant, call, request, results, thrownBy, uncounted, user } from './support.ts';

let server: WireServer;
afterEach(() => server?.close());

async function modelOn(script: WireAnswer[], options: Partial<AnthropicOptions> = {}) {
  server = await wireServer(script);
  return anthropic({ model: 'm', apiKey: 'secret', baseUrl: server.url, environment: {}, ...options });
}

const mark = ',"cache_control":{"type":"ephemeral"}';
const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];

describe('the body of a Messages request', () => {
  it('is this, byte for byte', async () => {
    const model = await modelOn([{ text: 'ok' }]);
    const messages = [
      user('Read a.txt'),
      assistant([
        { type: 'thinking', text: 'Hm.', signature: 'sig' },
        { type: 'thinking', text: '', opaque: 'sealed' },
        { type: 'text', text: 'I read it.' },
        { type: 'tool_call', id: 't1_s1_c1', tool: 'read', input: { path: 'a.txt' } },
        { type: 'tool_call', id: 't1_s1_c2', tool: 'read', input: {}, malformed: '{"path' },
      ]),
      results(
        { call: 't1_s1_c1', tool: 'read', content: 'Grüße' },
        { call: 't1_s1_c2', tool: 'read', content: 'no', status: 'error' },
      ),
    ];
    await answerOf(model, request(messages, { system: 'Be brief.', tools, tail: 'Step 2 of 9.' }));
    expect(server.requests[0]?.raw).toBe(
      '{"model":"m","max_tokens":1000,"stream":true,' +
        '"tools":[{"name":"read","description":"Reads a file.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],' +
        '"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],' +
        '"messages":[{"role":"user","content":[{"type":"text","text":"Read a.txt","cache_control":{"type":"ephemeral"}}]},' +
        '{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"sig"},' +
        '{"type":"redacted_thinking","data":"sealed"},{"type":"text","text":"I read it."},' +
        '{"type":"tool_use","id":"t1_s1_c1","name":"read","input":{"path":"a.txt"}},' +
        '{"type":"tool_use","id":"t1_s1_c2","name":"read","input":{}}]},' +
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1_s1_c1","content":"Grüße"},' +
        '{"type":"tool_result","tool_use_id":"t1_s1_c2","content":"no","is_error":true,"cache_control":{"type":"ephemeral"}},' +
        '{"type":"text","text":"Step 2 of 9."}]}]}',
    );
    expect(server.requests[0]?.headers).toMatchObject({
      'x-api-key': 'secret',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(server.requests[0]?.raw ?? '')),
    });
  });

  it('merges neighbours of one role, and sends no empty text', async () => {
    const model = await modelOn([{ text: 'ok' }]);
    const messages = [
      user('one'),
      user('   '),
      assistant([{ type: 'text', text: '\n' }]),
      user('two'),
      assistant([{ type: 'text', text: 'three' }]),
      assistant([{ type: 'text', text: 'four' }]),
    ];
    await answerOf(model, request(messages, { tail: ' ' }));
    expect(server.requests[0]?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two', cache_control: { type: 'ephemeral' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'three' },
          { type: 'text', text: 'four' },
        ],
      },
      // Newer models refuse to go on with an answer that was begun for them.
      { role: 'user', content: [{ type: 'text', text: 'Continue.' }] },
    ]);
  });

  it('shows thoughts only to the model that had them, and none without a signature', async () => {
    const model = await modelOn([{ text: 'ok' }]);
    const thought = { type: 'thinking' as const, text: 'Hm.', signature: 'sig' };
    const text = { type: 'text' as const, text: 'Yes.' };
    await answerOf(
      model,
      request([
        user('?'),
        assistant([thought, text], 'anthropic/other'),
        user('?'),
        assistant([{ type: 'thinking', text: 'cut' }, text]),
        user('?'),
        assistant([thought, text]),
      ]),
    );
    const sent = server.requests[0]?.body.messages as { content: { type: string }[] }[];
    expect(sent.map(({ content }) => content.map(({ type }) => type).join())).toEqual([
      'text',
      'text',
      'text',
      'text',
      'text',
      'thinking,text',
      'text',
    ]);
  });

  it('has a prefix that stays the same to the byte while the conversation grows', async () => {
    const model = await modelOn(Array.from({ length: 6 }, () => ({ text: 'ok' })));
    const messages: Message[] = [user('start')];
    for (let step = 1; step <= 6; step++) {
      await answerOf(model, request([...messages], { system: 'Be brief.', tools, tail: `step ${step}` }));
      messages.push(
        assistant([{ type: 'tool_call', id: `c${step}`, tool: 'read', input: { path: `${step}` } }]),
        results({ call: `c${step}`, tool: 'read', content: `${step} 👋`.repeat(3000) }),
      );
    }
    // Marks move, and are no part of what the provider compares.
    const bodies = server.requests.map(({ raw }) => raw.replaceAll(mark, ''));
    for (let step = 1; step < bodies.length; step++) {
      const before = bodies[step - 1] ?? '';
      const stable = before.slice(0, before.lastIndexOf(',{"type":"text","text":"step '));
      expect(stable.length).toBeGreaterThan(step * 9000 - 9000);
      expect(bodies[step]?.startsWith(stable)).toBe(true);
    }
    expect(server.requests.at(-1)?.raw.split(mark)).toHaveLength(5);
  });

  it('is right after the conversation was replaced, as a compaction does', async () => {
    const model = await modelOn([{ text: 'ok' }, { text: 'ok' }, { text: 'ok' }]);
    const first = user('one');
    await answerOf(model, request([first, assistant([{ type: 'text', text: 'two' }]), user('three')]));
    await answerOf(model, request([first, user('summary')]));
    await answerOf(model, request([first]));
    expect(server.requests.map(({ messages }) => messages.map(({ text }) => text))).toEqual([
      ['one', 'two', 'three'],
      ['one\nsummary'],
      ['one'],
    ]);
  });

  it('has no half surrogate, which the API refuses', async () => {
    const model = await modelOn([{ text: 'ok' }]);
    const half = '👋'.slice(0, 1);
    await answerOf(
      model,
      request([
        user(`cut ${half}`),
        assistant([{ type: 'tool_call', id: 'c', tool: 'read', input: { path: half, note: '\\ud83d' } }]),
        results({ call: 'c', tool: 'read', content: half }),
      ]),
    );
    expect(server.requests[0]?.raw.match(/[^\\]\\ud83d/)).toBeNull();
    expect(server.requests[0]?.messages[1]?.calls[0]?.input).toEqual({ path: '\uFFFD', note: '\\ud83d' });
  });
});

describe('an answer of the Messages API', () => {
  it('comes as deltas, and then as a whole', async () => {
    const model = await modelOn([
      {
        thinking: 'Let me see.',
        text: ['Hel', 'lo'],
        calls: [{ tool: 'read', input: { path: 'a' } }],
        usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2, cacheWriteHourTokens: 1 },
      },
    ]);
    const events = await call(model, request([user('Hi')]));
    expect(uncounted(events)).toEqual([
      { type: 'activity', activity: 'connecting' },
      { type: 'activity', activity: 'waiting_headers' },
      { type: 'activity', activity: 'waiting_first_token' },
      { type: 'thinking', text: 'Let me see.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'input', call: 1, tool: 'read', text: '{"path' },
      { type: 'input', call: 1, tool: 'read', text: '":"a"}' },
      { type: 'input_complete', call: 1, tool: 'read', input: { path: 'a' } },
      {
        type: 'finished',
        message: {
          content: [
            { type: 'thinking', text: 'Let me see.', signature: 'c2lnbmF0dXJl' },
            { type: 'text', text: 'Hello' },
            { type: 'tool_call', tool: 'read', input: { path: 'a' } },
          ],
          stopReason: 'tool_calls',
          usage: {
            inputTokens: 5,
            outputTokens: 7,
            cacheReadTokens: 3,
            cacheWriteTokens: 2,
            cacheWriteHourTokens: 1,
            reasoningTokens: 0,
          },
          costUsd: null,
        },
      },
    ]);
  });

  it.each([
    ['end_turn', 'end'],
    ['tool_use', 'end'],
    ['max_tokens', 'output_limit'],
    ['model_context_window_exceeded', 'output_limit'],
    ['stop_sequence', 'stop_sequence'],
    ['refusal', 'refusal'],
    ['pause_turn', 'pause'],
    ['something_new', 'end'],
  ])('that stopped for %s, without calls, stopped for %s', (theirs, ours) => {
    const { message } = readText('anthropic', sse([start, delta(theirs), stop]));
    expect(message?.stopReason).toBe(ours);
  });

  it('loses a call that the output limit cut, and only that', () => {
    const blocks = [
      ...block(0, { type: 'tool_use', name: 'read', input: {} }, '{"path":"a"}'),
      ...block(1, { type: 'tool_use', name: 'write', input: {} }, '{"path":"b","content":"lon'),
    ];
    const { message, events } = readText('anthropic', sse([start, ...blocks, delta('max_tokens'), stop]));
    expect(message?.content).toEqual([{ type: 'tool_call', tool: 'read', input: { path: 'a' } }]);
    expect(message?.cutCall).toBe('write');
    expect(events.filter(({ type }) => type === 'input_complete')).toHaveLength(1);
    const empty = readText(
      'anthropic',
      sse([start, ...block(0, { type: 'tool_use', name: 'x' }, ''), delta('max_tokens'), stop]),
    );
    expect(empty.message).toMatchObject({ content: [], cutCall: 'x' });
  });

  it('keeps the raw text of a call that is no JSON object', () => {
    const call = block(0, { type: 'tool_use', name: 'read', input: {} }, '["a"');
    const { message } = readText('anthropic', sse([start, ...call, delta('tool_use'), stop]));
    expect(message?.content).toEqual([{ type: 'tool_call', tool: 'read', input: {}, malformed: '["a"' }]);
  });

  it('may have a call whose input stands in its start, and sealed thinking', () => {
    const blocks = [
      ...block(0, { type: 'redacted_thinking', data: 'sealed' }, null),
      ...block(1, { type: 'tool_use', name: 'read', input: { path: 'a' } }, null),
    ];
    const { message } = readText('anthropic', sse([start, ...blocks, delta('tool_use'), stop]));
    expect(message?.content).toEqual([
      { type: 'thinking', text: '', opaque: 'sealed' },
      { type: 'tool_call', tool: 'read', input: { path: 'a' } },
    ]);
  });

  describe('M1: that was ready before its stream began', () => {
    const call = (id: string, input: object) => ({
      type: 'tool_use',
      id,
      name: 'lookup',
      input,
      caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' },
    });
    const start = (content: object[], stopReason: string | null) => ({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        container: { id: 'container_1', expires_at: '2030-01-01T00:00:00Z' },
        stop_reason: stopReason,
        stop_sequence: null,
        usage: { input_tokens: 12, output_tokens: 3 },
      },
    });
    const ran = {
      type: 'code_execution_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: { type: 'code_execution_result', stdout: 'so far', stderr: '', return_code: 0, content: [] },
    };
    const stop = { type: 'message_stop' };
    const ended = { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 40 } };
    const read = (...events: object[]) => readText('anthropic', sse(events.map((event) => JSON.stringify(event))));
    const lookup = (input: object) => ({ type: 'tool_call', tool: 'lookup', input });

    it('keeps the calls that came with the start, and why it stopped', () => {
      const { events, message } = read(start([ran, call('a', { id: 1 }), call('b', {})], 'tool_use'), stop);
      expect(message).toMatchObject({ content: [lookup({ id: 1 }), lookup({})], stopReason: 'tool_calls' });
      expect(message?.usage).toMatchObject({ inputTokens: 12, outputTokens: 3 });
      expect(events).toContainEqual({ type: 'input_complete', call: 1, tool: 'lookup', input: { id: 1 } });
    });

    it('keeps text and thoughts that came with the start', () => {
      const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
      const { message } = read(start([thought, { type: 'text', text: 'Done.' }], 'end_turn'), stop);
      const content = [
        { type: 'thinking', text: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'Done.' },
      ];
      expect(message).toMatchObject({ content, stopReason: 'end' });
    });

    it('may go on with blocks and an end of their own', () => {
      const more = [
        { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'And more.' } },
        { type: 'content_block_stop', index: 1 },
      ];
      const { message } = read(start([call('a', { id: 1 })], null), ...more, ended, stop);
      const content = [lookup({ id: 1 }), { type: 'text', text: 'And more.' }];
      expect(message).toMatchObject({ content, stopReason: 'tool_calls', usage: { outputTokens: 40 } });
    });

    it('has a call once that is told twice', () => {
      const again = [
        { type: 'content_block_start', index: 0, content_block: call('a', {}) },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"id":1}' } },
        { type: 'content_block_stop', index: 0 },
      ];
      const { message } = read(start([call('a', { id: 1 })], 'tool_use'), ...again, ended, stop);
      expect(message?.content).toEqual([lookup({ id: 1 })]);
    });

    it('is cut if its start names no end and none comes', () => {
      expect(read(start([call('a', { id: 1 })], null)).error).toBe('stream_cut');
    });

    it('that starts anew has only what came last', () => {
      const { message } = read(
        start([call('a', { id: 1 })], 'tool_use'),
        start([call('a', { id: 2 })], 'tool_use'),
        stop,
      );
      expect(message?.content).toEqual([lookup({ id: 2 })]);
    });
  });

  it('M4: tells what it used as soon as that is known, and again as it ends', () => {
    const body = sse([start, ...textBlock('hi'), delta('end_turn'), stop]);
    const { events, message } = readText('anthropic', body);
    const [first, last] = events.filter(({ type }) => type === 'usage');
    expect(events[0]).toBe(first);
    expect(first).toMatchObject({ usage: { inputTokens: message?.usage.inputTokens } });
    expect(last).toMatchObject({ usage: message?.usage });
  });

  it('that the model refuses says why, where the API does', () => {
    const refusal = { stop_reason: 'refusal', stop_details: { category: 'cyber', explanation: 'Not this.' } };
    const { message } = readText(
      'anthropic',
      sse([start, JSON.stringify({ type: 'message_delta', delta: refusal }), stop]),
    );
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Not this.' }], stopReason: 'refusal' });
  });

  it('that starts anew in mid-stream takes back what it said', () => {
    const [open = '', text = ''] = textBlock('wrong');
    const all = [start, open, text, start, ...textBlock('right'), delta('end_turn'), stop];
    const { message, events } = readText('anthropic', sse(all));
    expect(message?.content).toEqual([{ type: 'text', text: 'right' }]);
    expect(uncounted(events).map(({ type }) => type)).toEqual(['text', 'rollback', 'text']);
  });

  it('is not disturbed by starts that come twice', () => {
    const [open = '', text = '', close = ''] = textBlock('once');
    const all = [start, start, open, open, text, close, delta('end_turn'), stop];
    const { message, events } = readText('anthropic', sse(all));
    expect(message?.content).toEqual([{ type: 'text', text: 'once' }]);
    expect(uncounted(events)).toEqual([{ type: 'text', text: 'once' }]);
  });

  it.each([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate_limited'],
    ['api_error', 'server_error'],
    ['invalid_request_error', 'bad_request'],
    ['authentication_error', 'unauthorized'],
  ])('that breaks off with %s fails with %s', (type, code) => {
    const error = JSON.stringify({ type: 'error', error: { type, message: 'Oh.' } });
    expect(readText('anthropic', sse([start, ...textBlock('so'), error])).error).toBe(code);
  });

  it('that came in one piece is read like a stream', async () => {
    const whole = {
      type: 'message',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'x', name: 'read', input: { path: 'a' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 4 },
    };
    const model = await modelOn([{ body: JSON.stringify(whole), headers: { 'content-type': 'application/json' } }], {
      isStreaming: false,
    });
    const message = await answerOf(model, request([user('Hi')]));
    expect(server.requests[0]?.body.stream).toBe(false);
    expect(message).toMatchObject({
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_call', tool: 'read', input: { path: 'a' } },
      ],
      stopReason: 'tool_calls',
      usage: { inputTokens: 3, outputTokens: 4 },
    });
  });
});

describe('the address and key of a Messages model', () => {
  it('come from the environment where they are not given', async () => {
    server = await wireServer([{ text: 'ok' }, { text: 'ok' }]);
    const environment = { ANTHROPIC_BASE_URL: `${server.url}/v1/`, ANTHROPIC_API_KEY: 'from-environment' };
    await answerOf(anthropic({ model: 'm', environment }), request([user('Hi')]));
    const token = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_AUTH_TOKEN: 'token' };
    await answerOf(anthropic({ model: 'm', environment: token }), request([user('Hi')]));
    expect(server.requests[0]?.headers['x-api-key']).toBe('from-environment');
    expect(server.requests[1]?.headers.authorization).toBe('Bearer token');
  });

  it('say what to do when the key is missing', async () => {
    const model = anthropic({ model: 'm', environment: {} });
    const error = await thrownBy((async () => answerOf(model, request([user('Hi')])))());
    expect(error).toMatchObject({ code: 'no_key', message: expect.stringContaining('ANTHROPIC_API_KEY') as string });
  });

  it('must be an address', () => {
    expect(() => anthropic({ model: 'm', baseUrl: 'localhost' })).toThrow(/must be an address/);
  });
});

const start = '{"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}';
const stop = '{"type":"message_stop"}';

function delta(reason: string): string {
  return JSON.stringify({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 9 } });
}

function block(index: number, content_block: object, json: string | null): string[] {
  return [
    { type: 'content_block_start', index, content_block },
    ...(json === null
      ? []
      : [{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } }]),
    { type: 'content_block_stop', index },
  ].map((event) => JSON.stringify(event));
}

function textBlock(text: string): string[] {
  return [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
  ].map((event) => JSON.stringify(event));
}
